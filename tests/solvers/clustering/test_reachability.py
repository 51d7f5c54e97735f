"""Reachability against scikit-learn's OPTICS, and against the clusters of DBSCAN."""

from __future__ import annotations

import numpy as np
from sklearn.cluster import OPTICS

from surefit.cluster import DBSCAN
from surefit.search import resolve_metric
from surefit.solvers.clustering.reachability import reachability


def test_order_and_radii_are_those_of_optics():
    for seed in range(5):
        X = np.random.default_rng(seed).normal(size=(80, 2))
        order, radii = reachability(X, 5, resolve_metric("euclidean"))
        theirs = OPTICS(min_samples=5).fit(X)
        np.testing.assert_array_equal(order, theirs.ordering_)
        np.testing.assert_allclose(radii, theirs.reachability_, rtol=1e-12)


def test_core_rows_of_a_cluster_are_a_run_below_eps():
    X = np.random.default_rng(0).normal(size=(150, 2)) + np.repeat([[0, 0], [6, 0], [0, 6]], 50, axis=0)
    model = DBSCAN(eps=0.7, min_samples=5).fit(X)
    order, radii = reachability(X, 5, resolve_metric("euclidean"))
    runs = np.cumsum(radii[order] > 0.7)  # a new run starts where the radius is larger
    core = np.isin(order, model.core_sample_indices_)
    pairs = set(zip(runs[core].tolist(), model.labels_[order][core].tolist(), strict=True))
    assert len(pairs) == model.n_clusters_ == len({label for _, label in pairs})
