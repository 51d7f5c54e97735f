"""Nested cross-validation: scikit-learn's scores, tuning that saw no test row, and a certificate that says so."""

from __future__ import annotations

import copy

import joblib
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
import sklearn.linear_model
import sklearn.model_selection as theirs
from sklearn.compose import make_column_transformer
from sklearn.datasets import load_diabetes, load_iris
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import SVC

import surefit
from surefit.kernel_ridge import KernelRidgeCV
from surefit.linear_model import Ridge, RidgeCV
from surefit.model_selection import KFold, nested_cross_validate
from surefit.model_selection.validation.watched import Watched, rows_digest
from surefit.neighbors import KNeighborsClassifier

IRIS, SPECIES = load_iris(return_X_y=True)
DIABETES, PROGRESS = (part[:150] for part in load_diabetes(return_X_y=True))
FOLDS = KFold(3, shuffle=True, random_state=0)
GRID = {"alpha": [1e-3, 1e-1, 10.0]}


@pytest.mark.parametrize(
    ("search", "X", "y"),
    [
        (theirs.GridSearchCV(Ridge(), GRID, cv=3), DIABETES, PROGRESS),
        (
            theirs.GridSearchCV(sklearn.linear_model.Ridge(), GRID, scoring="neg_mean_absolute_error"),
            DIABETES,
            PROGRESS,
        ),
        (
            theirs.RandomizedSearchCV(KNeighborsClassifier(), {"n_neighbors": range(1, 30)}, n_iter=4, random_state=0),
            IRIS,
            SPECIES,
        ),
        (
            theirs.GridSearchCV(make_pipeline(StandardScaler(), Ridge()), {"ridge__alpha": [0.1, 1.0]}, cv=4),
            DIABETES,
            PROGRESS,
        ),
        (make_pipeline(StandardScaler(), theirs.GridSearchCV(Ridge(), GRID, cv=3)), DIABETES, PROGRESS),
    ],
    ids=["grid", "theirs", "randomized", "pipeline inside", "pipeline outside"],
)
def test_scores_are_scikit_learns(search, X, y):
    found = nested_cross_validate(search, X, y, cv=FOLDS, return_estimator=True)
    expected = theirs.cross_validate(search, X, y, cv=FOLDS, return_estimator=True)
    np.testing.assert_allclose(found["test_score"], expected["test_score"], rtol=1e-12)
    last = [one[-1] if hasattr(one, "steps") else one for one in expected["estimator"]]
    assert found.parameters == [one.best_params_ for one in last]
    np.testing.assert_allclose(found.inner_score, [one.best_score_ for one in last], rtol=1e-12)
    assert [type(one) for one in found["estimator"]] == [type(search)] * 3
    assert found.certify(X, y).holds and surefit.certify(found, X, y).grade == "EXACT"


def test_a_grid_is_a_search():
    found = nested_cross_validate(Ridge(), DIABETES, PROGRESS, param_grid=GRID, cv=FOLDS, inner_cv=3, scoring="r2")
    search = theirs.GridSearchCV(Ridge(), GRID, cv=3, scoring="r2")
    again = nested_cross_validate(search, DIABETES, PROGRESS, cv=FOLDS)
    np.testing.assert_array_equal(found["test_score"], again["test_score"])
    assert found.fingerprint == again.fingerprint and not found.difference(again).any()
    promised = np.mean([one.best_score_ for one in again_fits(search)])
    assert found.optimism == pytest.approx(promised - found["test_score"].mean(), rel=1e-12)


def again_fits(search):
    return [copy.deepcopy(search).fit(DIABETES[train], PROGRESS[train]) for train, _ in FOLDS.split(DIABETES)]


def test_estimators_that_tune_themselves():
    alphas = [0.01, 0.1, 1.0]
    found = nested_cross_validate(RidgeCV(alphas), DIABETES, PROGRESS, cv=FOLDS)
    fits = [RidgeCV(alphas).fit(DIABETES[train], PROGRESS[train]) for train, _ in FOLDS.split(DIABETES)]
    assert found.parameters == [{"alpha": one.alpha_} for one in fits]
    np.testing.assert_array_equal(found.inner_score, [one.best_score_ for one in fits])
    kernel = nested_cross_validate(KernelRidgeCV(alphas, kernel="rbf"), DIABETES, PROGRESS, cv=FOLDS)
    assert all(one["alpha"] in alphas for one in kernel.parameters)
    logistic = sklearn.linear_model.LogisticRegressionCV(
        Cs=[0.1, 10.0], cv=3, max_iter=1000, scoring="accuracy", use_legacy_attributes=False, l1_ratios=(0,)
    )
    found = nested_cross_validate(logistic, IRIS, SPECIES, cv=3)
    assert all(one["C"] in (0.1, 10.0) for one in found.parameters) and found.certify(IRIS, SPECIES).holds


