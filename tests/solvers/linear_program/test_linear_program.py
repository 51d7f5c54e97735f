"""The linear program solver on hard cases: ties, dependent columns, bad units, stalls, repeated rows."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import linprog

from surefit.solvers.linear_program.edge_descent import choose_basis, descend
from surefit.solvers.linear_program.frisch_newton import Problem, follow_path, weighted_gram
from surefit.solvers.linear_program.linear_program import solve_piecewise_linear


def test_weighted_gram_is_the_product():
    rng = np.random.default_rng(0)
    A, D = rng.normal(size=(10_001, 7)), rng.random(10_001)
    np.testing.assert_allclose(weighted_gram(A, D), A.T @ (D[:, None] * A), rtol=1e-12, atol=1e-10)


def test_the_path_ends_near_the_optimum_and_the_walk_at_it():
    rng = np.random.default_rng(1)
    A = np.column_stack([rng.normal(size=(500, 4)), np.ones(500)])
    y = rng.standard_t(2, size=500)
    half = np.full(500, 0.5)
    problem = Problem(A, y, -half, half, np.zeros(5))
    path = follow_path(problem)
    vertex = descend(problem, choose_basis(A, path.importance))
    best = 0.5 * np.abs(y - A @ vertex.beta).sum()
    assert vertex.optimal
    assert best == pytest.approx(y @ vertex.dual, rel=1e-13)
    assert 0.5 * np.abs(y - A @ path.beta).sum() == pytest.approx(best, rel=1e-6)
    np.testing.assert_allclose(y[vertex.basis], (A @ vertex.beta)[vertex.basis], atol=1e-13)


def test_the_walk_finds_its_way_from_anywhere():
    rng = np.random.default_rng(2)
    A = np.column_stack([rng.normal(size=(300, 3)), np.ones(300)])
    y = A.sum(axis=1) + rng.normal(size=300)
    half = np.full(300, 0.5)
    problem = Problem(A, y, -half, half, np.zeros(4))
    best = {round(float(y @ descend(problem, rng.choice(300, 4, replace=False)).dual), 9) for _ in range(5)}
    assert len(best) == 1


@pytest.mark.parametrize("seed", range(30))
def test_small_whole_numbers_against_highs(seed):
    """Ties everywhere: few distinct rows and targets, dependent and constant columns."""
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(3, 60)), int(rng.integers(1, 6))
    X = rng.integers(0, 3, (n, d)).astype(float)
    X[:, -1] = X[:, 0]
    y, w = rng.integers(-3, 4, n).astype(float), rng.integers(1, 4, n).astype(float)
    q, penalty = 0.3, float(seed % 3) * n / 50
    fit = solve_piecewise_linear(X, y, (q - 1) * w, q * w, fit_intercept=True, penalty=penalty)
    r = y - X @ fit.coef - fit.intercept
    value = w @ np.maximum(q * r, (q - 1) * r) + penalty * np.abs(fit.coef).sum()
    cost = np.concatenate([np.full(2 * d, penalty), [0, 0], q * w, (1 - q) * w])
    ones = np.ones((n, 1))
    highs = linprog(cost, A_eq=np.hstack([X, -X, ones, -ones, np.eye(n), -np.eye(n)]), b_eq=y)
    assert fit.optimal
    assert value == pytest.approx(highs.fun, rel=1e-9, abs=1e-9)
    assert y @ fit.dual == pytest.approx(value, rel=1e-11, abs=1e-11)


@pytest.mark.parametrize("seed", range(10))
def test_order_and_repetition_do_not_matter_where_answers_are_many(seed):
    rng = np.random.default_rng(seed)
    X, y = rng.integers(0, 3, (12, 3)).astype(float), rng.integers(0, 4, 12).astype(float)
    w = rng.integers(1, 4, 12)

    def fit(rows, weights):
        half = 0.5 * weights
        one = solve_piecewise_linear(X[rows], y[rows], -half, half, fit_intercept=True)
        return np.append(one.coef, one.intercept)

    straight = fit(np.arange(12), w.astype(float))
    order = rng.permutation(12)
    np.testing.assert_allclose(fit(order, w[order].astype(float)), straight, atol=1e-9)
    np.testing.assert_allclose(fit(np.repeat(np.arange(12), w), np.ones(w.sum())), straight, atol=1e-9)


def test_units_of_columns_do_not_matter():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(200, 3))
    y = X.sum(axis=1) + rng.normal(size=200)
    units = np.array([1e-150, 1.0, 1e150])
    half = np.full(200, 0.5)
    plain = solve_piecewise_linear(X, y, -half, half, fit_intercept=True)
    scaled = solve_piecewise_linear(X * units, y, -half, half, fit_intercept=True)
    np.testing.assert_allclose(scaled.coef * units, plain.coef, rtol=1e-9)
