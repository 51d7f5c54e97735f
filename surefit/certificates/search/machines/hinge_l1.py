"""Proposes better coefficients for  ‖w‖₁ + Σ U max(0, 1 − Aw)² : Newton's method on the coefficients that are not zero.

Coefficients whose slope exceeds one join, those that would change their sign stop at zero and leave.
"""

from __future__ import annotations

import numpy as np

from surefit.certificates.blocks import F64
from surefit.certificates.search.machines.kernel_dual import solved

STEPS, WIDE = 200, 2000


def least_l1(A: F64, U: F64, w: F64, tol: float) -> F64:
    value, slope = _at(A, U, w)
    for _ in range(STEPS):
        gain = np.abs(slope) - 1.0
        join = np.flatnonzero((w == 0) & (gain > 1e-3 * tol))
        join = join[np.argsort(-gain[join])][: max(5, int(np.count_nonzero(w)) // 4)]
        S = np.union1d(np.flatnonzero(w), join)
        if S.size == 0 or S.size > WIDE:
            break
        sign = np.where(w[S] != 0, np.sign(w[S]), np.sign(slope[S]))
        on = 1 - A @ w > 0
        H = 2 * (A[np.ix_(on, S)] * U[on, None]).T @ A[np.ix_(on, S)]
        H[np.diag_indices_from(H)] += 1e-12 * np.diag(H).max() + 1e-300
        right = slope[S] - sign
        step = solved(H, right)
        if not right @ step > 1e-14 * value:
            break
        after, (new, new_slope) = w, (value, slope)
        for size in 0.5 ** np.arange(34):
            moved = w[S] + size * step
            after = w.copy()
            after[S] = np.where(moved * sign > 0, moved, 0.0)
            new, new_slope = _at(A, U, after)
            if new < value:
                break
        if not new < value:
            break
        w, value, slope = after, new, new_slope
    return w


def _at(A: F64, U: F64, w: F64) -> tuple[float, F64]:
    """The value, and minus the slope of the losses."""
    v = np.maximum(1 - A @ w, 0.0)
    return float(np.abs(w).sum() + U @ v**2), 2 * (U * v) @ A
