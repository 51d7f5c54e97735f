"""k-distances and their knee."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from surefit.cluster import DBSCAN
from surefit.solvers.clustering.k_distance import k_distances, knee, knee_radius


def test_k_distances_are_sorted_columns_of_the_distances():
    X = np.random.default_rng(0).normal(size=(70, 3))
    D = np.sort(cdist(X, X), axis=1)
    np.testing.assert_allclose(k_distances(X, 4), np.sort(D[:, 3]), rtol=1e-14)
    np.testing.assert_allclose(k_distances(X, 100), np.sort(D[:, -1]), rtol=1e-14)  # there are no more than 70


def test_a_row_is_core_from_its_k_distance_on():
    X = np.random.default_rng(1).normal(size=(60, 2))
    curve = k_distances(X, 5)
    for place in (5, 30, 59):
        just_above = curve[place] * (1 + 1e-12)
        assert len(DBSCAN(eps=just_above, min_samples=5).fit(X).core_sample_indices_) == place + 1


def test_some_rows_stand_for_all():
    X = np.random.default_rng(2).normal(size=(500, 2))
    few, all_rows = k_distances(X, 5, most_rows=100), k_distances(X, 5)
    assert len(few) == 100 and np.isin(few, all_rows).all()


def test_knee_of_two_lines():
    """Slope 1 for ten steps, then 10: the corner is farthest below the chord."""
    assert knee(np.r_[np.arange(10.0), 9 + 10 * np.arange(1, 6)]) == 9.0
    assert knee(np.array([2.0])) == 2.0


def test_a_radius_is_positive():
    X = np.r_[np.zeros((50, 2)), np.ones((5, 2))]
    assert knee_radius(X, 5) > 0
    assert knee_radius(np.zeros((9, 2)), 5) == 1.0
    assert knee_radius(np.r_[np.zeros((50, 2)), [[3.0, 4.0]]], 5) == pytest.approx(5.0)
