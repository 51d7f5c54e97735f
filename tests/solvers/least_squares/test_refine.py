"""Corrections in working and in twice the precision bring a poor answer to the least-squares answer."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from surefit.solvers.least_squares.refine import Answer, GapStep, correct, refine, unshift
from surefit.solvers.least_squares.tsqr import Shift
from surefit.solvers.numerics.twofold import exact, zeros
from tests.solvers.least_squares.data import answer, problem, source


def start(X, Y, w, alpha):
    """Columns about their weighted means and halved, and the inverse of their products."""
    center = np.average(np.column_stack([X, Y]), axis=0, weights=w)
    A = 0.5 * (X - center[: X.shape[1]])
    H = np.linalg.inv(A.T @ (w[:, None] * A) + 0.25 * alpha * np.eye(X.shape[1]))
    return Shift(center, np.full(len(center), 0.5), True), lambda g: g @ H


@pytest.mark.parametrize("alpha", [0.0, 2.0])
def test_a_poor_start_is_made_right(alpha):
    X, Y, w = problem()
    shift, solve = start(X, Y, w, alpha)
    expected = answer(X, Y, w, alpha)
    rough = expected[0] * (1 + 1e-3)  # columns and targets have the same scale: w is the same in both
    found, residual_ss = refine(source(X, Y, w), shift, w.sum(), rough, solve, np.full(2, alpha))
    coef, intercept = unshift(found, shift)
    np.testing.assert_allclose(coef, expected[0], rtol=1e-13)
    np.testing.assert_allclose(intercept, expected[1], rtol=1e-12)
    np.testing.assert_allclose(residual_ss * 4, w @ (Y - X @ coef.T - intercept) ** 2, rtol=1e-12)
    once, _, _ = correct(source(X, Y, w), shift, w.sum(), rough, solve, np.full(2, alpha))
    assert np.abs(once - expected[0]).max() < 1e-4 * np.abs(rough - expected[0]).max() + 1e-12


def test_the_gap_in_exact_arithmetic():
    """Σ (x − c) r of residuals that cancel to a few units in the last place."""
    X, Y, _ = problem(20, 2, 1, offset=1e6)
    w = np.array([[0.3, -1.7]])
    shift = Shift(np.append(X.mean(axis=0), Y.mean(axis=0)), np.ones(3), True)
    gap = source(X, Y).fold(GapStep(), (shift, Answer(exact(w), zeros(1))))
    c = [Fraction(float(v)) for v in shift.center]
    rows = [[Fraction(float(v)) for v in row] for row in np.column_stack([X, Y])]
    total = [Fraction(0), Fraction(0)]
    for x0, x1, y in rows:
        r = (y - c[2]) - (x0 - c[0]) * Fraction(0.3) - (x1 - c[1]) * Fraction(-1.7)
        total = [total[0] + (x0 - c[0]) * r, total[1] + (x1 - c[1]) * r]
    np.testing.assert_allclose(gap.g.value[0], [float(t) for t in total], rtol=1e-15)
