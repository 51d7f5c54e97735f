"""Division by I + Σ ω x̃ x̃ᵀ: against a direct solution, and with columns far from zero against exact fractions."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from surefit.engine.sources.block import Block
from surefit.solvers.hinge.plane_coordinates import coordinates_for
from surefit.solvers.hinge.ridge_metric import RidgeMetric, gram_about
from surefit.summaries.moments import MomentsStep


def solver_of(X, w, scale):
    moments = MomentsStep(False).map(None, Block(X, None, w, 0, 256), 1)
    plane = coordinates_for(moments, scale, True)
    metric = RidgeMetric(gram_about(moments, plane.center, scale > 0), plane.center, scale)

    def solve(g):
        """H⁻¹ g in u, by way of v."""
        last = g[-1] / scale if scale else 0.0
        in_v = np.append(g[:-1] - plane.center * last, last) if scale else g
        return plane.penalized(metric.solve(in_v))

    return solve


@pytest.mark.parametrize("scale", [0.0, 1.0, 7.0])
def test_direct_solution(scale):
    rng = np.random.default_rng(0)
    X, w = rng.normal(size=(60, 4)) + 3.0, rng.uniform(0.1, 2.0, 60)
    rows = np.column_stack([X, np.full(60, scale)]) if scale else X
    H = np.eye(rows.shape[1]) + (rows * w[:, None]).T @ rows
    g = rng.normal(size=rows.shape[1])
    np.testing.assert_allclose(solver_of(X, w, scale)(g), np.linalg.solve(H, g), rtol=1e-9)


def test_far_from_zero():
    """Whole numbers near 10⁶: the exact solution in fractions."""
    rng = np.random.default_rng(1)
    X = rng.integers(-9, 10, (40, 2)).astype(np.float64) + 1e6
    rows = [[Fraction(int(v)) for v in row] + [Fraction(1)] for row in X]
    H = [[sum(r[i] * r[j] for r in rows) + (i == j) for j in range(3)] for i in range(3)]
    g = [Fraction(1), Fraction(-2), Fraction(3)]
    step = solver_of(X, np.ones(40), 1.0)(np.array([1.0, -2.0, 3.0]))
    want = np.array([float(v) for v in solved(H, g)])
    np.testing.assert_allclose(step, want, rtol=1e-6)


def solved(H, g):
    """Gauss's elimination in fractions."""
    H, g = [row[:] for row in H], g[:]
    for k in range(3):
        for i in range(k + 1, 3):
            factor = H[i][k] / H[k][k]
            H[i] = [a - factor * b for a, b in zip(H[i], H[k], strict=True)]
            g[i] -= factor * g[k]
    x = [Fraction(0)] * 3
    for k in (2, 1, 0):
        x[k] = (g[k] - sum(H[k][j] * x[j] for j in range(k + 1, 3))) / H[k][k]
    return x


def test_singular_gram():
    """A repeated column: along the difference the second derivative is one."""
    X = np.ones((5, 2)) * np.arange(1.0, 6.0)[:, None] * 1e4
    step = solver_of(X, np.ones(5), 0.0)(np.array([1.0, 1.0]))
    np.testing.assert_allclose(step, np.full(2, 1.0 / (1.0 + 2.0 * 55e8)), rtol=1e-6)
