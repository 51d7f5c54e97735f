"""Answers from a triangular factor against LAPACK's least squares and closed forms."""

from __future__ import annotations

import numpy as np
import pytest

from surefit.solvers.numerics.triangle import Inverse, column_norms, solve_triangle, varies


def problem(n=40, d=5, targets=2, seed=0, sizes=6):
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(n, d)) * 10.0 ** rng.integers(-sizes, sizes, d)
    return A, rng.normal(size=(n, targets))


@pytest.mark.parametrize("penalty", [0.0, 2.5])
def test_against_lapack(penalty):
    A, Y = problem()
    Q, R = np.linalg.qr(A)
    w, inverse = solve_triangle(R, Q.T @ Y, penalty, np.zeros(5), 40)
    stacked = np.vstack([A, np.sqrt(penalty) * np.eye(5)])
    scale = np.linalg.norm(stacked, axis=0)
    expected = np.linalg.lstsq(stacked / scale, np.vstack([Y, np.zeros((5, 2))]), rcond=None)[0].T / scale
    np.testing.assert_allclose(w, expected, rtol=1e-10)
    assert inverse.full_rank and inverse.rank == 5
    g = np.random.default_rng(1).normal(size=(2, 5))
    np.testing.assert_allclose(inverse.apply(g) @ (A.T @ A + penalty * np.eye(5)), g, rtol=1e-6, atol=1e-6)


def test_dependent_columns_give_the_shortest_answer():
    A, Y = problem(seed=2, sizes=1)
    A = np.column_stack([A, A[:, :1]])
    Q, R = np.linalg.qr(A)
    w, inverse = solve_triangle(R, Q.T @ Y, 0.0, np.zeros(6), 40)
    assert inverse.rank == 5 and not inverse.full_rank
    np.testing.assert_allclose(w[:, 0], w[:, 5], rtol=1e-8)
    alone = np.linalg.lstsq(A[:, :5], Y, rcond=1e-15)[0].T
    np.testing.assert_allclose(w[:, 0] + w[:, 5], alone[:, 0], rtol=1e-6)


def test_constant_columns_get_nothing():
    w, inverse = solve_triangle(np.diag([1e-17, 1e-18]), np.ones((2, 1)), 0.0, np.array([1.0, 1.0]), 10)
    assert not w.any() and inverse.rank == 0
    assert not Inverse.nothing(3).apply(np.ones((1, 3))).any()
    assert varies(np.array([1e-17, 1.0]), np.array([1.0, 1.0])).tolist() == [False, True]


def test_norms_of_any_size():
    R = np.array([[3e200, 3e-200, 0.0], [4e200, 4e-200, 0.0]])
    np.testing.assert_allclose(column_norms(R), [5e200, 5e-200, 0.0], rtol=1e-15)
