"""Graphs of neighbors, shortest paths, local weights, alignment matrices, against definitions and other libraries."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.sparse.csgraph import shortest_path
from scipy.spatial.distance import cdist, pdist

from surefit._core.errors import InvalidData
from surefit.graphs import connected_components
from surefit.search.metric import resolve_metric
from surefit.solvers.embedding.alignment import alignment_matrix, batches
from surefit.solvers.embedding.geodesics import Paths, joined, residual_variance
from surefit.solvers.embedding.local_weights import local_weights, null_vector, rebuilt, weights_matrix
from surefit.solvers.embedding.neighborhoods import Neighborhoods
from tests.reference import stress as reference

EUCLIDEAN = resolve_metric("euclidean")


def roll(n=300, seed=0):
    rng = np.random.default_rng(seed)
    t = 1.5 * np.pi * (1 + 2 * rng.uniform(size=n))
    return np.column_stack([t * np.cos(t), 21 * rng.uniform(size=n), t * np.sin(t)])


@pytest.mark.parametrize("how", [(6, None), (None, 6.0)], ids=["k", "radius"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_paths_are_scipys(how, dtype):
    graph = Neighborhoods(roll(), EUCLIDEAN, *how).graph()
    D = Paths(graph).between_all(dtype=dtype)
    theirs = shortest_path(graph, directed=False, method="D")
    np.testing.assert_array_equal(D, theirs.astype(dtype))
    np.testing.assert_allclose(Paths(graph).between_all("FW"), theirs, rtol=1e-12)
    np.testing.assert_array_equal(Paths(graph).from_sources(np.array([7, 3]), dtype), D[[7, 3]])


@pytest.mark.parametrize("lengths", ["random", "zeros", "mixed", "tiny", "long"])
def test_paths_on_random_graphs(lengths):
    """Lengths of zero, of very different sizes, near the least numbers; and nodes that no path leads to."""
    rng = np.random.default_rng(0)
    n = 120
    heads, tails = rng.integers(0, n, (2, 260))
    keep = heads != tails
    edge = rng.uniform(size=keep.sum())
    edge = {
        "random": edge,
        "zeros": np.where(edge < 0.5, 0.0, edge),
        "mixed": 10.0 ** (12 * edge - 6),
        "tiny": edge * 1e-310,
        "long": np.where(edge > 0.99, 1e9, edge),
    }[lengths]
    indptr = np.concatenate([[0], np.cumsum(np.bincount(heads[keep], minlength=n))])
    order = np.argsort(heads[keep], kind="stable")
    paths = Paths(sp.csr_array((edge[order], tails[keep][order], indptr), shape=(n, n)))
    D = np.full((n, n), np.inf)
    np.fill_diagonal(D, 0.0)
    G = paths.graph
    for i in range(n):
        D[i, G.indices[G.indptr[i] : G.indptr[i + 1]]] = G.data[G.indptr[i] : G.indptr[i + 1]]
    D = np.minimum(D, D.T)
    np.fill_diagonal(D, 0.0)
    for k in range(n):  # Floyd and Warshall, from the definition
        D = np.minimum(D, D[:, k, None] + D[k])
    np.testing.assert_allclose(paths.between_all(), D, rtol=1e-12)
    assert np.isinf(D).any()


def test_components_are_joined_where_they_come_nearest():
    X = np.array([[0.0], [1], [2], [10], [11], [12.5], [30], [31]])
    graph = Neighborhoods(X, EUCLIDEAN, 1, None).graph()
    count, labels = connected_components(graph)
    assert count == 3
    whole = joined(graph, labels, X, EUCLIDEAN)
    assert connected_components(whole)[0] == 1
    added = {(3, 2): 8.0, (6, 5): 17.5, (6, 2): 28.0}
    for (i, j), length in added.items():
        assert whole[[i], [j]][0] == length
    assert whole.nnz == graph.nnz + 3


def test_residual_variance_is_one_minus_squared_correlation():
    rng = np.random.default_rng(0)
    Y = rng.normal(size=(600, 2))
    D = cdist(Y, Y) + 0.1 * np.abs(rng.normal(size=(600, 600)))
    D = (D + D.T) / 2
    np.fill_diagonal(D, 0.0)
    r = np.corrcoef(D[np.triu_indices(600, 1)], pdist(Y))[0, 1]
    np.testing.assert_allclose(residual_variance(D, Y, Y), 1 - r * r, rtol=1e-10)


@pytest.mark.parametrize("k", [1, 3, 12])
@pytest.mark.parametrize("d", [2, 40])
def test_local_weights_solve_their_equations(k, d):
    X = np.random.default_rng(0).normal(size=(80, d))
    X[5] = X[6]
    near = Neighborhoods(X, EUCLIDEAN, k, None).graph()
    W = local_weights(X, X, near, 1e-3)
    for i in range(80):
        neighbors = near.indices[near.indptr[i] : near.indptr[i + 1]]
        expected = reference.local_weights(X[i], X[neighbors], 1e-3)
        np.testing.assert_allclose(W.data[W.indptr[i] : W.indptr[i + 1]], expected, rtol=1e-9, atol=1e-12)
    M = weights_matrix(W).toarray()
    R = np.eye(80) - W.toarray()
    np.testing.assert_allclose(M, R.T @ R, atol=1e-12)
    assert np.abs(M @ null_vector(80)).max() < 1e-12
    np.testing.assert_allclose(rebuilt(W, X), W.toarray() @ X, atol=1e-12)


def test_weights_without_penalty_may_not_be_determined():
    X = np.ones((10, 2))
    near = Neighborhoods(X, EUCLIDEAN, 3, None).graph()
    with pytest.raises(InvalidData, match="reg > 0"):
        local_weights(X, X, near, 0.0)
    np.testing.assert_allclose(local_weights(X, X, near, 1e-3).data, 1 / 3)


def test_lists_of_different_lengths_are_batched_by_length():
    X = roll(100)
    near = Neighborhoods(X, EUCLIDEAN, None, 7.0).graph()
    seen = np.concatenate([rows for rows, _ in batches(X, near)])
    assert sorted(seen) == list(np.flatnonzero(np.diff(near.indptr)))
    for rows, neighbors in batches(X, near):
        for row, own in zip(rows, neighbors, strict=True):
            np.testing.assert_array_equal(own, near.indices[near.indptr[row] : near.indptr[row + 1]])


@pytest.mark.parametrize("method", ["hessian", "modified", "ltsa"])
def test_points_of_a_plane_are_in_the_null_space(method):
    """Constants always; the coordinates themselves where the neighbors lie in a plane."""
    X = np.random.default_rng(0).uniform(size=(150, 2))
    tilted = X @ np.linalg.qr(np.random.default_rng(1).normal(size=(5, 5)))[0][:2]
    near = Neighborhoods(tilted, EUCLIDEAN, 9, None).graph()
    M = alignment_matrix(tilted, near, method, 2, hessian_tol=1e-4, modified_tol=1e-12)
    assert abs(M - M.T).max() == 0
    flat = np.column_stack([np.ones(150), X - X.mean(axis=0)])
    left = np.abs(M @ flat).max(axis=0) / abs(M).max()
    assert left[0] < 1e-12
    assert (left < (1e-3 if method == "modified" else 1e-8)).all()  # the weights it modifies have a penalty of 1e-3
