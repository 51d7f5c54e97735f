"""Graphs of rows against brute force and scikit-learn's graphs."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.spatial.distance import cdist
from sklearn.datasets import load_iris
from sklearn.neighbors import kneighbors_graph, radius_neighbors_graph

from surefit.graphs import connected_components, epsilon_graph, gaussian_graph, neighbor_graph

X = np.random.default_rng(0).standard_normal((60, 3))


def canonical(W):
    return sp.issparse(W) and W.has_sorted_indices and W.has_canonical_format and not W.diagonal().any()


@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "cosine"])
@pytest.mark.parametrize("mode", ["connectivity", "distance"])
def test_epsilon_graph_is_scikit_learns(metric, mode):
    radius = 0.3 if metric == "cosine" else 1.2
    W = epsilon_graph(X, radius, metric=metric, mode=mode)
    expected = radius_neighbors_graph(X, radius, metric=metric, mode=mode, include_self=False).toarray()
    assert canonical(W) and (W != W.T).nnz == 0
    np.testing.assert_allclose(W.toarray(), expected, atol=1e-12)


@pytest.mark.parametrize("k", [1, 5, 59])
@pytest.mark.parametrize("mode", ["connectivity", "distance"])
def test_neighbor_graphs_are_scikit_learns(k, mode):
    A = kneighbors_graph(X, k, mode=mode, include_self=False).toarray()
    np.testing.assert_allclose(neighbor_graph(X, k, symmetrize=None, mode=mode).toarray(), A, atol=1e-14)
    either = neighbor_graph(X, k, mode=mode)
    np.testing.assert_allclose(either.toarray(), np.maximum(A, A.T), atol=1e-14)
    both = neighbor_graph(X, k, mutual=True, mode=mode)
    np.testing.assert_allclose(both.toarray(), np.minimum(A, A.T), atol=1e-14)
    assert canonical(either) and canonical(both)
    if mode == "connectivity":
        mean = neighbor_graph(X, k, symmetrize="mean")
        np.testing.assert_array_equal(mean.toarray(), (A + A.T) / 2)


def test_similarities_are_the_gaussian_of_the_distances():
    D = cdist(X, X)
    for sigma in (0.7, None):
        lengths = neighbor_graph(X, 4, mode="distance")
        width = sigma or np.median(lengths.data)
        W = neighbor_graph(X, 4, mode="similarity", sigma=sigma)
        np.testing.assert_allclose(W.data, np.exp(-(lengths.data**2) / (2 * width**2)), rtol=1e-13)
        full = gaussian_graph(X, sigma)
        width = sigma or np.median(D[np.triu_indices(60, 1)])
        expected = np.exp(-(D**2) / (2 * width**2)) - np.eye(60)
        np.testing.assert_allclose(full, expected, rtol=1e-12, atol=1e-300)
        np.testing.assert_array_equal(full, full.T)


def test_precomputed_distances_give_the_same_graphs():
    D = cdist(X, X)
    for build in (
        lambda A, **m: neighbor_graph(A, 5, **m),
        lambda A, **m: neighbor_graph(A, 5, mutual=True, **m),
        lambda A, **m: epsilon_graph(A, 1.0, **m),
    ):
        assert (build(X) != build(D, metric="precomputed")).nnz == 0
    np.testing.assert_allclose(gaussian_graph(D, 1.0, metric="precomputed"), gaussian_graph(X, 1.0), rtol=1e-12)


def test_equal_rows_are_joined_by_an_edge_of_length_zero():
    rows = np.array([[0.0], [0.0], [5.0], [5.0]])
    for W in (neighbor_graph(rows, 1, mode="distance"), epsilon_graph(rows, 1.0, mode="distance")):
        assert W.nnz == 4 and not W.data.any()
        assert connected_components(W)[0] == 2


def test_ties_go_to_the_lower_index():
    rows = np.zeros((5, 2))
    W = neighbor_graph(rows, 2, symmetrize=None)
    assert [W.indices[W.indptr[i] : W.indptr[i + 1]].tolist() for i in range(5)] == [
        [1, 2], [0, 2], [0, 1], [0, 1], [0, 1],
    ]  # fmt: skip


def test_float32_and_frames():
    data = load_iris(as_frame=True).data
    expected = neighbor_graph(data.to_numpy(), 7)
    assert (neighbor_graph(data, 7) != expected).nnz == 0
    assert neighbor_graph(data.to_numpy(np.float32), 7).dtype == np.float64


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: neighbor_graph(X, 60), "more other rows than there are"),
        (lambda: neighbor_graph(X, 0), "whole number ≥ 1"),
        (lambda: neighbor_graph(X, 3, mode="weights"), "one of"),
        (lambda: neighbor_graph(X, 3, symmetrize="max"), "one of"),
        (lambda: neighbor_graph(X, 3, symmetrize="mean", mode="distance"), "no half"),
        (lambda: neighbor_graph(X, 3, metric="precomputed"), "square"),
        (lambda: epsilon_graph(X, -1.0), "> 0"),
        (lambda: gaussian_graph(X, 0.0), "> 0"),
    ],
)
def test_what_makes_no_sense_is_refused(call, words):
    with pytest.raises(ValueError, match=words):
        call()
