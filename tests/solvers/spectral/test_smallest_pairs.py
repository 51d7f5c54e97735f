"""The smallest eigenpairs against closed forms, LAPACK, and matrices where ARPACK's default does not end."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.linalg
import scipy.sparse as sp

from surefit._core.threads import single_threaded_blas
from surefit.solvers.spectral import smallest_pairs as module
from surefit.solvers.spectral.block_davidson import block_davidson
from surefit.solvers.spectral.chebyshev_filter import chebyshev_filter
from surefit.solvers.spectral.shifted_factor import estimated_entries, shifted_factor
from surefit.solvers.spectral.smallest_pairs import smallest_pairs, with_signs


def path(n):
    """The Laplacian of a path: eigenvalues 2 − 2 cos(πj/n), eigenvectors cos(πj(i + ½)/n)."""
    diagonal = np.full(n, 2.0)
    diagonal[[0, -1]] = 1.0
    return sp.csr_array(sp.diags_array([-np.ones(n - 1), diagonal, -np.ones(n - 1)], offsets=[-1, 0, 1]))


def grid(a, b):
    """Of an a × b grid: sums of those of two paths."""
    return sp.csr_array(sp.kron(path(a), sp.eye_array(b)) + sp.kron(sp.eye_array(a), path(b)))


@pytest.fixture(autouse=True)
def one_thread():
    with single_threaded_blas():
        yield


@pytest.fixture(params=["factor", "filter"])
def way(request, monkeypatch):
    monkeypatch.setattr(module, "MOST_ENTRIES", np.inf if request.param == "factor" else 0.0)
    return request.param


def test_the_grid_has_the_known_spectrum(way):
    a, b = 37, 29
    found = smallest_pairs(grid(a, b), 8, tol=1e-9)
    one = [2 - 2 * np.cos(np.pi * np.arange(n) / n) for n in (a, b)]
    np.testing.assert_allclose(found.values, np.sort(np.add.outer(*one), axis=None)[:8], rtol=1e-9, atol=1e-13)
    np.testing.assert_allclose(found.vectors.T @ found.vectors, np.eye(8), atol=1e-11)
    assert found.converged
    assert (found.residual_norms <= 1e-9 * found.values + 1e-13).all()
    wave = np.cos(np.pi * (np.arange(a) + 0.5) / a)
    expected = np.repeat(wave, b) / np.linalg.norm(np.repeat(wave, b))
    assert abs(found.vectors[:, 1] @ expected) == pytest.approx(1.0, abs=1e-13)


def test_a_known_null_space_comes_first_and_is_not_searched_for(way):
    L = sp.block_diag([grid(20, 13), grid(25, 11), path(90)], format="csr")
    null = np.zeros((L.shape[0], 3))
    null[:260, 0] = null[260:535, 1] = null[535:, 2] = 1.0
    found = smallest_pairs(L, 7, null_space=null)
    expected = np.linalg.eigvalsh(L.toarray())[:7]
    assert (found.values[:3] == 0).all()
    np.testing.assert_allclose(found.values, expected, rtol=1e-8, atol=1e-13)
    assert found.residual_norms.max() < 1e-8
    np.testing.assert_allclose(found.vectors[:, 0], null[:, 0] / np.sqrt(260), atol=1e-15)
    np.testing.assert_allclose(null.T @ found.vectors[:, 3:], 0, atol=1e-9)


def test_an_unknown_null_space_of_several_dimensions_is_found(way):
    L = sp.block_diag([grid(20, 13), grid(25, 11), path(90)], format="csr")
    found = smallest_pairs(L, 5)
    np.testing.assert_allclose(found.values, np.linalg.eigvalsh(L.toarray())[:5], rtol=1e-7, atol=1e-12)


def test_a_diagonal_mass_matrix(way):
    rng = np.random.default_rng(0)
    L, B = grid(25, 24), rng.uniform(0.1, 3.0, 600)
    found = smallest_pairs(L, 6, B_diagonal=B, null_space=np.ones((600, 1)))
    expected, vectors = scipy.linalg.eigh(L.toarray(), np.diag(B), subset_by_index=[0, 5])
    np.testing.assert_allclose(found.values, expected, rtol=1e-8, atol=1e-12)
    np.testing.assert_allclose(found.vectors.T @ (B[:, None] * found.vectors), np.eye(6), atol=1e-10)
    np.testing.assert_allclose(found.vectors[:, 1:], with_signs(vectors)[:, 1:], atol=1e-5)


@pytest.mark.parametrize("n", [1, 2, 5, 399])
@pytest.mark.parametrize("container", [sp.csr_array, sp.csc_array, lambda A: A.toarray()])
def test_small_ones_are_lapacks(n, container):
    A = path(n) if n > 1 else sp.csr_array(np.zeros((1, 1)))
    k = min(n, 4)
    found = smallest_pairs(container(A), k, null_space=np.ones((n, 1)))
    np.testing.assert_allclose(found.values, np.linalg.eigvalsh(A.toarray())[:k], atol=1e-13)


def test_a_large_dense_matrix_is_not_factorized():
    rng = np.random.default_rng(1)
    basis = np.linalg.qr(rng.standard_normal((600, 600)))[0]
    values = np.linspace(0.0, 1.0, 600) ** 1.5
    A = (basis * values) @ basis.T
    found = smallest_pairs((A + A.T) / 2, 5)
    np.testing.assert_allclose(found.values, values[:5], rtol=1e-8, atol=1e-13)


def test_eigenvalues_of_the_size_of_locally_linear_embedding():
    """(I − M)ᵀ(I − M) of a path's second differences squared: eigenvalues down to 1e-11 of the largest."""
    A = sp.csr_array(path(500) @ path(500))
    found = smallest_pairs(A, 4, null_space=np.ones((500, 1)))
    expected = (2 - 2 * np.cos(np.pi * np.arange(4) / 500)) ** 2
    np.testing.assert_allclose(found.values, expected, rtol=1e-5, atol=1e-15)


