"""Square systems in twice the precision against rational arithmetic."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from surefit.solvers.linear_program.edge_descent import choose_basis, descend
from surefit.solvers.linear_program.exact_basis import solve, solve_basis
from surefit.solvers.linear_program.frisch_newton import Problem
from surefit.solvers.numerics.twofold import Twofold, dot, exact


def rational_solve(M, b):
    """Gauss–Jordan over the rationals."""
    rows = [[Fraction(v) for v in row] + [Fraction(t)] for row, t in zip(M, b, strict=True)]
    p = len(rows)
    for j in range(p):
        pivot = next(i for i in range(j, p) if rows[i][j])
        rows[j], rows[pivot] = rows[pivot], rows[j]
        rows[j] = [v / rows[j][j] for v in rows[j]]
        for i in range(p):
            if i != j and rows[i][j]:
                rows[i] = [v - rows[i][j] * u for v, u in zip(rows[i], rows[j], strict=True)]
    return [row[-1] for row in rows]


def hilbert(p):
    """Condition number 1.6e13 for p = 10."""
    return 1.0 / (np.arange(p)[:, None] + np.arange(p) + 1)


@pytest.mark.parametrize("p", [1, 5, 10])
def test_ill_conditioned_systems_are_solved_to_the_last_digit(p):
    M, b = hilbert(p), np.arange(1.0, p + 1)
    truth = rational_solve(M.tolist(), b.tolist())
    np.testing.assert_allclose(solve(exact(M), exact(b)), [float(t) for t in truth], rtol=2.3e-16)


def test_the_low_parts_count():
    M = Twofold(np.eye(2), np.array([[0.0, 2.0**-60], [0.0, 0.0]]))
    np.testing.assert_array_equal(solve(M, exact(np.array([1.0, 2.0**60]))), [0.0, 2.0**60])


def test_a_singular_basis_is_no_basis():
    assert solve(exact(np.zeros((2, 2))), exact(np.ones(2))) is None


def test_both_halves_of_a_vertex():
    rng = np.random.default_rng(0)
    A = np.vstack([hilbert(6), rng.integers(-4, 5, (20, 6)) / 4])
    y, a, g = rng.normal(size=26), rng.choice([-0.5, 0.5], 26), rng.normal(size=6)
    basis = np.arange(6)
    beta, duals = solve_basis(A, np.zeros_like(A), y, g, a, basis)
    np.testing.assert_allclose(beta, [float(v) for v in rational_solve(A[:6].tolist(), y[:6].tolist())], rtol=2.3e-16)
    pull = [
        -Fraction(t) - sum(Fraction(v) * Fraction(s) for v, s in zip(c, a[6:].tolist(), strict=True))
        for t, c in zip(g.tolist(), A[6:].T.tolist(), strict=True)
    ]
    truth = rational_solve(A[:6].T.tolist(), pull)
    np.testing.assert_allclose(duals, [float(v) for v in truth], rtol=2.3e-16)


def test_a_vertex_of_nearly_dependent_columns_is_optimal_in_exact_arithmetic():
    rng = np.random.default_rng(3)
    x = rng.normal(size=40)
    A = np.column_stack([x, x + 1e-11 * rng.normal(size=40), np.ones(40)])
    y = x + rng.standard_t(2, size=40)
    problem = Problem(A, y, np.full(40, -0.5), np.full(40, 0.5), np.zeros(3), lambda: np.zeros_like(A))
    vertex = descend(problem, choose_basis(A, np.ones(40)))
    assert vertex.optimal
    rows = vertex.basis.tolist()
    beta = rational_solve(A[rows].tolist(), y[rows].tolist())
    r = [
        Fraction(t) - sum(Fraction(v) * b for v, b in zip(row, beta, strict=True))
        for row, t in zip(A.tolist(), y.tolist(), strict=True)
    ]
    held = [Fraction(1, 2) if e > 0 else Fraction(-1, 2) for e in r]
    pull = [-sum(Fraction(A[i, j]) * held[i] for i in range(40) if i not in rows) for j in range(3)]
    duals = rational_solve(A[rows].T.tolist(), pull)
    assert all(abs(d) <= Fraction(1, 2) for d in duals)
    np.testing.assert_allclose(vertex.dual[rows], [float(d) for d in duals], rtol=1e-14)


def test_dot_rounds_once():
    a, b = np.array([1e16, 1.0, -1e16]), np.array([1.0, 1e-3, 1.0])
    assert dot(a, b, 1e-20) == float(Fraction(1e-3) + Fraction(1e-20))
    assert dot(np.array([1e300]), np.array([1e300])) == np.inf
