"""`compare` against scikit-learn's cross-validation, and its refusals."""

from __future__ import annotations

import json
import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.cluster import KMeans as SklearnKMeans
from sklearn.datasets import load_diabetes, load_iris
from sklearn.decomposition import PCA as SklearnPCA
from sklearn.dummy import DummyRegressor
from sklearn.linear_model import LinearRegression as SklearnLinearRegression
from sklearn.linear_model import Ridge as SklearnRidge
from sklearn.metrics import silhouette_score
from sklearn.model_selection import KFold, RepeatedKFold, cross_val_predict, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from surefit._core.errors import CannotStream, InvalidData, InvalidParameter
from surefit.cluster import KMeans
from surefit.decomposition import PCA
from surefit.linear_model import LinearRegression, Ridge, RidgeCV
from surefit.model_selection import certify_steps, compare, explained_share
from surefit.model_selection.comparison import shared_scale
from surefit.model_selection.validation.folds import usual_repeats

X, Y = load_diabetes(return_X_y=True)
IRIS = load_iris().data


class Liar(SklearnLinearRegression):
    """Least squares that changes its mind after the fit."""

    def fit(self, X, y, sample_weight=None):
        super().fit(X, y, sample_weight)
        self.coef_ = self.coef_ + 1.0
        return self


@pytest.fixture(scope="module")
def result():
    models = {"ols": LinearRegression(), "ridge": Ridge(alpha=0.1), "mean": DummyRegressor()}
    return compare(models, X, Y, cv=RepeatedKFold(n_splits=4, n_repeats=2, random_state=3))


@pytest.mark.parametrize(
    ("name", "twin"),
    [("ols", SklearnLinearRegression()), ("ridge", SklearnRidge(alpha=0.1)), ("mean", DummyRegressor())],
)
def test_scores_are_those_of_scikit_learn_on_the_same_folds(result, name, twin):
    expected = cross_val_score(twin, X, Y, cv=RepeatedKFold(n_splits=4, n_repeats=2, random_state=3))
    np.testing.assert_allclose(result[name].scores, expected, rtol=1e-9, atol=1e-12)


def test_the_ratio_is_that_of_one_split(result):
    splits = list(RepeatedKFold(n_splits=4, n_repeats=2, random_state=3).split(X))
    assert result.n_splits == 8
    assert result.test_train_ratio == pytest.approx(np.mean([len(test) / len(train) for train, test in splits]))


def test_the_best_is_on_top_and_the_others_are_tested_against_it(result):
    means = [one.interval.mean for one in result.outcomes]
    assert means == sorted(means, reverse=True)
    assert result.best is result.outcomes[0]
    assert result.best.versus_best is None
    for one in result.outcomes[1:]:
        assert one.versus_best.mean == pytest.approx((one.scores - result.best.scores).mean())
        assert one.p_adjusted >= one.versus_best.p


def test_predictions_are_of_rows_not_seen():
    cv = KFold(5, shuffle=True, random_state=0)
    ours = compare([LinearRegression()], X, Y, cv=cv).best.predictions
    np.testing.assert_allclose(ours, cross_val_predict(SklearnLinearRegression(), X, Y, cv=cv), rtol=1e-8)


def test_the_final_fit_has_seen_all_rows_and_is_certified(result):
    np.testing.assert_allclose(result["ols"].estimator.coef_, SklearnLinearRegression().fit(X, Y).coef_, rtol=1e-8)
    assert result["ols"].holds and result["ols"].verdict == "✓ OPTIMAL"
    assert result["mean"].holds is None and result["mean"].verdict == "—"
    assert result.holds


def test_a_fit_that_lies_is_found_out():
    found = compare({"liar": Liar(), "honest": SklearnLinearRegression()}, X, Y, cv=3)
    assert found["liar"].holds is False and found["liar"].verdict == "✗ NOT_OPTIMAL"
    assert found["honest"].holds is True
    assert not found.holds


def test_other_scorers():
    ours = compare([Ridge()], X, Y, cv=KFold(3), scoring="neg_mean_absolute_error")
    expected = cross_val_score(SklearnRidge(), X, Y, cv=KFold(3), scoring="neg_mean_absolute_error")
    np.testing.assert_allclose(ours.best.scores, expected, rtol=1e-9)
    assert ours.metric == "−MAE"
    by_hand = compare([Ridge()], X, Y, cv=KFold(3), scoring=lambda model, X, y: float(len(y)))
    assert by_hand.best.scores.tolist() == [148.0, 147.0, 147.0]


def test_candidates_are_chosen_where_none_are_given():
    found = compare(None, X[:120], Y[:120], cv=KFold(2))
    assert len(found.outcomes) == 12 and found.left_out == []
    assert {"LinearRegression", "Ridge", "RandomForest", "mean (baseline)"} <= {one.name for one in found.outcomes}


def test_candidates_take_a_table_with_words_and_gaps():
    frame = load_diabetes(as_frame=True, scaled=False).data[:200].copy()
    frame["sex"] = np.where(frame["sex"] == 1, "a", "b")
    frame.loc[:5, "bmi"] = np.nan
    found = compare(None, frame, Y[:200], cv=KFold(2))
    assert found.holds and found.best.interval.mean > 0.4
    assert any("'sex' has 2 levels" in note for note in found.notes)


def test_candidates_take_sparse_rows():
    found = compare(None, sparse.csr_array(X[:200]), Y[:200], cv=KFold(2))
    assert found.holds and found.best.interval.mean > 0.4


