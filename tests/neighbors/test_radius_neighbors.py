"""Votes and means of all rows within a radius, against scikit-learn and by hand."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.neighbors

from surefit._core.errors import InvalidData, InvalidParameter
from surefit.neighbors import RadiusNeighborsClassifier, RadiusNeighborsRegressor

LINE = np.array([[0.0], [1.0], [2.0], [3.0]])


def decaying(distances):
    return (1 + distances) ** -2


def problem(seed):
    """Rows with ties and duplicates or without; queries at rows, between them and far away."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 6, size=(60, 2)).astype(float) if seed % 2 else rng.normal(size=(60, 3))
    Q = np.vstack([X[:20], X[:9] + 0.3, X[:2] + 50])
    return X, Q, rng.integers(0, 3, size=(60, 2)), rng.normal(size=(60, 2)), float(rng.uniform(0.5, 2))


@pytest.mark.filterwarnings("ignore:Outlier label", "ignore:One or more samples")
@pytest.mark.parametrize("weights", ["uniform", "distance", decaying])
def test_scikit_learn_s_answers(weights):
    for seed in range(20):
        X, Q, y, t, radius = problem(seed)
        for label in (-1, 1, "most_frequent"):
            settings = {"weights": weights, "outlier_label": label}
            ours = RadiusNeighborsClassifier(radius, **settings)
            theirs = sklearn.neighbors.RadiusNeighborsClassifier(radius, **settings)
            shares = theirs.fit(X, y[:, 0]).predict_proba(Q)
            np.testing.assert_allclose(ours.fit(X, y[:, 0]).predict_proba(Q), shares, atol=1e-12)
            sure = np.diff(np.sort(shares, axis=1)[:, -2:], axis=1)[:, 0] > 1e-9
            np.testing.assert_array_equal(ours.predict(Q)[sure], theirs.predict(Q)[sure])
            assert ours.outlier_label_ == theirs.outlier_label_
            for a, b in zip(ours.fit(X, y).predict_proba(Q), theirs.fit(X, y).predict_proba(Q), strict=True):
                np.testing.assert_allclose(a, b, atol=1e-12)
        for target in (t, t[:, 0]):
            ours = RadiusNeighborsRegressor(radius, weights=weights).fit(X, target)
            theirs = sklearn.neighbors.RadiusNeighborsRegressor(radius, weights=weights).fit(X, target)
            np.testing.assert_allclose(ours.predict(Q), theirs.predict(Q), atol=1e-12)


def test_by_hand():
    """1.5 has the neighbors 1 and 2 at ½ each; 0.25 has 0 at ¼ and 1 at ¾: weights 4 and 4/3."""
    means = RadiusNeighborsRegressor(1.0, weights="distance").fit(LINE, [0.0, 6.0, 2.0, 9.0])
    np.testing.assert_allclose(means.predict([[1.5], [0.25], [1.0]]), [4.0, 1.5, 6.0], rtol=1e-15)
    votes = RadiusNeighborsClassifier(1.0).fit(LINE, ["b", "a", "b", "a"])
    np.testing.assert_array_equal(votes.predict([[1.5], [0.0], [2.0]]), ["a", "a", "a"])
    np.testing.assert_allclose(votes.predict_proba([[2.0]]), [[2 / 3, 1 / 3]])
    np.testing.assert_array_equal(votes.predict(None), ["a", "b", "a", "b"])


def test_queries_without_neighbors():
    far = [[9.0], [0.0]]
    with pytest.raises(InvalidData, match="No neighbors found for test samples"):
        RadiusNeighborsClassifier(0.5).fit(LINE, [0, 0, 0, 1]).predict(far)
    most = RadiusNeighborsClassifier(0.5, outlier_label="most_frequent").fit(LINE, [1, 0, 0, 1])
    np.testing.assert_array_equal(most.predict(far), [0, 1])
    longer = RadiusNeighborsClassifier(0.5, outlier_label="somewhere").fit(LINE, ["a", "a", "b", "b"])
    np.testing.assert_array_equal(longer.predict(far), ["somewhere", "a"])
    with pytest.warns(UserWarning, match="not in training classes"):
        np.testing.assert_array_equal(longer.predict_proba(far), [[0, 0], [1, 0]])
    with pytest.warns(UserWarning, match="predicting NaN"):
        np.testing.assert_array_equal(RadiusNeighborsRegressor(0.5).fit(LINE, LINE[:, 0]).predict(far), [np.nan, 0])


def test_what_is_refused():
    y = [0, 0, 1, 1]
    with pytest.raises(TypeError, match="inconsistent with classes"):
        RadiusNeighborsClassifier(outlier_label="a").fit(LINE, y)
    with pytest.raises(InvalidData, match="length of outlier_label"):
        RadiusNeighborsClassifier(outlier_label=[0, 1]).fit(LINE, y)
    with pytest.raises(InvalidParameter, match="radius"):
        RadiusNeighborsRegressor(-1.0).fit(LINE, y)
    with pytest.raises(InvalidData, match="zero weights"):
        RadiusNeighborsClassifier(weights=lambda d: [0 * one for one in d]).fit(LINE, y).predict(LINE)
    with pytest.raises(InvalidData, match="same lengths"):
        RadiusNeighborsRegressor(weights=lambda d: [one[:1] for one in d]).fit(LINE, y).predict(LINE)


def test_metrics_sparse_rows_and_given_distances_agree():
    X, _, y, t, _ = problem(1)
    D = sklearn.metrics.pairwise_distances(X, metric="manhattan")
    wanted = RadiusNeighborsRegressor(1.5, metric="manhattan").fit(X, t).predict(X)
    given = RadiusNeighborsRegressor(1.5, metric="precomputed").fit(D, t).predict(D)
    sparse = RadiusNeighborsRegressor(1.5, metric="manhattan").fit(sp.csr_array(X), t).predict(sp.csr_array(X))
    np.testing.assert_array_equal(given, wanted)
    np.testing.assert_allclose(sparse, wanted, rtol=1e-15)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert RadiusNeighborsClassifier(1.5).fit(X, y[:, 0]).score(X, y[:, 0]) > 0.3
