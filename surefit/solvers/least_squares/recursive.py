"""Recursive least squares: rows come one after the other, and the answer is always that of all rows so far.

After rows of weights ω₁ … ωₙ, of which each unit of weight fades what came before by the forgetting factor λ,

    min over w, b of   Σᵢ λ^(tₙ−tᵢ) ωᵢ' (yᵢ − xᵢ·w − b)² + α λ^tₙ ‖w‖²          tᵢ = ω₁ + … + ωᵢ

with ωᵢ' = 1 + λ + … + λ^(ωᵢ−1) = (1 − λ^ωᵢ)/(1 − λ): a row of weight two is that row given twice. For λ = 1 this is
ridge regression, and the order of the rows does not matter.

The textbook's update of P = (Σ x xᵀ + α)⁻¹ subtracts, and after many rows P is no longer positive. Here P is never
updated: what is kept is a triangle (the square root of its inverse), and rows are rotated into it,

    Q · [ √λ R ]   =  [ R' ]           R = triangle of the columns  [ 1, x − c, y − c' ]
        [ √ω (1, x − c, y − c') ]   [ 0  ]

by orthogonal transformations (LAPACK's `tpqrt`), which add no more than a rounding of the rows they touch, however many
there are. One row costs O(d²); many rows at once are rotated together and give the same triangle up to rounding.

The first row of R is √W (1, x̄ − c, ȳ − c'): moving the reference point c to the mean of what was seen changes that row
alone, so data far from zero loses no digits, nor does data that drifts.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.linalg
import scipy.sparse as sp
from scipy.linalg.lapack import dtpqrt, dtrcon, dtrtri

from surefit.solvers.numerics.triangle import EPS, column_norms, solve_triangle

PANEL = 16
"""Columns that are eliminated at a time."""


class Recursion(NamedTuple):
    """What is known after the rows so far. It is never changed, only replaced."""

    triangle: np.ndarray
    """R, (m, m) with m = 1 + d + targets; without an intercept the column of ones is missing."""
    reference: np.ndarray | None
    """c and c', (d + targets); None before the first row."""
    n_targets: int
    with_intercept: bool

    @property
    def factor(self) -> np.ndarray:
        """F with FᵀF = P⁻¹: the triangle of the columns of X, about their mean if there is an intercept."""
        first = int(self.with_intercept)
        last = len(self.triangle) - self.n_targets
        return self.triangle[first:last, first:last]


def begin(n_features: int, n_targets: int, alpha: float, with_intercept: bool) -> Recursion:
    """Before the first row: nothing but the penalty."""
    first = int(with_intercept)
    triangle = np.zeros((first + n_features + n_targets,) * 2, order="F")
    penalized = np.arange(first, first + n_features)
    triangle[penalized, penalized] = np.sqrt(alpha)
    return Recursion(triangle, None, n_targets, with_intercept)


def absorbed(state: Recursion, X: Any, Y: np.ndarray, w: np.ndarray | None, forgetting: float) -> Recursion:
    """The state after the rows X, Y (targets in columns) of weights w (None: all one), in their order."""
    ages, sizes, total = _fading(np.ones(len(Y)) if w is None else w, forgetting)
    if not total > 0:
        return state
    first, d = int(state.with_intercept), X.shape[1]
    rows = np.ones((len(Y), len(state.triangle)), order="F")
    rows[:, first : first + d] = X.toarray() if sp.issparse(X) else X
    rows[:, first + d :] = Y
    triangle = state.triangle * forgetting ** (total / 2)
    reference = np.zeros(rows.shape[1] - first)
    if state.with_intercept:
        start = rows[np.argmax(sizes > 0), 1:].copy()
        reference = _recentered(triangle, start if state.reference is None else state.reference)
        rows[:, 1:] -= reference
    if w is not None or forgetting < 1:
        rows *= np.sqrt(sizes * forgetting**ages)[:, None]
    triangle = dtpqrt(0, min(PANEL, len(triangle)), triangle, rows, overwrite_a=1, overwrite_b=1)[0]
    return state._replace(triangle=np.triu(triangle), reference=reference)


def _fading(w: np.ndarray, forgetting: float) -> tuple[np.ndarray, np.ndarray, float]:
    """Weight that comes after each row, the size ωᵢ' of each row, and the weight of all."""
    ends = np.cumsum(w)
    sizes = w if forgetting == 1 else np.expm1(w * np.log(forgetting)) / (forgetting - 1)
    return ends[-1] - ends, sizes, float(ends[-1])


def _recentered(triangle: np.ndarray, reference: np.ndarray) -> np.ndarray:
    """Move the reference point to the mean of what was seen; the first row of the triangle is changed in place."""
    size = triangle[0, 0]
    if size == 0:
        return reference
    moved = reference + triangle[0, 1:] / size
    triangle[0, 1:] -= size * (moved - reference)
    return moved


def solution(state: Recursion) -> tuple[np.ndarray, np.ndarray]:
    """Coefficients (targets, features) and intercepts (targets,) that are best for the rows so far.

    Where columns depend on each other at the level of rounding (the penalty is faded or tiny), the shortest.
    """
    F, k = state.factor, state.n_targets
    Z = state.triangle[int(state.with_intercept) : -k, -k:]
    norms = column_norms(F)
    if _invertible(F, norms):
        coef = (scipy.linalg.solve_triangular(F / norms, Z, check_finite=False) / norms[:, None]).T
    else:
        coef, _ = solve_triangle(F, Z, 0.0, np.zeros(len(F)), len(F))
    if not state.with_intercept or state.reference is None:
        return coef, np.zeros(k)
    center, size = state.reference, state.triangle[0, 0]
    mean_x, mean_y = state.triangle[0, 1:-k] / size, state.triangle[0, -k:] / size
    return coef, (mean_y - coef @ mean_x) + (center[-k:] - coef @ center[:-k])


def covariance(state: Recursion) -> np.ndarray:
    """P = (FᵀF)⁻¹; infinite along directions of which nothing is known (any longer)."""
    F = state.factor
    norms = column_norms(F)
    if _invertible(F, norms):
        inverse, _ = dtrtri(F / norms)
        inverse = np.triu(inverse) / norms[:, None]
        return inverse @ inverse.T
    _, singular, Vt = scipy.linalg.svd(F, check_finite=False)
    known = singular > EPS * len(F) * singular[0]
    P = (Vt[known].T / singular[known] ** 2) @ Vt[known]
    unknown = Vt[~known].T @ Vt[~known]
    return np.where(np.abs(unknown) > EPS * len(F), np.copysign(np.inf, unknown), P)


def _invertible(F: np.ndarray, norms: np.ndarray) -> bool:
    """Whether columns scaled to unit norm are independent beyond rounding."""
    return bool((norms > 0).all()) and dtrcon(F / norms)[0] > 4 * EPS * len(F)
