"""Pictures of clusters of any shape, of k-distances and of reachability."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import make_moons

from surefit._core.errors import InvalidData
from surefit.cluster import DBSCAN
from surefit.plot import ClustersDisplay, KDistanceDisplay, ReachabilityDisplay
from surefit.solvers.clustering.k_distance import k_distances, knee

X, _ = make_moons(200, noise=0.06, random_state=0)
MODEL = DBSCAN(eps=0.2, min_samples=5).fit(X)


def test_every_row_is_drawn_once():
    display = ClustersDisplay.from_estimator(MODEL, X)
    assert sum(len(one.get_offsets()) for one in display.ax_.collections) == 200
    assert len(display.noise_.get_offsets()) == (MODEL.labels_ < 0).sum()
    np.testing.assert_array_equal(display.points, X)


def test_more_columns_are_drawn_on_two_components_and_some_rows_with_their_labels():
    Z = np.column_stack([X, np.zeros(200)])
    rows = np.arange(0, 200, 2)
    display = ClustersDisplay.from_estimator(MODEL, Z[rows], rows=rows)
    np.testing.assert_array_equal(display.labels, MODEL.labels_[rows])
    centered = X[rows] - X[rows].mean(axis=0)
    np.testing.assert_allclose(np.linalg.norm(display.points, axis=1), np.linalg.norm(centered, axis=1), atol=1e-12)
    assert ClustersDisplay.from_estimator(MODEL, X[:, :1]).points.shape == (200, 2)


def test_the_knee_is_marked():
    display = KDistanceDisplay.from_data(X, min_samples=5)
    assert display.eps == knee(k_distances(X, 5))
    assert display.mark_.get_ydata()[0] == display.eps
    assert len(display.line_.get_ydata()) == 200
    assert KDistanceDisplay.from_data(X, eps=0.3).eps == 0.3


def test_reachability_has_the_rows_in_the_colors_of_their_clusters():
    display = ReachabilityDisplay.from_estimator(MODEL, X)
    assert sorted(display.labels.tolist()) == sorted(MODEL.labels_.tolist())
    assert display.eps == 0.2 and np.isinf(display.radii[0])
    with pytest.raises(InvalidData, match="at most 3000"):
        ReachabilityDisplay.from_estimator(MODEL, np.zeros((3001, 2)))


def test_shapes_are_checked():
    with pytest.raises(InvalidData, match="two columns"):
        ClustersDisplay(points=np.zeros((3, 3)), labels=np.zeros(3))
    with pytest.raises(InvalidData, match="one-dimensional"):
        KDistanceDisplay(distances=np.zeros((2, 2)), min_samples=5)
    with pytest.raises(InvalidData, match="label"):
        ReachabilityDisplay(radii=np.zeros(3), labels=np.zeros(2))
