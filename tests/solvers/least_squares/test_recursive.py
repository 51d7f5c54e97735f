"""The recursive triangle against batch least squares in long double, exact fractions and the handbook's update of P."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp

from surefit.solvers.least_squares.recursive import absorbed, begin, covariance, solution
from tests.reference.ridge import long_ridge
from tests.solvers.least_squares.data import problem


def taken(X, Y, w=None, *, alpha=1.0, intercept=True, forgetting=1.0, chunk=None):
    """The state after all rows, `chunk` rows at a time."""
    state = begin(X.shape[1], Y.shape[1], alpha, intercept)
    chunk = len(Y) if chunk is None else chunk
    for start in range(0, len(Y), chunk):
        rows = slice(start, start + chunk)
        state = absorbed(state, X[rows], Y[rows], None if w is None else w[rows], forgetting)
    return state


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("chunk", [None, 1, 7])
@pytest.mark.parametrize("forgetting", [1.0, 0.98])
def test_equals_the_batch_answer(intercept, chunk, forgetting):
    X, Y, _ = problem(300, 4)
    state = taken(X, Y, alpha=0.3, intercept=intercept, forgetting=forgetting, chunk=chunk)
    fading = np.longdouble(forgetting) ** np.arange(300)[::-1]
    coef, b, P = long_ridge(X, Y, fading, np.longdouble(0.3) * np.longdouble(forgetting) ** 300, intercept)
    found, found_b = solution(state)
    np.testing.assert_allclose(found, coef, rtol=1e-12)
    np.testing.assert_allclose(found_b, b, rtol=1e-11, atol=1e-12)
    np.testing.assert_allclose(covariance(state), P, rtol=1e-12, atol=1e-15)


def test_the_handbooks_update_in_exact_fractions():
    """P ← P − P x xᵀP / (1 + xᵀP x),  w ← w + P x (d − xᵀw), from P = E/λ and w = 0."""
    X = [[1, 2], [3, -1], [2, 2], [0, 5], [-4, 1]]
    d = [3, 1, 4, 1, 5]
    P = [[Fraction(2), Fraction(0)], [Fraction(0), Fraction(2)]]
    w = [Fraction(0), Fraction(0)]
    for x, target in zip(X, d, strict=True):
        Px = [sum(P[i][j] * x[j] for j in range(2)) for i in range(2)]
        scale = 1 + sum(x[i] * Px[i] for i in range(2))
        P = [[P[i][j] - Px[i] * Px[j] / scale for j in range(2)] for i in range(2)]
        error = target - sum(x[i] * w[i] for i in range(2))
        w = [w[i] + sum(P[i][j] * x[j] for j in range(2)) * error for i in range(2)]
    state = taken(np.array(X, float), np.array(d, float)[:, None], alpha=0.5, intercept=False, chunk=1)
    np.testing.assert_allclose(solution(state)[0][0], [float(value) for value in w], rtol=1e-14)
    np.testing.assert_allclose(covariance(state), [[float(value) for value in row] for row in P], rtol=1e-14)


@pytest.mark.parametrize("forgetting", [1.0, 0.9])
def test_a_weight_is_a_row_repeated(forgetting):
    X, Y, _ = problem(60, 3)
    w = np.random.default_rng(1).integers(0, 4, 60)
    weighted = taken(X, Y, w.astype(float), forgetting=forgetting)
    repeated = taken(np.repeat(X, w, axis=0), np.repeat(Y, w, axis=0), forgetting=forgetting)
    np.testing.assert_allclose(weighted.triangle.T @ weighted.triangle, repeated.triangle.T @ repeated.triangle)
    np.testing.assert_allclose(solution(weighted)[0], solution(repeated)[0], rtol=1e-12)


def test_a_million_updates_far_from_zero():
    """Fifty rows at a time, columns of very different sizes, a million spreads away from zero."""
    rng = np.random.default_rng(0)
    scale = np.array([1.0, 1e-3, 1e3])
    X = (rng.normal(size=(1_000_000, 3)) + 1e6) * scale
    Y = ((X - 1e6 * scale) @ (np.array([1.0, 2.0, 3.0]) / scale) + rng.normal(size=len(X)))[:, None]
    state = taken(X, Y, chunk=50)
    coef, b, P = long_ridge(X, Y, np.ones(len(X)), 1.0, True)
    found, found_b = solution(state)
    np.testing.assert_allclose(found, coef, rtol=1e-9)
    np.testing.assert_allclose(found @ X[0] + found_b, coef @ X[0] + b, rtol=0, atol=1e-8)
    spread = np.sqrt(P.diagonal())
    np.testing.assert_allclose(covariance(state) / spread / spread[:, None], P / spread / spread[:, None], atol=1e-9)


def test_columns_that_nearly_agree_and_a_faint_penalty():
    """y = x₁ + x₂ with x₂ = x₁ + 1e-7 z: the singular values of the triangle are those of the rows."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=3000)
    X = np.column_stack([x, x + 1e-7 * rng.normal(size=3000)])
    state = taken(X, (X @ [1.0, 1.0])[:, None], alpha=1e-12, intercept=False, chunk=1)
    np.testing.assert_allclose(solution(state)[0][0], [1.0, 1.0], atol=1e-6)
    penalized = np.vstack([X, 1e-6 * np.eye(2)])
    expected = np.linalg.svd(penalized, compute_uv=False)
    np.testing.assert_allclose(np.linalg.svd(state.factor, compute_uv=False), expected, rtol=1e-7)


def test_drifting_data_keeps_its_digits():
    """A level that wanders a million spreads away: with forgetting only the last rows count."""
    rng = np.random.default_rng(0)
    level = np.linspace(0, 1e6, 20_000)
    x = level + rng.normal(size=20_000)
    Y = (2.0 * (x - level) + rng.normal(size=20_000) * 0.1)[:, None]
    state = taken(x[:, None], Y, forgetting=0.5, alpha=1e-3, chunk=4)
    last = slice(-60, None)
    coef, b, _ = long_ridge(x[last, None], Y[last], np.longdouble(0.5) ** np.arange(60)[::-1], 0.0, True)
    found, found_b = solution(state)
    np.testing.assert_allclose(found, coef, rtol=1e-6)
    np.testing.assert_allclose(found @ x[-1:] + found_b, coef @ x[-1:] + b, rtol=1e-8)


def test_what_is_forgotten_is_unknown():
    """A column that was zero for ever: its penalty fades below the smallest number, and P says so."""
    X = np.column_stack([np.random.default_rng(0).normal(size=4000), np.zeros(4000)])
    state = taken(X, X[:, :1] * 3.0, forgetting=0.5, intercept=False, chunk=1000)
    coef, _ = solution(state)
    np.testing.assert_allclose(coef, [[3.0, 0.0]], atol=1e-12)
    P = covariance(state)
    assert np.isinf(P[1, 1]) and P[0, 1] == 0 and np.isfinite(P[0, 0])


def test_sparse_rows_and_rows_of_no_weight():
    X, Y, w = problem(80, 4)
    X = np.where(np.abs(X) < 0.5, 0.0, X)
    assert taken(sp.csr_array(X), Y, w).triangle.tobytes() == taken(X, Y, w).triangle.tobytes()
    state = taken(X, Y, w)
    assert absorbed(state, X[:3], Y[:3], np.zeros(3), 0.9) is state
