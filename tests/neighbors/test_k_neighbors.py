"""KNeighborsClassifier and KNeighborsRegressor: votes, means, weights, outputs, and the number of neighbors."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
import sklearn.neighbors
from scipy.spatial.distance import cdist
from sklearn.datasets import load_diabetes, load_iris, make_classification
from sklearn.model_selection import KFold, LeaveOneOut, cross_val_predict, cross_val_score

from surefit._core.errors import CannotStream
from surefit.certificates import CertificateError
from surefit.neighbors import KNeighborsClassifier, KNeighborsRegressor


def fading(d):
    """Weights that depend on all neighbors of a row."""
    return 1.0 / (1.0 + d / d.max(axis=1, keepdims=True))


def name(value):
    return getattr(value, "__name__", str(value))


WEIGHTS = ["uniform", "distance", None, fading]


@pytest.mark.parametrize("weights", WEIGHTS, ids=name)
@pytest.mark.parametrize("metric", ["minkowski", "manhattan", "cosine"])
def test_as_scikit_learn(weights, metric):
    """On data without ties of distances."""
    rng = np.random.default_rng(0)
    X, Q = rng.normal(size=(200, 4)), rng.normal(size=(60, 4))
    y, Y = rng.integers(0, 4, 200), rng.normal(size=(200, 2))
    ours = KNeighborsClassifier(7, weights=weights, metric=metric).fit(X, y)
    theirs = sklearn.neighbors.KNeighborsClassifier(7, weights=weights, metric=metric, algorithm="brute").fit(X, y)
    np.testing.assert_allclose(ours.predict_proba(Q), theirs.predict_proba(Q), rtol=1e-12, atol=1e-15)
    np.testing.assert_array_equal(ours.predict(Q), theirs.predict(Q))
    mean = KNeighborsRegressor(7, weights=weights, metric=metric).fit(X, Y)
    their = sklearn.neighbors.KNeighborsRegressor(7, weights=weights, metric=metric, algorithm="brute").fit(X, Y)
    np.testing.assert_allclose(mean.predict(Q), their.predict(Q), rtol=1e-11, atol=1e-14)


def test_equal_votes_go_to_the_class_that_sorts_first():
    X, y = [[-1.0], [1.0]], np.array(["red", "blue"])
    assert KNeighborsClassifier(2).fit(X, y).predict([[0.0]]) == ["blue"]
    assert KNeighborsClassifier(2, weights="distance").fit(X, y).predict([[0.0]]) == ["blue"]
    assert KNeighborsClassifier(2, weights="distance").fit(X, y).predict([[-0.5]]) == ["red"]


def test_rows_at_distance_zero_alone_count():
    X, y = [[0.0], [0.0], [1.0], [2.0]], [1.0, 2.0, 100.0, 100.0]
    assert KNeighborsRegressor(4, weights="distance").fit(X, y).predict([[0.0]]) == [1.5]
    shares = KNeighborsClassifier(4, weights="distance").fit(X, [0, 1, 1, 1]).predict_proba([[0.0]])
    np.testing.assert_array_equal(shares, [[0.5, 0.5]])


def test_several_outputs():
    rng = np.random.default_rng(1)
    X, Y = rng.normal(size=(80, 3)), np.column_stack([rng.integers(0, 2, 80), rng.integers(0, 5, 80)])
    model = KNeighborsClassifier().fit(X, Y)
    singles = [KNeighborsClassifier().fit(X, Y[:, j]) for j in range(2)]
    np.testing.assert_array_equal(model.predict(X), np.column_stack([one.predict(X) for one in singles]))
    for shares, one in zip(model.predict_proba(X), singles, strict=True):
        np.testing.assert_array_equal(shares, one.predict_proba(X))
    assert model.outputs_2d_ and [len(c) for c in model.classes_] == [2, 5]
    assert KNeighborsRegressor().fit(X, Y.astype(float)).predict(X).shape == (80, 2)


@pytest.mark.parametrize("model", [KNeighborsClassifier(4), KNeighborsRegressor(4, weights="distance")], ids=str)
def test_none_predicts_every_row_from_the_others(model):
    X, y = make_classification(60, random_state=0)
    np.testing.assert_allclose(model.fit(X, y).predict(None), cross_val_predict(model, X, y, cv=LeaveOneOut()))


def mean_score(model, X, y, cv, scoring):
    if cv is not None:
        return cross_val_score(model, X, y, cv=cv, scoring=scoring).mean()
    left_out = model.fit(X, y).predict(None)
    return np.mean(left_out == y) if scoring == "accuracy" else -np.mean((left_out - y) ** 2)


@pytest.mark.parametrize("weights", ["uniform", "distance", fading], ids=name)
@pytest.mark.parametrize("cv", [None, 4, KFold(3, shuffle=True, random_state=0)], ids=str)
def test_the_number_of_neighbors_is_chosen_as_by_fitting_again_and_again(weights, cv):
    candidates = [9, 1, 4, 20]
    rng = np.random.default_rng(2)
    X = rng.normal(size=(40, 3))
    y = (X[:, 0] + 0.5 * rng.normal(size=40) > 0).astype(int)
    for ours, theirs, target, scoring in [
        (KNeighborsClassifier, sklearn.neighbors.KNeighborsClassifier, y, "accuracy"),
        (KNeighborsRegressor, sklearn.neighbors.KNeighborsRegressor, X[:, 0] + y, "neg_mean_squared_error"),
    ]:
        model = ours(candidates, weights=weights, cv=cv).fit(X, target)
        expected = [mean_score(theirs(k, weights=weights), X, target, cv, scoring) for k in candidates]
        np.testing.assert_allclose(model.cv_scores_, expected, rtol=1e-10)
        assert model.n_neighbors_ == candidates[int(np.argmax(expected))]
        assert model.best_score_ == model.cv_scores_.max()
        np.testing.assert_array_equal(model.candidates_, candidates)
        plain = ours(model.n_neighbors_, weights=weights).fit(X, target)
        np.testing.assert_array_equal(model.predict(X), plain.predict(X))


def test_the_usual_numbers_and_precomputed_folds():
    X, y = load_iris(return_X_y=True)
    model = KNeighborsClassifier("cv").fit(X, y)
    assert list(model.candidates_) == [1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100]
    D = cdist(X, X)
    for cv in (None, 5):
        given = KNeighborsClassifier("cv", metric="precomputed", cv=cv).fit(D, y)
        np.testing.assert_allclose(given.cv_scores_, KNeighborsClassifier("cv", cv=cv).fit(X, y).cv_scores_, rtol=1e-12)
    assert KNeighborsClassifier("cv").fit(X[:4], [0, 0, 1, 1]).candidates_.max() == 3


def test_several_outputs_choose_together():
    X, y = load_diabetes(return_X_y=True)
    Y = np.column_stack([y, 2 * y])
    one, two = KNeighborsRegressor([2, 10]).fit(X, y), KNeighborsRegressor([2, 10]).fit(X, Y)
    np.testing.assert_allclose(two.cv_scores_, 2.5 * one.cv_scores_, rtol=1e-12)
    codes = np.column_stack([y > 100, y > 200])
    both = KNeighborsClassifier([5]).fit(X, codes)
    right = (KNeighborsClassifier(5).fit(X, codes).predict(None) == codes).all(axis=1).mean()
    assert both.best_score_ == pytest.approx(right, rel=1e-15)


def test_a_given_number_may_be_changed_after_the_fit():
    X, y = load_iris(return_X_y=True)
    model = KNeighborsClassifier(30).fit(X, y)
    assert not hasattr(model, "n_neighbors_")
    model.set_params(n_neighbors=1)
    np.testing.assert_array_equal(model.predict(X), y)


def test_single_precision_and_sparse_rows():
    X, y = load_iris(return_X_y=True)
    single = KNeighborsClassifier().fit(X.astype(np.float32), y)
    assert single.predict_proba(X.astype(np.float32)).dtype == np.float32
    assert single.X_fit_.dtype == np.float32
    sparse = KNeighborsRegressor().fit(sp.csr_array(X), y)
    np.testing.assert_array_equal(sparse.predict(sp.csr_array(X)), KNeighborsRegressor().fit(X, y).predict(X))


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"n_neighbors": [0, 3]}, "of whole numbers ≥ 1"),
        ({"n_neighbors": []}, "of whole numbers ≥ 1"),
        ({"n_neighbors": [3, 10]}, "9 training rows"),
        ({"n_neighbors": 0}, "≥ 1"),
        ({"weights": "none"}, "weights"),
        ({"metric": "nothing"}, "metric"),
        ({"metric": 3}, "name of a metric"),
    ],
    ids=str,
)
def test_parameters_that_cannot_be(settings, words):
    with pytest.raises(ValueError, match=words):
        KNeighborsClassifier(**settings).fit(np.arange(10.0)[:, None], np.arange(10) % 2)


def test_functions_of_distances_that_give_nothing():
    X, y = np.arange(10.0)[:, None], np.arange(10) % 2
    with pytest.raises(ValueError, match="zero weights"):
        KNeighborsClassifier(weights=np.zeros_like).fit(X, y).predict(X)
    with pytest.raises(ValueError, match="of the shape"):
        KNeighborsClassifier(weights=np.sum).fit(X, y).predict(X)


def test_too_few_rows_for_the_neighbors_asked_for():
    with pytest.raises(ValueError, match="n_neighbors = 5, n_samples_fit = 3"):
        KNeighborsClassifier().fit(np.eye(3), [0, 1, 1]).predict(np.eye(3))


def test_predictions_for_rows_in_files(tmp_path):
    X, y = load_iris(return_X_y=True)
    frame = pd.DataFrame(X, columns=list("abcd"))
    frame.to_parquet(tmp_path / "rows.parquet")
    for model, target in [(KNeighborsClassifier(), y), (KNeighborsRegressor(), X[:, 0] * y)]:
        model.fit(frame, target)
        np.testing.assert_array_equal(model.predict(tmp_path / "rows.parquet"), model.predict(frame))
    with pytest.raises(CannotStream, match="rows in memory"):
        KNeighborsClassifier().fit(tmp_path / "rows.parquet", "a")


def test_fitting_again_forgets_the_number_chosen():
    X, y = load_iris(return_X_y=True)
    model = KNeighborsClassifier([1, 7]).fit(X, y)
    model.set_params(n_neighbors=3).fit(X, y)
    assert not {"n_neighbors_", "candidates_", "cv_scores_", "best_score_"} & vars(model).keys()


def test_certify_takes_one_column_of_labels():
    X = np.random.default_rng(0).normal(size=(40, 2))
    model = KNeighborsClassifier().fit(X, X > 0)
    with pytest.raises(CertificateError, match="2 targets; certify takes one column"):
        model.certify(X, X > 0)
