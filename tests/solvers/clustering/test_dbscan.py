"""Cells, leaves, streamed neighborhoods and graphs: all find the clusters of the definition."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.spatial.distance import cdist

from surefit import _native
from surefit.search import build_index, resolve_metric
from surefit.solvers.clustering import dbscan_stream
from surefit.solvers.clustering.dbscan import NORMS, find_clusters
from surefit.solvers.clustering.dbscan_graph import clusters_of_graph
from surefit.solvers.clustering.dbscan_stream import clusters_of_blocks, join, numbered
from tests.reference.dbscan import dbscan, near

KINDS = ["grid with ties", "normal", "offset", "duplicates, float32", "clusters"]


def problem(seed: int):
    """Rows, eps, min_samples and weights: whole numbers with eps on distances, offsets of 1e8, duplicates, float32."""
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(1, 130)), int(rng.integers(1, 8))
    kind = KINDS[seed % len(KINDS)]
    if kind == "grid with ties":
        X = rng.integers(0, rng.integers(2, 9), size=(n, d)).astype(float)
        eps = float(rng.choice([1, np.sqrt(2), np.sqrt(3), 2, np.sqrt(5), 3, 1.5]))
    elif kind == "offset":
        X, eps = rng.normal(size=(n, d)).round(1) + 1e8, float(rng.uniform(0.05, 1.5))
    elif kind == "duplicates, float32":
        X = rng.normal(size=(n, d)).astype(np.float32)[rng.integers(n, size=n)]
        eps = float(10 ** rng.uniform(-1, 1))
    else:
        X = rng.normal(size=(n, d)) + (5 * rng.integers(0, 3, size=(n, 1)) if kind == "clusters" else 0)
        eps = float(10 ** rng.uniform(-1.5, 0.7))
    w = rng.integers(-1 if seed % 2 else 0, 4, size=n).astype(float) if seed % 3 == 0 else None
    return X, eps, int(rng.integers(1, 9)), w


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("grid", [True, False])
def test_cells_and_leaves_are_the_definition(norm, grid):
    for seed in range(120):
        X, eps, min_samples, w = problem(seed)
        labels, core = dbscan(X, eps, min_samples, w, norm)
        for n_threads in (1, 2):
            got = _native.dbscan(X, w, NORMS[norm], eps, False, float(min_samples), grid, n_threads)
            np.testing.assert_array_equal(got[0], labels, err_msg=f"{seed} {n_threads}")
            np.testing.assert_array_equal(got[1], core, err_msg=f"{seed} {n_threads}")
            assert got[2] == len(set(labels[labels >= 0]))


@pytest.mark.parametrize("kept", [2**22, 0])
def test_streamed_neighborhoods_are_the_definition(kept, monkeypatch):
    monkeypatch.setattr(dbscan_stream, "KEPT_NEIGHBORS", kept)
    for seed in range(40):
        X, eps, min_samples, w = problem(seed)
        labels, core = dbscan(X, eps, min_samples, w)
        index = build_index(X, resolve_metric("sqeuclidean"))
        got = clusters_of_blocks(index, X, eps * eps, min_samples, w)
        np.testing.assert_array_equal(got[0], labels)
        np.testing.assert_array_equal(got[1], core)


def test_given_distances_are_the_definition():
    for seed in range(40):
        X, eps, min_samples, w = problem(seed)
        D = np.where(near(X, eps), 1.0, 3.0)
        labels, core = dbscan(X, eps, min_samples, w)
        for given in (D, sp.csr_array(D), sp.csr_array(D - np.diag(np.diag(D)))):
            got = clusters_of_graph(given, 2.0, min_samples, w)
            np.testing.assert_array_equal(got[0], labels)
            np.testing.assert_array_equal(got[1], core)


def test_one_way_distances_follow_their_rows():
    """0 → 1 → 2 and nothing back: from 0 all are reached; in the other order each row reaches what has no cluster."""
    D = np.full((3, 3), 9.0)
    D[0, 1] = D[1, 2] = D[0, 0] = D[1, 1] = D[2, 2] = 0.0
    np.testing.assert_array_equal(clusters_of_graph(D, 1.0, 1, None)[0], [0, 0, 0])
    np.testing.assert_array_equal(clusters_of_graph(D[::-1, ::-1], 1.0, 1, None)[0], [0, 1, 2])


def test_joined_and_numbered():
    sets = join(np.arange(6), np.array([5, 1]), np.array([0, 3]))
    labels, n_clusters = numbered(sets, np.array([True, True, False, True, True, True]))
    np.testing.assert_array_equal(labels, [0, 1, -1, 1, 2, 0])
    assert n_clusters == 3


@pytest.mark.parametrize("metric", ["manhattan", "chebyshev", "minkowski", "cosine", "sqeuclidean", "canberra"])
def test_every_metric(metric):
    X = np.random.default_rng(0).normal(size=(80, 3))
    D = cdist(X, X, {"manhattan": "cityblock"}.get(metric, metric), **({"p": 3} if metric == "minkowski" else {}))
    eps = float(np.quantile(D, 0.04))
    found = find_clusters(X, eps, 4, resolve_metric(metric, p=3))
    wanted = clusters_of_graph(D, eps, 4, None)
    np.testing.assert_array_equal(found.labels, wanted[0])
    np.testing.assert_array_equal(found.core, wanted[1])


@pytest.mark.parametrize("metric", ["cosine", "correlation", "sqeuclidean"])
def test_sums_of_squares_are_decided_as_the_search_decides_them(metric):
    """Whole numbers with many equal angles and rows of zeros; the stream compares the distances of the search."""
    for seed in range(20):
        rng = np.random.default_rng(seed)
        X = rng.integers(-1, 3, size=(70, 3)).astype(np.float64 if seed % 2 else np.float32)
        named = resolve_metric(metric)
        eps = float(np.quantile(named.pairwise(X, X), 0.1)) or 0.05
        found = find_clusters(X, eps, 4, named)
        wanted = clusters_of_blocks(build_index(X, named), X, eps, 4, None)
        np.testing.assert_array_equal(found.labels, wanted[0])
        np.testing.assert_array_equal(found.core, wanted[1])


def test_sparse_rows_too_large_to_be_dense(monkeypatch):
    X = np.where(np.random.default_rng(1).random((60, 5)) < 0.6, 0.0, 1.0) * np.arange(1, 6)
    for metric in ("euclidean", "manhattan"):
        wanted = find_clusters(X, np.sqrt(3), 3, resolve_metric(metric))
        monkeypatch.setattr("surefit.solvers.clustering.dbscan.DENSE_BYTES", 0)
        found = find_clusters(sp.csr_array(X), np.sqrt(3), 3, resolve_metric(metric))
        np.testing.assert_array_equal(found.labels, wanted.labels)
        monkeypatch.undo()


def test_large_cells_that_almost_touch():
    """Thousands of rows on each side of a gap of almost eps: found by halving, with and without one near pair."""
    rng = np.random.default_rng(0)
    left = np.column_stack([-0.3 * rng.random(3000), rng.random(3000)])
    right = np.column_stack([1.0 + 0.3 * rng.random(3000), rng.random(3000)])
    bridge = np.array([[0.0, 0.5], [1.0, 0.5]])
    for X, n_clusters in ((np.vstack([left - 1e-3, right]), 2), (np.vstack([left, right, bridge]), 1)):
        assert find_clusters(X, 1.0, 5, resolve_metric("euclidean")).n_clusters == n_clusters


@pytest.mark.parametrize("size", [1e-300, 1e-160, 1e160, 1e300])
def test_units_do_not_matter(size):
    X = np.random.default_rng(0).normal(size=(100, 3))
    wanted = find_clusters(X, 0.7, 4, resolve_metric("euclidean"))
    found = find_clusters(X * size, 0.7 * size, 4, resolve_metric("euclidean"))
    np.testing.assert_array_equal(found.labels, wanted.labels)
    assert found.n_clusters > 1


def test_eps_that_is_huge_tiny_or_infinite():
    X = np.random.default_rng(0).normal(size=(50, 2))
    for eps in (1e3, 1e300, np.inf):
        assert (find_clusters(X, eps, 5, resolve_metric("euclidean")).labels == 0).all()
    for eps in (1e-12, 1e-300):
        assert (find_clusters(X, eps, 2, resolve_metric("euclidean")).labels == -1).all()
    far = np.vstack([X, [[1e200, -1e200]]])  # no grid has so many cells
    labels = find_clusters(far, 0.8, 3, resolve_metric("euclidean")).labels
    np.testing.assert_array_equal(labels[:-1], find_clusters(X, 0.8, 3, resolve_metric("euclidean")).labels)
    assert labels[-1] == -1
