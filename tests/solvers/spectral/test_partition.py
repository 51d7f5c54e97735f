"""Groups from eigenvectors, and the graphs and pairs they come from."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.cluster import SpectralClustering
from sklearn.metrics import adjusted_rand_score
from sklearn.metrics.pairwise import rbf_kernel

from surefit.solvers.spectral.affinity_graph import affinity_graph
from surefit.solvers.spectral.graph_pairs import graph_pairs
from surefit.solvers.spectral.partition import cluster_qr, discretize


def rotated_indicators(n, k, noise, seed):
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, k, n)
    labels[:k] = np.arange(k)
    turn = np.linalg.qr(rng.standard_normal((k, k)))[0]
    return labels, (np.eye(k)[labels] + noise * rng.standard_normal((n, k))) @ turn


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("k", [1, 2, 7])
def test_rotated_indicators_are_told(seed, k):
    labels, vectors = rotated_indicators(200, k, 0.05, seed)
    for found in (cluster_qr(vectors), discretize(vectors, np.random.default_rng(seed))):
        assert adjusted_rand_score(found, labels) == 1


def test_discretize_names_vectors_that_are_not_numbers():
    with pytest.raises(np.linalg.LinAlgError):
        discretize(np.full((5, 2), np.nan), np.random.default_rng(0))


def test_affinities_are_scikit_learns():
    X = np.random.default_rng(0).standard_normal((40, 3))
    np.testing.assert_allclose(affinity_graph(X, "rbf", gamma=0.3), rbf_kernel(X, gamma=0.3), rtol=1e-12)
    theirs = SpectralClustering(3, affinity="nearest_neighbors", n_neighbors=6).fit(X).affinity_matrix_.toarray()
    np.fill_diagonal(theirs, 0)
    np.testing.assert_array_equal(affinity_graph(X, "nearest_neighbors", n_neighbors=6).toarray(), theirs)
    assert affinity_graph(X, "nearest_neighbors", n_neighbors=1).nnz == 0


@pytest.mark.parametrize("kind", ["unnormalized", "symmetric", "random_walk"])
@pytest.mark.parametrize("constant_first", [False, True])
def test_pairs_of_a_graph_in_pieces(kind, constant_first):
    """Three cycles of m vertices: λ = 2 − 2 cos(2πj/m), halved where degrees divide."""
    sizes = (200, 300, 150)
    W = sp.block_diag([sp.csr_array(np.roll(np.eye(m), 1, axis=0) + np.roll(np.eye(m), -1, axis=0)) for m in sizes])
    pairs = graph_pairs(W, 6, kind, tol=1e-9, constant_first=constant_first)
    every = np.concatenate([2 - 2 * np.cos(2 * np.pi * np.arange(m) / m) for m in sizes])
    expected = np.sort(every)[:6] / (1 if kind == "unnormalized" else 2)
    np.testing.assert_allclose(pairs.values, expected, rtol=1e-8, atol=1e-15)
    assert pairs.n_components == 3 and pairs.converged
    if constant_first:
        np.testing.assert_allclose(pairs.vectors[:, 0], pairs.vectors[0, 0], rtol=1e-12)
        np.testing.assert_allclose(pairs.vectors[:, 1:].sum(axis=0), 0, atol=1e-9)
    else:
        assert np.count_nonzero(pairs.vectors[:, 0]) == 300
