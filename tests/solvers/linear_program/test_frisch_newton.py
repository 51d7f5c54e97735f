"""The interior point against HiGHS: its value is within the gap it stops at, and rows of the vertex stand out."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import linprog

from surefit.solvers.linear_program.frisch_newton import Problem, follow_path, weighted_gram


def problem(n=150, p=4, q=0.3, seed=0):
    rng = np.random.default_rng(seed)
    A = np.column_stack([rng.normal(size=(n, p - 1)), np.ones(n)])
    w = rng.integers(1, 4, n).astype(float)
    return Problem(A, A.sum(axis=1) + rng.standard_t(3, n), (q - 1) * w, q * w, np.zeros(p))


def value(problem, beta):
    r = problem.y - problem.A @ beta
    return np.maximum(problem.hi * r, problem.lo * r).sum() - problem.g @ beta


def highs(problem):
    """min Σ t − g·β  such that  t ≥ h r,  t ≥ l r."""
    n, p = problem.A.shape
    hi, lo = problem.hi[:, None], problem.lo[:, None]
    rows = np.vstack([np.hstack([-hi * problem.A, -np.eye(n)]), np.hstack([-lo * problem.A, -np.eye(n)])])
    right = np.concatenate([-problem.hi * problem.y, -problem.lo * problem.y])
    costs = np.concatenate([-problem.g, np.ones(n)])
    return linprog(costs, A_ub=rows, b_ub=right, bounds=[(None, None)] * p + [(0, None)] * n).fun


@pytest.mark.parametrize("q", [0.1, 0.5, 0.9])
def test_the_path_ends_at_the_optimum(q):
    one = problem(q=q)
    path = follow_path(one)
    best = highs(one)
    assert best * (1 - 1e-9) <= value(one, path.beta) <= best * (1 + 1e-6)
    assert 1 <= path.steps <= 60


def test_rows_on_the_fit_are_the_important_ones():
    one = problem()
    path = follow_path(one)
    r = np.abs(one.y - one.A @ path.beta)
    assert set(np.argsort(r)[:4]) == set(np.argsort(-path.importance)[:4])


def test_duals_of_rows_outside_the_problem():
    """Rows whose dual is fixed enter through g: the same optimum as with all rows."""
    one = problem(n=200)
    best = follow_path(one).beta
    r = one.y - one.A @ best
    far = np.abs(r) > np.quantile(np.abs(r), 0.5)
    fixed = np.where(r > 0, one.hi, one.lo)[far]
    rest = Problem(one.A[~far], one.y[~far], one.lo[~far], one.hi[~far], one.A[far].T @ fixed)
    assert value(one, follow_path(rest).beta) == pytest.approx(value(one, best), rel=1e-6)


def test_threads_do_not_change_the_gram_matrix(monkeypatch):
    rng = np.random.default_rng(1)
    A, D = rng.normal(size=(20_000, 5)), rng.random(20_000)
    results = []
    for threads in (1, 3):
        monkeypatch.setattr("surefit.solvers.linear_program.frisch_newton.threads_for", lambda work, t=threads: t)
        results.append(weighted_gram(A, D))
    assert results[0].tobytes() == results[1].tobytes()
    np.testing.assert_allclose(results[0], A.T @ (D[:, None] * A), rtol=1e-12, atol=1e-10)
