"""Clusterings of halves of the rows, and the clusters of rows that were not seen."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_iris, make_moons
from sklearn.metrics import adjusted_rand_score

from surefit.cluster import DBSCAN, AgglomerativeClustering, KMeans
from surefit.mixture import GaussianMixture
from surefit.model_selection.clusterings.assign import assigned
from surefit.model_selection.clusterings.stability import PAIRS, _best_overlap, stability

IRIS = load_iris().data
RNG = np.random.default_rng(0)


class Sides:
    """Two clusters: left and right of a place."""

    def __init__(self, place):
        self.place = place

    def predict(self, rows):
        return (rows[:, 0] > self.place).astype(int)


def test_new_rows_of_dbscan_by_its_definition():
    X, new = make_moons(200, noise=0.05, random_state=0)[0], RNG.uniform(-1.5, 2.5, size=(300, 2))
    model = DBSCAN(eps=0.2, min_samples=6).fit(X)
    core = model.core_sample_indices_
    distances = np.linalg.norm(new[:, None] - X[core], axis=2)
    expected = np.where(distances.min(axis=1) <= 0.2, model.labels_[core[distances.argmin(axis=1)]], -1)
    np.testing.assert_array_equal(assigned(model, X, new), expected)
    assert set(expected) == {-1, 0, 1}
    nothing = DBSCAN(eps=1e-9).fit(X)
    np.testing.assert_array_equal(assigned(nothing, X, new), np.full(300, -1))


def test_new_rows_of_others():
    new = IRIS[::3] + 0.01
    ward = AgglomerativeClustering(3).fit(IRIS)
    nearest = np.linalg.norm(new[:, None] - IRIS, axis=2).argmin(axis=1)
    np.testing.assert_array_equal(assigned(ward, IRIS, new), ward.labels_[nearest])
    for model in (KMeans(3, random_state=0).fit(IRIS), GaussianMixture(3, random_state=0).fit(IRIS)):
        np.testing.assert_array_equal(assigned(model, IRIS, new), model.predict(new))


def test_the_same_clusters_from_every_half_are_stable():
    X = RNG.normal(size=(200, 2))
    found = stability(lambda rows: Sides(0.0), X, Sides(0.0).predict(X))
    assert found.pairs.tolist() == [1.0] * PAIRS and found.clusters.tolist() == [1.0, 1.0] and found.half_rows == 100


def test_clusters_that_follow_the_half_are_not():
    """A cut at the median of each half's noise: what two halves say of the common rows is known."""
    X = RNG.normal(size=(100, 1))
    places = []

    def fit(rows):
        places.append(float(np.median(rows)))
        return Sides(places[-1])

    found = stability(fit, X, Sides(0.0).predict(X), seed=5)
    assert len(places) == 2 * PAIRS
    said = [Sides(place).predict(X) for place in places]
    expected = [adjusted_rand_score(said[2 * i], said[2 * i + 1]) for i in range(PAIRS)]
    np.testing.assert_allclose(found.pairs, expected)
    assert 0 < found.mean < 1 and ((0 < found.clusters) & (found.clusters < 1)).all()


def test_halves_are_disjoint_and_drawn_by_the_seed():
    X, seen = np.arange(60.0)[:, None], []

    def fit(rows):
        seen.append(set(rows[:, 0]))
        return Sides(30.0)

    labels = Sides(30.0).predict(X)
    stability(fit, X, labels, seed=1)
    assert all(not seen[i] & seen[i + 1] and len(seen[i] | seen[i + 1]) == 60 for i in range(0, 2 * PAIRS, 2))
    first, seen[:] = list(seen), []
    stability(fit, X, labels, seed=1)
    assert seen == first
    seen.clear()
    stability(fit, X, labels, seed=2)
    assert seen != first


def test_planted_clusters_and_none():
    X = RNG.normal(size=(300, 2)) + 12.0 * np.repeat(np.arange(3), 100)[:, None]
    labels = np.repeat(np.arange(3), 100)
    found = stability(lambda rows: KMeans(3, n_init=5, random_state=0).fit(rows), X, labels)
    assert found.mean == 1.0 and found.clusters.tolist() == [1.0] * 3
    flat = RNG.uniform(size=(300, 2))
    model = KMeans(7, random_state=0).fit(flat)
    assert stability(lambda rows: KMeans(7, random_state=0).fit(rows), flat, model.labels_).mean < 0.7


def test_where_halves_say_nothing():
    X = RNG.normal(size=(30, 2))
    assert stability(lambda rows: Sides(0.0), X, np.zeros(30, dtype=int)) is None
    assert stability(lambda rows: Sides(0.0), X[:10], np.arange(10) % 2) is None


@pytest.mark.parametrize(("labels", "expected"), [([0, 0, 1, 1], 1.0), ([0, 1, 1, 1], 0.5), ([-1, -1, -1, -1], 0.0)])
def test_the_jaccard_index_of_a_cluster(labels, expected):
    """{0, 1} with {0, 1}; with {0} or {1, 2, 3}: 1/2 or 1/4; with no cluster."""
    assert _best_overlap(np.array([True, True, False, False]), np.array(labels)) == expected
