"""GammaIndex: mean distances, the threshold, ranks."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial import KDTree
from scipy.spatial.distance import cdist

from surefit.neighbors import GammaIndex


def test_gamma_is_the_mean_distance_to_the_nearest_others():
    X = np.random.default_rng(0).normal(size=(400, 3))
    distances = KDTree(X).query(X, 8)[0][:, 1:]
    np.testing.assert_allclose(GammaIndex(7).fit(X).gamma_, distances.mean(axis=1), rtol=1e-13)


def test_new_rows_and_their_ranks():
    rng = np.random.default_rng(1)
    X, Q = rng.normal(size=(300, 2)), 2 * rng.normal(size=(50, 2))
    model = GammaIndex(4).fit(X)
    gamma = KDTree(X).query(Q, 4)[0].mean(axis=1)
    np.testing.assert_allclose(model.score_samples(Q), -gamma, rtol=1e-13)
    np.testing.assert_array_equal(model.predict(Q), np.where(gamma > model.threshold_, -1, 1))
    np.testing.assert_allclose(model.rank(Q), (model.gamma_[None] < gamma[:, None]).mean(axis=1))


@pytest.mark.parametrize("contamination", [0.0, 0.05, 0.1, 0.33, 0.5])
def test_the_largest_are_outliers(contamination):
    X = np.random.default_rng(2).normal(size=(101, 2))
    model = GammaIndex(contamination=contamination).fit(X)
    outliers = np.flatnonzero(model.fit_predict(X) == -1)
    largest = np.argsort(model.gamma_)[len(X) - int(np.floor(contamination * 101)) :]
    np.testing.assert_array_equal(outliers, np.sort(largest))
    assert model.offset_ == -model.threshold_


def test_ties_at_the_threshold_are_inliers():
    X = np.arange(10.0)[:, None]  # each row has a neighbor at distance 1
    assert (GammaIndex(1, contamination=0.3).fit_predict(X) == 1).all()


def test_training_rows_have_the_same_gamma_again():
    rng = np.random.default_rng(3)
    X = rng.integers(0, 6, (200, 2)).astype(float)  # with rows that are repeated
    model = GammaIndex(3).fit(X)
    np.testing.assert_array_equal(-model.score_samples(X), model.gamma_)
    np.testing.assert_array_equal(-model.score_samples(None), model.gamma_)
    np.testing.assert_array_equal(model.predict(X), model.fit_predict(X))


def test_any_metric():
    rng = np.random.default_rng(4)
    X = rng.normal(size=(60, 3))
    expected = np.sort(cdist(X, X, "cityblock"), axis=1)[:, 1:4].mean(axis=1)
    for settings in ({"metric": "manhattan"}, {"p": 1}, {"metric": lambda a, b: np.abs(a - b).sum()}):
        np.testing.assert_allclose(GammaIndex(3, **settings).fit(X).gamma_, expected, rtol=1e-13)
    given = GammaIndex(3, metric="precomputed").fit(cdist(X, X, "cityblock"))
    np.testing.assert_allclose(given.gamma_, expected, rtol=1e-13)


def test_more_neighbors_than_others():
    with pytest.raises(ValueError, match="n_neighbors < n_samples_fit"):
        GammaIndex(5).fit(np.eye(5))
