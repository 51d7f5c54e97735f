"""Descent along edges: the vertex it ends at has duals within their bounds that prove it."""

from __future__ import annotations

import numpy as np
import pytest

from surefit.solvers.linear_program.edge_descent import choose_basis, descend, solve_square
from surefit.solvers.linear_program.frisch_newton import Problem


def assert_proved(problem, vertex):
    """Aᵀa = −g, l ≤ a ≤ h, and the dual value y·a is the primal value: nothing is better (weak duality)."""
    A, y, lo, hi, g, _ = problem
    assert vertex.optimal
    assert (vertex.dual >= lo).all() and (vertex.dual <= hi).all()
    np.testing.assert_allclose(A.T @ vertex.dual, -g, atol=1e-9 * np.abs(A).sum(axis=0).max())
    r = y - A @ vertex.beta
    primal = np.maximum(hi * r, lo * r).sum() - g @ vertex.beta
    assert primal == pytest.approx(y @ vertex.dual, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("q", [0.5, 0.2])
def test_from_any_basis(seed, q):
    rng = np.random.default_rng(seed)
    A = np.column_stack([rng.normal(size=(80, 3)), np.ones(80)])
    problem = Problem(A, rng.normal(size=80), np.full(80, q - 1), np.full(80, q), np.zeros(4))
    vertex = descend(problem, np.sort(rng.choice(80, 4, replace=False)))
    assert_proved(problem, vertex)


@pytest.mark.parametrize("seed", range(5))
def test_ties_of_small_whole_numbers(seed):
    rng = np.random.default_rng(seed)
    A = np.column_stack([rng.integers(-1, 2, (60, 2)), np.ones(60)]).astype(float)
    problem = Problem(A, rng.integers(-1, 2, 60).astype(float), np.full(60, -0.5), np.full(60, 0.5), np.zeros(3))
    assert_proved(problem, descend(problem, choose_basis(A, np.ones(60))))


def test_the_median_in_one_column():
    y = np.array([5.0, 1.0, 9.0, 2.0, 100.0])
    problem = Problem(np.ones((5, 1)), y, np.full(5, -0.5), np.full(5, 0.5), np.zeros(1))
    assert descend(problem, np.array([4])).beta.tolist() == [5.0]


def test_an_objective_without_end_is_not_called_optimal():
    """g is beyond what the duals can balance: β runs away."""
    problem = Problem(np.ones((3, 1)), np.arange(3.0), np.full(3, -0.5), np.full(3, 0.5), np.array([10.0]))
    assert not descend(problem, np.array([0])).optimal


def test_a_basis_is_independent_and_prefers_important_rows():
    rng = np.random.default_rng(1)
    A = rng.normal(size=(50, 3))
    importance = np.full(50, 1e-6)
    importance[[7, 20, 33]] = 1.0
    assert choose_basis(A, importance).tolist() == [7, 20, 33]
    A[20] = 2 * A[7]  # now two of them are one
    basis = choose_basis(A, importance)
    assert np.linalg.matrix_rank(A[basis]) == 3 and 33 in basis


def test_square_systems():
    rng = np.random.default_rng(2)
    M, x = rng.normal(size=(6, 6)), rng.normal(size=6)
    np.testing.assert_allclose(solve_square(M, M @ x), x, rtol=1e-11)
