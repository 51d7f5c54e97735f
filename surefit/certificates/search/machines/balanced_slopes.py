"""Proposes slopes a of the rows whose sum g = Σ a s x̃ is what it must be at an optimum: w̃, or signs for ‖w̃‖₁.

At coefficients that are the best to rounding, slopes 2U max(0, v) (or U where v > 0) miss g by rounding times the size
of the rows, which for data far from zero is much. The least change of the slopes inside their boxes repairs that.
"""

from __future__ import annotations

import numpy as np

from surefit.certificates.blocks import F64

LONG = np.longdouble
ROUNDS = 12
NEAR = (1e-8, 1e-6, 1e-5, 1e-4, 1e-3)


def balanced(A: F64, U: F64, w: F64, squared: bool, l1: bool) -> F64:
    """Slopes for the coefficients w; rows of A carry their signs. A hinge has its kink where v is nearly zero."""
    found = [_repaired(A, U, w, squared, l1, near) for near in ((0.0,) if squared else NEAR)]
    return max(found, key=lambda a: proved(A, U, a, squared, l1))


def _repaired(A: F64, U: F64, w: F64, squared: bool, l1: bool, near: float) -> F64:
    precise, size = A.astype(LONG), np.abs(A) @ np.abs(w)
    v = np.asarray(1 - precise @ w.astype(LONG), dtype=np.float64)
    high = np.full(len(U), np.inf) if squared else U
    a = (2 * U * np.maximum(v, 0) if squared else np.where(v > 0, U, 0.0)).astype(LONG)
    if not squared:
        a = np.where(np.abs(v) <= near + 4e-15 * size, U / 2, a).astype(LONG)
    columns = np.flatnonzero(w) if l1 else np.arange(len(w))
    target = np.sign(w[columns]) if l1 else w
    unit = np.abs(A[:, columns]).max(axis=0, initial=0.0)
    unit = np.where(unit > 0, unit, 1.0)
    for _ in range(ROUNDS):
        missing = np.asarray(target - a @ precise[:, columns], dtype=np.float64)
        space = np.asarray(np.where(a > 0, U, 0.0) if squared else np.minimum(a, high - a), dtype=np.float64)
        on = np.flatnonzero(space > 0)
        if not on.size or not np.isfinite(missing).all():
            break
        root = np.sqrt(space[on])
        system = (A[np.ix_(on, columns)] / unit * root[:, None]).T
        a[on] += root * np.linalg.lstsq(system, missing / unit, rcond=1e-15)[0]
        a = np.clip(a, 0, high)
    return np.asarray(a, dtype=np.float64)


def proved(A: F64, U: F64, a: F64, squared: bool, l1: bool) -> float:
    """The dual value of the slopes."""
    long = a.astype(LONG)
    g = np.asarray(long @ A.astype(LONG), dtype=np.float64)
    squares = float((long**2 / np.where(U > 0, 4 * U, 1.0)).sum()) if squared else 0.0
    total = float(long.sum())
    if not l1:
        return total - squares - float(g @ g) / 2
    theta = min(1 / max(float(np.abs(g).max(initial=0.0)), 1e-300), total / (2 * squares) if squares > 0 else 1.0)
    return theta * total - theta**2 * squares
