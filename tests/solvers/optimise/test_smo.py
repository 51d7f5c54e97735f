"""The dual of support vector machines: against an interior-point method, and against answers in closed form."""

from __future__ import annotations

import numpy as np
import pytest

from surefit.solvers.optimise.smo import solve_box_dual
from tests.reference.quadratic_program import interior_point, primal_cost


class Matrix:
    """A Gram matrix that is there already."""

    def __init__(self, K):
        self.K, self.n = np.asarray(K), len(K)

    def diagonal(self):
        return np.diagonal(self.K)

    def rows(self, indices, columns=None):
        return self.K[indices] if columns is None else self.K[np.ix_(indices, columns)]


def gaussian(X, gamma):
    return np.exp(-gamma * ((X[:, None] - X[None]) ** 2).sum(axis=-1))


def classes(n, d, seed, noise=0.1):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    y = np.where((X[:, 0] + X[:, 1 % d] ** 2 > 0.7) ^ (rng.random(n) < noise), 1.0, -1.0)
    return X, y


def solve(K, y, C, **options):
    n = len(y)
    return solve_box_dual(Matrix(K), np.arange(n), y, -np.ones(n), np.broadcast_to(C, n).astype(float), **options)


def feasible(answer, signs, upper):
    a = answer.alpha
    assert (a >= 0).all() and (a <= upper).all()
    assert abs(signs @ a) <= 1e-12 * np.abs(a).sum() + 1e-300


@pytest.mark.parametrize("C", [1e-2, 1.0, 1e2, 1e4])
@pytest.mark.parametrize("kernel", ["rbf", "linear"])
@pytest.mark.parametrize("seed", range(3))
def test_equals_the_interior_point(kernel, C, seed):
    X, y = classes(120, 3, seed)
    K = gaussian(X, 0.5) if kernel == "rbf" else X @ X.T
    answer = solve(K, y, C)
    assert answer.status == "converged" and answer.rel_gap <= 1e-6
    feasible(answer, y, C)
    beta, _ = interior_point(K, -y, np.where(y > 0, 0.0, -C), np.where(y > 0, C, 0.0))
    value = 0.5 * beta @ K @ beta - y @ beta
    assert answer.value == pytest.approx(value, rel=2e-6)
    cost = primal_cost(K, y, -np.ones(120), np.full(120, C), answer.alpha * y, answer.bias)
    assert cost + answer.value == pytest.approx(answer.gap, abs=1e-9 * cost)
    assert cost == pytest.approx(-value, rel=2e-6)


def test_polish_gives_ten_digits():
    X, y = classes(150, 4, 1)
    K = gaussian(X, 0.3)
    answer = solve(K, y, 1.0)
    beta, bias = interior_point(K, -y, np.where(y > 0, 0.0, -1.0), np.where(y > 0, 1.0, 0.0), goal=1e-15)
    assert answer.bias == pytest.approx(bias, abs=1e-8)
    np.testing.assert_allclose(answer.alpha * y, beta, atol=1e-7)
    assert answer.rel_gap < 1e-12


def test_two_points_in_closed_form():
    """K = x xᵀ with x = ±1: w = a₁ + a₂, the margin is reached at a₁ = a₂ = ½, b = 0."""
    answer = solve(np.array([[1.0, -1.0], [-1.0, 1.0]]), np.array([1.0, -1.0]), 10.0)
    np.testing.assert_allclose(answer.alpha, [0.5, 0.5], rtol=1e-14)
    assert answer.bias == pytest.approx(0.0, abs=1e-14) and answer.value == pytest.approx(-0.5, rel=1e-14)


def test_regression_uses_each_row_twice():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(80, 2))
    t = np.sin(2 * X[:, 0]) + 0.1 * rng.normal(size=80)
    K, epsilon, C = gaussian(X, 1.0), 0.1, 2.0
    index, signs = np.tile(np.arange(80), 2), np.repeat([1.0, -1.0], 80)
    linear = np.concatenate([epsilon - t, epsilon + t])
    answer = solve_box_dual(Matrix(K), index, signs, linear, np.full(160, C), tol=1e-9)
    coef = answer.alpha[:80] - answer.alpha[80:]
    residual = np.abs(t - K @ coef - answer.bias)
    cost = 0.5 * coef @ K @ coef + C * np.maximum(residual - epsilon, 0).sum()
    assert cost == pytest.approx(-answer.value, rel=1e-8)
    K2 = K[np.ix_(index, index)]
    beta, _ = interior_point(K2, signs * linear, np.where(signs > 0, 0.0, -C), np.where(signs > 0, C, 0.0))
    assert answer.value == pytest.approx(0.5 * beta @ K2 @ beta + (signs * linear) @ beta, rel=1e-8)


def test_limits_return_the_point_with_its_gap():
    X, y = classes(300, 5, 0, noise=0.3)
    K = gaussian(X, 1.0)
    for options, status in (({"max_iter": 20}, "max_iter"), ({"time_budget": 0.0}, "time_budget")):
        answer = solve(K, y, 10.0, **options)
        assert answer.status == status and np.isfinite(answer.gap) and answer.gap > 0
        cost = primal_cost(K, y, -np.ones(300), np.full(300, 10.0), answer.alpha * y, answer.bias)
        assert cost + answer.value == pytest.approx(answer.gap, rel=1e-9)


def test_start_is_used():
    X, y = classes(200, 3, 5)
    K = gaussian(X, 0.5)
    cold = solve(K, y, 1.0)
    warm = solve(K, y, 1.0, start=cold.alpha)
    assert warm.n_iter == 0
    np.testing.assert_allclose(warm.alpha, cold.alpha, atol=1e-9)
    nearby = solve(K, y, 1.1, start=cold.alpha)
    assert nearby.n_iter < cold.n_iter


def test_hard_margin():
    X, y = classes(60, 2, 2, noise=0.0)
    answer = solve(gaussian(X, 1.0), y, np.inf)
    assert answer.status == "converged"
    f = gaussian(X, 1.0) @ (answer.alpha * y) + answer.bias
    assert (y * f).min() >= 1 - 1e-6
    assert solve(np.ones((2, 2)), np.array([1.0, -1.0]), np.inf).status == "unbounded"
