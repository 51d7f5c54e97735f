"""Corrections in working and in twice the precision bring a poor answer to the least-squares answer."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from surefit._native import twofold_gap
from surefit.solvers.least_squares.refine import Answer, GapStep, correct, refine, unshift
from surefit.solvers.least_squares.tsqr import Shift
from surefit.solvers.numerics.twofold import Twofold, exact, zeros
from tests.reference import twofold_gap as reference
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


@pytest.mark.parametrize(("n", "d", "targets"), [(1, 1, 1), (7, 3, 2), (8, 1, 1), (67, 5, 3)])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_compiled_gap_is_that_of_the_reference(n, d, targets, weighted):
    """Whole and broken groups of eight rows, offsets that cancel, low parts that count."""
    rng = np.random.default_rng(n + d)
    X, Y = 1e8 + rng.normal(size=(n, d)), -1e6 + rng.normal(size=(n, targets))
    omega = rng.integers(0, 4, n).astype(float) if weighted else None
    center = np.append(X.mean(axis=0), Y.mean(axis=0))
    scale = 2.0 ** rng.integers(-3, 4, d + targets)
    w, b = (Twofold(v, v * 1e-17) for v in (rng.normal(size=(targets, d)), rng.normal(size=targets)))
    g, g_low, g0, g0_low, residual_ss = twofold_gap(X, Y, omega, center, scale, *w, *b)
    wanted = reference.gap(X, Y, np.ones(n) if omega is None else omega, center, scale, w, b)
    np.testing.assert_allclose(g + g_low, wanted[0].value, rtol=1e-15, atol=1e-24)
    np.testing.assert_allclose(g0 + g0_low, wanted[1].value, rtol=1e-15, atol=1e-24)
    np.testing.assert_allclose(residual_ss, wanted[2], rtol=1e-13)
    with pytest.raises(ValueError, match="center"):
        twofold_gap(X, Y, omega, center[1:], scale, *w, *b)