def test_same_answer_each_time():
    first, second = (smallest_pairs(grid(30, 30), 5) for _ in range(2))
    np.testing.assert_array_equal(first.vectors, second.vectors)


def test_signs():
    V = np.array([[1.0, -2.0, 0.5], [-3.0, 2.0, 0.5]])
    np.testing.assert_array_equal(with_signs(V), [[-1.0, 2.0, 0.5], [3.0, -2.0, 0.5]])


def test_rounds_run_out():
    found = smallest_pairs(grid(40, 40), 5, max_iter=1)
    assert not found.converged and found.n_iter == 1


def test_the_filter_is_the_chebyshev_polynomial():
    A = np.diag([0.0, 0.1, 0.5, 2.0])
    a, b = 0.5, 2.0
    filtered = np.diag(chebyshev_filter(sp.csr_array(A), np.eye(4), a, b))
    degree = 10  # 5 √(b/a)
    expected = np.polynomial.chebyshev.Chebyshev.basis(degree)((2 * np.diag(A) - a - b) / (b - a))
    np.testing.assert_allclose(filtered, expected, rtol=1e-12)
    np.testing.assert_allclose(np.diag(chebyshev_filter(A, np.eye(4), a, b)), expected, rtol=1e-12)


def test_a_factor_of_a_singular_matrix_solves_beside_its_null_space():
    L = grid(12, 9)
    solve = shifted_factor(L)
    b = np.random.default_rng(0).standard_normal((108, 2))
    b -= b.mean(axis=0)
    x = solve(b)
    np.testing.assert_allclose(L @ x, b, atol=1e-4)
    assert shifted_factor(sp.csr_array((3, 3))) is None


def test_the_estimate_of_fill_tells_surfaces_from_expanding_graphs():
    surface = grid(60, 60)
    rng = np.random.default_rng(0)
    ends = rng.integers(0, 3600, (2, 10800))
    W = sp.csr_array((np.ones(10800), ends), shape=(3600, 3600))
    assert estimated_entries(sp.csr_array(W + W.T)) > 10 * estimated_entries(surface)


def test_an_exact_expansion_needs_few_rounds():
    A = grid(20, 20)
    solve = shifted_factor(A)
    start = np.random.default_rng(0).standard_normal((400, 8))
    null = np.full((400, 1), 1 / 20)
    found = block_davidson(
        lambda X: A @ X, lambda now: solve(now.R), start, 4, norm=8.0, tol=1e-8, max_iter=12, null=null
    )
    assert found.converged
    values = np.sort(np.add.outer(*[2 - 2 * np.cos(np.pi * np.arange(20) / 20)] * 2), axis=None)
    np.testing.assert_allclose(found.values, values[1:5], rtol=1e-10)
