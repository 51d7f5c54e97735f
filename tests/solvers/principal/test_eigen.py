"""Each route to principal axes against its NumPy reference, against closed forms, and on wicked input."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

import surefit
from surefit._core.threads import single_threaded_blas
from surefit.engine.sources.source import MemorySource
from surefit.solvers.numerics.eigen_basis import complete_basis, fix_signs, orthonormalize
from surefit.solvers.principal.eigen import Iteration, principal_axes, size_of
from surefit.solvers.principal.eigen_gram import RowProducts, SparseRowProducts, leaf_columns
from surefit.solvers.principal.eigen_pairs import leading_pairs
from surefit.solvers.principal.eigen_qr import FactorStep
from surefit.solvers.principal.eigen_subspace import PowerStep
from surefit.summaries.column_spread import column_spread


def axes(X, k, solver, w=None, seed=0):
    data = MemorySource(X, None, w)
    how = Iteration(stream=np.random.default_rng(seed))
    with single_threaded_blas():
        return principal_axes(data, k, size_of(data), solver, how)


def deviations(X, w=None):
    """diag(√ω)(X − 1 mᵀ), in plain NumPy."""
    X = X.toarray() if sp.issparse(X) else np.asarray(X)
    X = X.astype(np.float64)
    w = np.ones(len(X)) if w is None else w
    return np.sqrt(w)[:, None] * (X - np.average(X, axis=0, weights=w))


def signed(V):
    V = V.copy()
    return V * np.sign(V[np.arange(len(V)), np.abs(V).argmax(axis=1)])[:, None]


def svd_reference(X, k, w=None):
    _, sigma, Vt = np.linalg.svd(deviations(X, w), full_matrices=False)
    return sigma[:k], signed(Vt[:k])


def covariance_reference(X, k, w=None):
    A = deviations(X, w)
    values, vectors = np.linalg.eigh(A.T @ A)
    return np.sqrt(values[::-1][:k]), signed(vectors.T[::-1][:k])


def gram_reference(X, k, w=None):
    A = deviations(X, w)
    values, U = np.linalg.eigh(A @ A.T)
    sigma = np.sqrt(values[::-1][:k])
    return sigma, signed((U.T[::-1][:k] @ A) / sigma[:, None])


def randomized_reference(X, k, w=None, seed=0, n_iter=4):
    A = deviations(X, w)
    Q = np.random.default_rng(seed).standard_normal((A.shape[1], min(k + 10, A.shape[1])))
    for _ in range(n_iter + 1):
        Q, _ = np.linalg.qr(A.T @ (A @ Q))
    _, sigma, Tt = np.linalg.svd(A @ Q, full_matrices=False)
    return sigma[:k], signed(Tt[:k] @ Q.T)


def spiked(n, d, seed=0):
    """Rows whose first eight directions have well separated variances."""
    rng = np.random.default_rng(seed)
    basis, _ = np.linalg.qr(rng.normal(size=(d, min(8, d))))
    strengths = 2.0 ** np.arange(min(8, d), 0, -1)
    return (
        rng.normal(size=(n, len(strengths))) * strengths @ basis.T + 0.1 * rng.normal(size=(n, d)) + rng.normal(size=d)
    )


TWINS = {
    ("covariance_eigh", "tall"): covariance_reference,
    ("covariance_eigh", "wide"): gram_reference,
    ("full", "tall"): svd_reference,
    ("full", "wide"): svd_reference,
    ("randomized", "tall"): randomized_reference,
    ("randomized", "wide"): randomized_reference,
    ("arpack", "tall"): svd_reference,
    ("arpack", "wide"): svd_reference,
}
ROUTES = {"covariance_eigh": ("covariance", "gram"), "full": ("qr", "qr")}


@pytest.mark.parametrize(("solver", "shape"), TWINS)
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("kind", ["float64", "float32", "csr"])
def test_route_is_its_reference(solver, shape, weighted, kind):
    X = spiked(9000, 20) if shape == "tall" else spiked(40, 9000)
    k = 6
    w = np.random.default_rng(1).integers(0, 4, len(X)).astype(float) if weighted else None
    if kind == "float32":
        X = X.astype(np.float32)
    if kind == "csr":
        X = sp.csr_array(np.where(np.abs(X) < 0.5, 0.0, X))
        if (solver, shape) == ("full", "wide"):
            X = X[:, :2000]
    found = axes(X, k, solver, w)
    sigma, V = TWINS[solver, shape](X, k, w)
    np.testing.assert_allclose(found.singular_values, sigma, rtol=1e-9)
    np.testing.assert_allclose(found.components, V, atol=1e-7)
    A = deviations(X, w)
    np.testing.assert_allclose(found.total, (A**2).sum(), rtol=1e-10)
    np.testing.assert_allclose(found.components @ found.components.T, np.eye(k), atol=1e-12)
    if solver in ROUTES:
        assert found.route == ROUTES[solver][shape == "wide"]


def lauchli(eps, columns):
    """Rows ±(1, ε eᵢ, 0 …), three of each: mean 0, singular values √2·√(3 + ε²), √2·ε, √2·ε."""
    B = np.zeros((3, columns))
    B[:, 0] = 1.0
    B[range(3), range(1, 4)] = eps
    return np.vstack([B, -B]), np.sqrt(2.0) * np.array([np.sqrt(3 + eps * eps), eps, eps])


@pytest.mark.parametrize("columns", [4, 40])
@pytest.mark.parametrize("solver", ["auto", "full"])
@pytest.mark.parametrize("eps", [1e-3, 1e-7, 1e-10, 1e-13])
@pytest.mark.parametrize("container", [np.asarray, sp.csr_array])
def test_small_singular_values_keep_their_digits(columns, solver, eps, container):
    X, sigma = lauchli(eps, columns)
    found = axes(container(X), 3, solver)
    squared = found.route in ("covariance", "gram")  # relative error of σ² is the rounding over (ε²/3)
    np.testing.assert_allclose(found.singular_values, sigma, rtol=1e-15 / eps**2 if squared else 1e-14 / eps)
    assert not squared or (solver == "auto" and eps == 1e-3)
    np.testing.assert_allclose(found.components @ found.components.T, np.eye(3), atol=1e-12)


def test_squaring_loses_what_the_factor_keeps():
    X, sigma = lauchli(1e-10, 4)
    assert abs(axes(X, 3, "covariance_eigh").singular_values[2] / sigma[2] - 1) > 0.1
    assert axes(X, 3, "auto").route == "qr"
    assert axes(X, 1, "auto").route == "covariance"


@pytest.mark.parametrize("solver", ["auto", "full", "covariance_eigh", "randomized", "arpack"])
@pytest.mark.parametrize("shape", [(20_011, 12), (60, 9001)])
@pytest.mark.parametrize("sparse", [False, True])
def test_same_bits_for_any_number_of_threads(solver, shape, sparse):
    X = spiked(*shape)
    if sparse:
        X = sp.csr_array(np.where(np.abs(X) < 1.0, 0.0, X))
    w = np.random.default_rng(1).random(len(X)) if not sparse else None
    if (solver, sparse, shape[0]) == ("full", True, 60):
        with pytest.raises(ValueError, match=r"dense.*arpack"):
            axes(sp.hstack([X, X]).tocsr(), 4, solver)
        return
    results = []
    for n_threads in (1, 2, 3):
        with surefit.config(n_threads=n_threads):
            results.append(axes(X, 4, solver, w))
    for other in results[1:]:
        for name in ("mean", "singular_values", "components"):
            assert getattr(other, name).tobytes() == getattr(results[0], name).tobytes(), name
        assert other.total == results[0].total


def test_steps_split_and_merge():
    """A step on the whole equals the merge of its parts."""
    X = spiked(9000, 6)
    w = np.random.default_rng(0).random(9000)
    whole = MemorySource(X, None, w)
    parts = [MemorySource(X[:4096], None, w[:4096]), MemorySource(X[4096:], None, w[4096:])]
    Q = np.random.default_rng(1).normal(size=(6, 3))
    mean = np.average(X, axis=0, weights=w)
    for step, state in [(FactorStep(), None), (PowerStep(), (mean, Q))]:
        merged = step.combine(*(part.fold(step, state) for part in parts))
        for left, right in zip(whole.fold(step, state), merged, strict=True):
            if isinstance(step, FactorStep) and np.ndim(left) == 2:
                left, right = left.T @ left, right.T @ right
            np.testing.assert_allclose(left, right, rtol=1e-9, atol=1e-9)
    A = deviations(X, w)
    factor = whole.fold(FactorStep())
    np.testing.assert_allclose(factor.R.T @ factor.R, A.T @ A, rtol=1e-10, atol=1e-9)
    np.testing.assert_allclose(whole.fold(PowerStep(), (mean, Q)), A.T @ (A @ Q), rtol=1e-9)
    np.testing.assert_allclose(column_spread(whole).squares, (A**2).sum(axis=0), rtol=1e-10)


@pytest.mark.parametrize(
    "make", [lambda X, w: RowProducts(X, w, 2), lambda X, w: SparseRowProducts(sp.csr_array(X), w)]
)
def test_row_products(make):
    X = spiked(30, 3000)
    w = np.random.default_rng(0).random(30)
    rows, A = make(X, w), deviations(X, w)
    np.testing.assert_allclose(rows.gram(), A @ A.T, rtol=1e-9, atol=1e-7)
    np.testing.assert_allclose(rows.mean, np.average(X, axis=0, weights=w), rtol=1e-10, atol=1e-12)
    U, out = np.random.default_rng(1).normal(size=(4, 30)), np.empty((4, 3000))
    rows.back(U, out)
    np.testing.assert_allclose(out, U @ A, rtol=1e-8, atol=1e-8)
    assert [leaf_columns(n) for n in (1, 256, 500, 1 << 14, 1 << 20)] == [4096, 4096, 2048, 64, 64]


@pytest.mark.parametrize(("m", "k"), [(3, 3), (150, 4), (150, 140), (2100, 5), (2100, 0)])
def test_leading_pairs(m, k):
    rng = np.random.default_rng(m)
    values = np.concatenate([100.0 / np.arange(1, 11), rng.random(m)])[:m] if m > 10 else np.arange(m, 0.0, -1)
    values = np.sort(values)[::-1]
    u = rng.normal(size=m)
    u /= np.linalg.norm(u)
    H = np.eye(m) - 2 * np.outer(u, u)  # a reflection: the eigenvectors are its columns
    found, vectors = leading_pairs((H * values) @ H, k)
    np.testing.assert_allclose(found, values[:k], rtol=1e-10)
    np.testing.assert_allclose(np.abs(np.einsum("ij,ij->i", vectors, H[:k])), 1.0, atol=1e-7)


def test_a_flat_spectrum_does_not_trap_lanczos():
    values, vectors = leading_pairs(np.eye(2000), 3)
    np.testing.assert_allclose(values, 1.0, rtol=1e-12)
    np.testing.assert_allclose(vectors @ vectors.T, np.eye(3), atol=1e-12)


@pytest.mark.parametrize(("d", "good", "k"), [(1, 0, 1), (5, 0, 5), (7, 3, 7), (50, 20, 50), (2000, 10, 12)])
def test_complete_basis_depends_on_the_span_alone(d, good, k):
    rng = np.random.default_rng(d)
    first, _ = np.linalg.qr(rng.normal(size=(d, max(good, 1))))
    turn, _ = np.linalg.qr(rng.normal(size=(max(good, 1),) * 2))
    V, W = np.zeros((k, d)), np.zeros((k, d))
    V[:good], W[:good] = first.T[:good], (first @ turn).T[:good]
    for basis in (V, W):
        complete_basis(basis, good)
        np.testing.assert_allclose(basis @ basis.T, np.eye(k), atol=1e-13)
    np.testing.assert_allclose(V[good:], W[good:], atol=1e-12)
    if good == 0:
        np.testing.assert_array_equal(V, np.eye(k, d))


def test_signs_and_near_ties():
    V = np.array([[0.6, -0.8], [-0.6, 0.8], [np.sqrt(0.5) * (1 - 1e-15), -np.sqrt(0.5)], [0.0, -1.0]])
    fix_signs(V)
    np.testing.assert_array_equal(np.sign(V), [[-1, 1], [-1, 1], [1, -1], [0, 1]])


def test_orthonormalise_spares_the_first_rows():
    rng = np.random.default_rng(0)
    Q, _ = np.linalg.qr(rng.normal(size=(40, 5)))
    V = Q.T.copy()
    V[4] += 1e-5 * rng.normal(size=40)
    orthonormalize(V)
    np.testing.assert_allclose(V @ V.T, np.eye(5), atol=1e-14)
    np.testing.assert_allclose(V[:4], Q.T[:4], atol=1e-14)
    np.testing.assert_allclose(V[4], Q.T[4], atol=1e-4)