def test_twins_get_numbers():
    names = {one.name for one in compare([Ridge(1), Ridge(2), RidgeCV()], X, Y, cv=2).outcomes}
    assert names == {"Ridge", "Ridge #2", "RidgeCV"}


def test_explained_share_in_closed_form():
    pca = PCA(2).fit(IRIS)
    assert explained_share(pca, IRIS, IRIS) == pytest.approx(SklearnPCA(2).fit(IRIS).explained_variance_ratio_.sum())
    kmeans = SklearnKMeans(3, n_init=3, random_state=0).fit(IRIS)
    total = ((IRIS - IRIS.mean(axis=0)) ** 2).sum()
    assert explained_share(kmeans, IRIS, IRIS) == pytest.approx(1 - kmeans.inertia_ / total)


def test_a_clustering_keeps_its_order_and_has_its_silhouette():
    found = compare({"three": KMeans(3, n_init=3, random_state=0), "plane": PCA(2)}, IRIS, cv=3)
    assert [one.name for one in found.outcomes] == ["three", "plane"]
    labels = found["three"].estimator.labels_
    assert found["three"].extra["silhouette"] == pytest.approx(silhouette_score(IRIS, labels))
    assert found["plane"].extra == {}
    assert found.best.name == "three" and found.task == "clustering"


def test_a_dataframe_gives_no_warnings():
    frame = load_iris(as_frame=True).data
    found = compare({"three": KMeans(3, random_state=0), "plane": PCA(2)}, frame, cv=3)
    assert [one.warnings for one in found.outcomes] == [[], []]


def test_every_step_of_a_pipeline_is_certified_on_what_it_saw():
    model = make_pipeline(StandardScaler(), PCA(5), RidgeCV()).fit(X, Y)
    certificates = certify_steps(model, X, Y)
    assert list(certificates) == ["PCA", "RidgeCV"]
    assert certificates["RidgeCV"].n_features == 5
    assert all(one.holds for one in certificates.values())
    model[-1].coef_ = model[-1].coef_ * 1.5
    again = certify_steps(model, X, Y)
    assert again["PCA"].holds and not again["RidgeCV"].holds


def test_tables_fit_the_terminal_and_machines_can_read_them(result):
    lines = str(result).splitlines()
    assert max(map(len, lines)) <= 80
    assert any("ols" in line and "✓ OPTIMAL" in line for line in lines)
    said = " ".join(lines)
    assert result.opening in said and result.verdict in said
    assert result._repr_html_().count("<tr>") == 4
    read = json.loads(result.to_json())
    assert read["best"] == result.best.name and read["holds"] is True
    assert len(read["models"][0]["scores"]) == 8
    with pytest.raises(KeyError, match="no model"):
        result["nobody"]


def test_progress_counts_every_fit():
    seen = []
    compare({"a": Ridge(), "b": RidgeCV()}, X, Y, cv=KFold(3), on_progress=lambda *step: seen.append(step))
    assert [step[:3] for step in seen] == [(i + 1, 8, "a" if i < 4 else "b") for i in range(8)]


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: compare([Ridge()], "rows.parquet", "y"), CannotStream, "in memory"),
        (lambda: compare([Ridge()], X, Y[:-1]), InvalidData, "one value for each"),
        (lambda: compare([Ridge()], X, np.array(["a"] * len(Y))), InvalidData, "numeric"),
        (lambda: compare([Ridge()], X, np.where(Y > 300, np.nan, Y)), InvalidData, "not finite"),
        (lambda: compare([Ridge], X, Y), InvalidParameter, "no estimator"),
        (lambda: compare([], X, Y), InvalidParameter, "at least one"),
        (lambda: compare([Ridge()], X, Y, cv=1), InvalidParameter, "≥ 2"),
        (lambda: compare([Ridge()], X, Y, scoring="nonsense"), InvalidParameter, "scorer"),
        (lambda: compare([Ridge()], X, Y, cv=[(np.arange(400), np.arange(390, 442))]), InvalidData, "trained on"),
        (lambda: compare([Ridge()], X[:, 0], Y), InvalidData, "rows and columns"),
    ],
)
def test_what_makes_no_sense_is_refused(call, error, words):
    with pytest.raises(error, match=words):
        call()


def test_a_warning_that_all_models_share_is_told_once():
    class Noisy(SklearnRidge):
        def fit(self, X, y, sample_weight=None):
            warnings.warn("something is odd", stacklevel=2)
            return super().fit(X, y, sample_weight)

    found = compare({"a": Noisy(), "b": Noisy(alpha=2)}, X, Y, cv=KFold(3))
    assert found.warnings() == ["all models: something is odd (4 times)"]


@pytest.mark.parametrize(("rows", "repeats"), [(1000, 5), (50_000, 2), (200_000, 1)])
def test_large_tables_are_split_less_often(rows, repeats):
    assert usual_repeats(np.empty((rows, 10))) == repeats


def test_the_scale_leaves_few_and_far_models_off_its_edge():
    assert shared_scale([0.0, 0.40, 0.42, 0.41], [0.1, 0.5, 0.52, 0.5]) == (0.40, 0.52)
    assert shared_scale([0.0, 0.1, 0.2], [0.3, 0.4, 0.5]) == (0.0, 0.5)
    assert shared_scale([0.0, 1.0, 1.0], [0.0, 1.0, 1.0]) == (0.0, 1.0)
    assert shared_scale([float("nan")], [float("nan")]) == (0.0, 1.0)
