"""min ‖A x − c‖ over lo ≤ x ≤ hi, by the active-set method of Stark and Parker (1995)."""

from __future__ import annotations

import numpy as np

from surefit.certificates.blocks import F64


def bounded_least_squares(A: F64, c: F64, lo: F64, hi: F64) -> F64:
    """A point of the box that makes ‖A x − c‖ small; the least value unless the number of steps runs out.

    What the caller proves with the answer must not rest on its being the best: any point of the box is a valid answer.
    """
    if not all(np.isfinite(v).all() for v in (A, c, lo, hi)):
        return np.clip(np.zeros(lo.size), lo, hi)
    middle = (lo + hi) / 2
    x = middle + _solve(A, c - A @ middle)
    if ((x >= lo) & (x <= hi)).all():
        return x
    free = (x > lo) & (x < hi)
    x = np.clip(x, lo, hi)
    for _ in range(3 * x.size + 10):
        # on the free coordinates go towards the least-squares point, and stop at the first wall
        while free.any():
            target = x.copy()
            target[free] += _solve(A[:, free], c - A @ x)
            step = target - x
            room = np.where(step > 0, hi - x, x - lo)
            reach = np.where(free & (step != 0), room / np.where(step != 0, np.abs(step), 1.0), np.inf)
            first = int(np.argmin(reach))
            if reach[first] >= 1.0:
                x = np.clip(target, lo, hi)
                break
            x = np.clip(x + max(0.0, float(reach[first])) * step, lo, hi)
            x[first] = hi[first] if step[first] > 0 else lo[first]
            free[first] = False
        # let go of the wall that is pushed off hardest
        residual = c - A @ x
        slope = A.T @ residual
        inward = np.where(x <= lo, slope, -slope)
        inward = np.where(free | (lo >= hi), -np.inf, inward)
        noise = 1e-13 * np.linalg.norm(A, axis=0) * np.linalg.norm(residual)
        best = int(np.argmax(inward - noise)) if inward.size else 0
        if not inward.size or inward[best] <= noise[best] or np.linalg.norm(residual) <= 1e-15 * np.linalg.norm(c):
            return x
        free[best] = True
    return x


def _solve(A: F64, c: F64) -> F64:
    return np.linalg.lstsq(A, c, rcond=None)[0] if A.size else np.zeros(A.shape[1])