def test_what_tunes_nothing_is_plain_cross_validation():
    found = nested_cross_validate(Ridge(), DIABETES, PROGRESS, cv=FOLDS)
    assert found.parameters == [{}, {}, {}] and np.isnan(found.inner_score).all() and np.isnan(found.optimism)
    np.testing.assert_array_equal(found["test_score"], theirs.cross_val_score(Ridge(), DIABETES, PROGRESS, cv=FOLDS))


class Recorder(sklearn.linear_model.Ridge):
    """Writes down the numbers of the rows (the first column) that its fits and scores were handed."""

    fitted: list[set] = []  # noqa: RUF012
    scored: list[set] = []  # noqa: RUF012

    def fit(self, X, y):
        self.fitted.append(set(X[:, 0].astype(int)))
        return super().fit(X, y)

    def score(self, X, y):
        self.scored.append(set(X[:, 0].astype(int)))
        return super().score(X, y)


def test_no_test_row_is_seen_in_tuning():
    X = np.column_stack([np.arange(150), DIABETES])
    Recorder.fitted.clear(), Recorder.scored.clear()
    found = nested_cross_validate(Recorder(), X, PROGRESS, param_grid=GRID, cv=FOLDS, inner_cv=4)
    fits, scores = 3 * 4 + 1, 3 * 4 + 1  # values × inner folds and the last fit; of the scores the last is the test
    assert len(Recorder.fitted) == 3 * fits and len(Recorder.scored) == 3 * scores
    for k, (train, test) in enumerate(FOLDS.split(X)):
        tuning = [*Recorder.fitted[k * fits : (k + 1) * fits], *Recorder.scored[k * scores : (k + 1) * scores - 1]]
        assert set().union(*tuning) == set(train) and not set().union(*tuning) & set(test)
        assert Recorder.scored[(k + 1) * scores - 1] == set(test)
    assert found.certify(X, PROGRESS)["unseen"].holds


def mutations():
    def digest(one):
        one.digests[1] = one.digests[0]

    def leaked(one):
        train, test = next(iter(one.folds))
        rows = np.append(train, test[0])
        one.digests[0] = rows_digest(DIABETES[rows], PROGRESS[rows])

    def fewer(one):
        del one.digests[-1]

    def folds(one):
        one._kept = one._kept[::-1]

    def chosen(one):
        place, values = one.inner_scores[2]
        one.inner_scores[2] = ((place + 1) % len(values), values)

    def named(one):
        one._fingerprint = "0" * 64

    return [(digest, "unseen"), (leaked, "unseen"), (fewer, "unseen"), (folds, "unseen"), (chosen, "chosen"),
            (named, "fingerprint")]  # fmt: skip


@pytest.mark.parametrize(("change", "claim"), mutations(), ids=lambda x: getattr(x, "__name__", x))
def test_what_the_certificate_refuses(change, claim):
    found = nested_cross_validate(Ridge(), DIABETES, PROGRESS, param_grid=GRID, cv=FOLDS, inner_cv=3)
    assert found.certify(DIABETES, PROGRESS).holds
    change(found)
    certificate = found.certify(DIABETES, PROGRESS)
    assert not certificate.holds and not certificate[claim].holds


def test_other_data_are_refused():
    found = nested_cross_validate(Ridge(), DIABETES, PROGRESS, param_grid=GRID, cv=FOLDS, inner_cv=3)
    other = DIABETES.copy()
    other[7, 2] += 1e-12
    assert not found.certify(other, PROGRESS).holds
    assert not found.certify(DIABETES, PROGRESS[::-1]).holds
    assert not found.certify(DIABETES[:100], PROGRESS[:100]).holds


