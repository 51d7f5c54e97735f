"""Degrees, Laplacians, components and cuts against closed forms, SciPy and exact fractions."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.sparse import csgraph

from surefit.graphs import connected_components, cut_value, degrees, laplacian, normalized_cut, ratio_cut, volume


def random_graph(n, density, seed, integers=False):
    rng = np.random.default_rng(seed)
    W = np.triu(rng.random((n, n)) < density, 1) * (rng.integers(1, 9, (n, n)) if integers else rng.random((n, n)))
    return W + W.T


@pytest.mark.parametrize("kind", ["unnormalized", "symmetric"])
@pytest.mark.parametrize("loops", [False, True])
def test_laplacians_are_scipys(kind, loops):
    W = random_graph(30, 0.15, 0)
    W[7] = W[:, 7] = 0  # a vertex without edges
    given = W + loops * np.eye(30)
    expected = csgraph.laplacian(W, normed=kind == "symmetric")
    np.testing.assert_allclose(laplacian(given, kind), expected, rtol=1e-14, atol=1e-15)
    sparse = laplacian(sp.csr_array(given), kind)
    assert sp.issparse(sparse) and sparse.has_sorted_indices
    np.testing.assert_allclose(sparse.toarray(), expected, rtol=1e-14, atol=1e-15)


def test_random_walk_rows_sum_to_zero_and_spectrum_is_the_symmetric_one():
    W = random_graph(25, 0.2, 1)
    walk = laplacian(W, "random_walk")
    np.testing.assert_allclose(walk.sum(axis=1), 0, atol=1e-14)
    expected = np.linalg.eigvalsh(laplacian(W, "symmetric"))
    np.testing.assert_allclose(np.sort(np.linalg.eigvals(walk).real), expected, atol=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_zero_eigenvalues_count_components(seed):
    W = random_graph(40, 0.04, seed)
    n_components, labels = connected_components(W)
    for kind in ("unnormalized", "symmetric"):
        assert np.count_nonzero(np.linalg.eigvalsh(laplacian(W, kind)) < 1e-10) == n_components
    assert cut_value(W, labels) == 0
    assert n_components == csgraph.connected_components(W)[0]


def test_the_path_has_the_known_spectrum():
    n = 17
    W = np.diag(np.ones(n - 1), 1)
    values = np.linalg.eigvalsh(laplacian(W + W.T))
    np.testing.assert_allclose(values, 2 - 2 * np.cos(np.pi * np.arange(n) / n), atol=1e-13)


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("container", [np.asarray, sp.csr_array, sp.coo_array])
def test_cuts_in_fractions(seed, container):
    W = random_graph(14, 0.4, seed, integers=True)
    labels = np.random.default_rng(seed).integers(0, 3, 14) * 10 - 1
    crossing, ratio, normalized = Fraction(0), Fraction(0), Fraction(0)
    for name in set(labels.tolist()):
        inside = labels == name
        leaving, total = Fraction(int(W[inside][:, ~inside].sum())), Fraction(int(W[inside].sum()))
        crossing += leaving / 2
        ratio += leaving / int(inside.sum())
        normalized += leaving / total if total else 0
    assert cut_value(container(W), labels) == crossing
    assert ratio_cut(container(W), labels) == pytest.approx(float(ratio), rel=1e-14)
    assert normalized_cut(container(W + np.eye(14)), labels) == pytest.approx(float(normalized), rel=1e-14)
    names = np.unique(labels)
    np.testing.assert_array_equal(volume(container(W), labels), [W[labels == name].sum() for name in names])
    np.testing.assert_array_equal(degrees(container(W)), W.sum(axis=1))


@pytest.mark.parametrize("seed", range(5))
def test_cuts_are_above_their_eigenvalue_bounds(seed):
    W = random_graph(20, 0.3, seed)
    labels = np.random.default_rng(seed).integers(0, 4, 20)
    assert ratio_cut(W, labels) >= np.linalg.eigvalsh(laplacian(W))[:4].sum()
    assert normalized_cut(W, labels) >= np.linalg.eigvalsh(laplacian(W, "symmetric"))[:4].sum()


def test_an_edge_of_length_zero_joins():
    W = sp.csr_array((np.zeros(2), np.array([1, 0]), np.array([0, 1, 2, 2])), shape=(3, 3))
    n_components, labels = connected_components(W)
    assert n_components == 2 and labels.tolist() == [0, 0, 1]


@pytest.mark.parametrize(
    ("W", "words"),
    [
        (np.ones((2, 3)), "square"),
        ([[0, np.nan], [np.nan, 0]], "NaN"),
        ([[0, -1], [-1, 0]], "negative weight -1"),
        ([[0, 1], [2, 0]], "not symmetric"),
        (sp.csr_array([[0.0, 1.0], [2.0, 0.0]]), "not symmetric"),
    ],
)
def test_what_is_not_a_weight_matrix_is_refused(W, words):
    with pytest.raises(ValueError, match=words):
        degrees(W)


def test_labels_and_kinds_are_checked():
    W = [[0, 1], [1, 0]]
    with pytest.raises(ValueError, match="one entry for each of the 2 vertices"):
        cut_value(W, [0, 1, 1])
    with pytest.raises(ValueError, match="must be one of"):
        laplacian(W, "normalized")
    with pytest.raises(ValueError, match="square"):
        connected_components(np.ones((2, 3)))
