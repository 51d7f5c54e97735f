"""Proposes a better hyperplane and a dual point for a linear support vector machine: Newton's method in memory.

The hinge max(0, v) is replaced by v²/(2τ) up to v = τ and v − τ/2 beyond: its slope min(1, max(0, v)/τ) is a point of
the dual's box, and at the minimum of  ½‖w̃‖² + Σ U h(v)  it is within Σ Uτ/2 of the best. Squared hinges need no τ.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np

from surefit.certificates.blocks import F64, Rows, dense
from surefit.certificates.search.machines.balanced_slopes import balanced, proved
from surefit.certificates.search.machines.hinge_l1 import least_l1
from surefit.certificates.search.machines.kernel_dual import Search, solved
from surefit.certificates.theorems.linear_program.long_rows import slices
from surefit.certificates.theorems.margin.hinge import Plane

ENTRIES = 1 << 25  # numbers of the data that may be in memory
WIDE = 3000  # the order of a linear system that is solved
# Widths τ and Newton steps for each: from a plane that is nearly the best, from any, and to the end.
PATHS = (((1e-4,), 12), ((1e-1, 1e-2, 1e-3), 40), (tuple(10.0**-k for k in range(1, 8)), 100))
ROUGH = 0.05  # a relative gap from which the active-set method starts


def better_plane(p: Any, plane: Any, slopes: F64, tol: float) -> tuple[Any, F64]:
    """A plane, and slopes of all rows; those given where nothing better was found."""
    n, d = p.blocks.n_rows, p.blocks.n_features
    if n * (d + 1) > ENTRIES:
        return plane, slopes
    parts = [(dense(part.X) if isinstance(part.X, Rows) else part.X.astype(np.float64), *p.terms(part))
             for part in slices(p.blocks)]  # fmt: skip
    X, s, U = (np.concatenate(column) for column in zip(*parts, strict=True))
    A = s[:, None] * (np.column_stack([X, np.full(n, p.column)]) if p.column else X)
    w = np.append(plane.w, plane.b / p.column) if p.column else plane.w.copy()
    a = balanced(A, U, w, p.squared, p.l1)
    long = A.astype(np.longdouble)
    v = np.asarray(np.maximum(1 - long @ w, 0), dtype=np.float64)
    value = float(np.abs(w).sum() if p.l1 else w @ w / 2) + float(U @ v**2 if p.squared else U @ v)
    if value - proved(A, U, a, p.squared, p.l1) <= 0.5 * tol * value:
        return plane, a
    if p.l1:
        w = least_l1(A, U, w, tol)
        found = [a, 2 * U * np.maximum(1 - A @ w, 0), balanced(A, U, w, True, True)]
    else:
        w, slope = _least(A, U, w, p.squared, tol)
        found = [a, slope, balanced(A, U, w, p.squared, False)]
    a = max(found, key=lambda slopes: proved(A, U, slopes, p.squared, p.l1))
    return Plane(w[:d], float(w[d] * p.column) if p.column else 0.0), a


def _least(A: F64, U: F64, start: F64, squared: bool, tol: float) -> tuple[F64, F64]:
    """The best of the planes and slopes along the paths, and of those that an active-set method makes of them."""
    best = (np.inf, start, np.zeros(len(U)))
    for path, steps in (((1.0,), 60),) if squared else PATHS:
        w = start
        for tau in path:
            w, a = _minimum(A, U, w, tau, squared, steps)
            best = min(best, (_gap(A, U, w, a, squared), w, a), key=lambda one: one[0])
        if not squared and best[0] < ROUGH:
            search = _Rows(_Products(), A, np.arange(len(A)), np.ones(len(A)), U, None, best[2])
            search.run(A @ (best[2] @ A), 0.0, 1e-3 * tol)
            w = search.beta @ A
            best = min(best, (_gap(A, U, w, search.beta, squared), w, search.beta), key=lambda one: one[0])
        if best[0] <= 1e-2 * tol:
            break
    return best[1:]


def _gap(A: F64, U: F64, w: F64, a: F64, squared: bool) -> float:
    v, g = np.maximum(1 - A @ w, 0), a @ A
    value = w @ w / 2 + (U @ v**2 if squared else U @ v)
    bound = a.sum() - g @ g / 2 - ((a**2 / np.where(U > 0, 4 * U, 1.0)).sum() if squared else 0.0)
    return float((value - bound) / value) if value > 0 else 0.0


class _Products:
    """The linear kernel of rows that carry their signs."""

    name = "linear"

    def block(self, A: F64, B: F64, places: Any) -> Any:
        return SimpleNamespace(value=A @ B.T)


class _Rows(Search):
    intercept = False


def _minimum(A: F64, U: F64, w: F64, tau: float, squared: bool, steps: int) -> tuple[F64, F64]:
    """Newton's method with halved steps: w and the slopes U h'(v)."""

    def at(w: F64) -> tuple[float, F64, F64]:
        v = np.maximum(1 - A @ w, 0.0)
        if squared:
            return float(w @ w / 2 + U @ v**2), 2 * U * v, np.where(v > 0, 2 * U, 0.0)
        small = v < tau
        value = float(w @ w / 2 + U @ np.where(small, v**2 / (2 * tau), v - tau / 2))
        return value, U * np.minimum(v / tau, 1.0), np.where(small & (v > 0), U / tau, 0.0)

    value, slope, curve = at(w)
    for _ in range(steps):
        gradient = w - slope @ A
        on = np.flatnonzero(curve)
        step = _solve(A[on], curve[on], gradient)
        fall, size = float(gradient @ step), 1.0
        if not fall > 1e-15 * abs(value):
            break
        after = at(w - step)
        while size > 1e-8 and not after[0] <= value - 1e-4 * size * fall:
            size /= 2
            after = at(w - size * step)
        if size <= 1e-8:
            break
        w = w - size * step
        value, slope, curve = after
    return w, slope


def _solve(A: F64, c: F64, g: F64) -> F64:
    """(I + Aᵀ diag(c) A)⁻¹ g, in the smaller of the two dimensions."""
    m, d = A.shape
    if m == 0 or min(m, d) > WIDE:
        return g
    if d <= m:
        return solved(np.eye(d) + (A * c[:, None]).T @ A, g)
    return g - A.T @ solved(np.diag(1 / c) + A @ A.T, A @ g)