def test_equal_rows_are_counted():
    X, y = np.repeat(DIABETES, 2, axis=0), np.repeat(PROGRESS, 2)
    ordered = nested_cross_validate(Ridge(), X, y, param_grid=GRID, cv=KFold(2), inner_cv=2)
    mixed = nested_cross_validate(Ridge(), X, y, param_grid=GRID, cv=KFold(2, shuffle=True, random_state=0), inner_cv=2)
    assert ordered.certify(X, y)["equal_rows"].value == 0
    ((_, test), _) = mixed.folds
    pairs = np.bincount(test // 2, minlength=150)
    assert mixed.certify(X, y)["equal_rows"].value == 2 * np.count_nonzero(pairs == 1) > 0


def test_frames_sparse_rows_and_squares():
    frame = pd.DataFrame({"length": IRIS[:, 0], "name": np.array(["x", "yy", "z"])[SPECIES], "gap": IRIS[:, 1]})
    frame.loc[3, "gap"] = np.nan
    steps = make_column_transformer((OneHotEncoder(), ["name"]), ("passthrough", ["length"]))
    model = make_pipeline(steps, KNeighborsClassifier())
    grid = {"kneighborsclassifier__n_neighbors": [1, 5]}
    found = nested_cross_validate(model, frame, pd.Series(SPECIES), param_grid=grid, cv=3, inner_cv=2)
    assert found.certify(frame, pd.Series(SPECIES)).holds
    assert not found.certify(frame.replace({"name": {"yy": "y"}}), SPECIES)["unseen"].holds
    rows = sp.csr_array(np.where(np.abs(DIABETES) < 0.03, 0.0, DIABETES))
    found = nested_cross_validate(Ridge(), rows, PROGRESS, param_grid=GRID, cv=FOLDS, inner_cv=3)
    assert found.certify(rows, PROGRESS).holds and not found.certify(2 * rows, PROGRESS).holds
    gram = rbf_kernel(IRIS)
    svc = SVC(kernel="precomputed")
    found = nested_cross_validate(svc, gram, SPECIES, param_grid={"C": [0.1, 1.0]}, cv=3, inner_cv=2)
    assert found.pairwise and found.certify(gram, SPECIES).holds


def test_groups_stay_together_inside_and_outside():
    groups = np.arange(150) // 6
    X = np.column_stack([np.arange(150), DIABETES])
    Recorder.fitted.clear(), Recorder.scored.clear()
    found = nested_cross_validate(Recorder(), X, PROGRESS, param_grid=GRID, groups=groups)
    for train, test in found.folds:
        assert not set(groups[train]) & set(groups[test])
    for rows in Recorder.fitted:
        assert all(len(rows & set(np.flatnonzero(groups == g))) in (0, 6) for g in range(25))


def test_what_does_not_go_together():
    search = theirs.GridSearchCV(Ridge(), GRID)
    with pytest.raises(ValueError, match="is a search already"):
        nested_cross_validate(search, DIABETES, PROGRESS, param_grid=GRID)
    with pytest.raises(ValueError, match="inner_cv goes with param_grid"):
        nested_cross_validate(search, DIABETES, PROGRESS, inner_cv=3)
    with pytest.raises(ValueError, match="one score decides"):
        nested_cross_validate(Ridge(), DIABETES, PROGRESS, param_grid=GRID, scoring=["r2", "neg_mean_squared_error"])
    with pytest.raises(ValueError, match="fold 0 tests on rows it was trained on"):
        nested_cross_validate(search, DIABETES, PROGRESS, cv=[(np.arange(100), np.arange(90, 150))])


def test_same_scores_for_any_number_of_jobs():
    grid = {"n_neighbors": [1, 5]}
    one = nested_cross_validate(KNeighborsClassifier(), IRIS, SPECIES, param_grid=grid, cv=3)
    with joblib.parallel_config("threading"):
        two = nested_cross_validate(KNeighborsClassifier(), IRIS, SPECIES, param_grid=grid, cv=3, n_jobs=2)
    assert one["test_score"].tobytes() == two["test_score"].tobytes() and one.digests == two.digests


def test_the_watch_is_the_estimator_it_holds():
    model = Watched(KNeighborsClassifier(3)).fit(IRIS, SPECIES)
    assert model.n_neighbors == 3 and sklearn.base.is_classifier(model)
    np.testing.assert_array_equal(model.predict(IRIS), KNeighborsClassifier(3).fit(IRIS, SPECIES).predict(IRIS))
    with pytest.raises(AttributeError):
        model.transform(IRIS)
