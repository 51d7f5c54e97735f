"""A vertex of a linear program solved to the last digit, however nearly dependent its columns are.

    A_H β = y_H          A_Hᵀ a_H = −g − Σ aᵢ Aᵢ  (i outside H)

The rows are A + low, low what rounding took when columns were centered. Right-hand sides and residuals are summed in
twice the precision, steps come from one factor in working precision, and each step multiplies the error by about
(condition number × rounding). The rounded a_H then misses its equations by Σ ηᵢ Aᵢ with |ηᵢ| ≤ ½ ulp(aᵢ), which is in
the span of the rows: a proof of optimality loses nothing to the condition number.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg.lapack import dgetrf, dgetrs

from surefit.solvers.numerics import twofold
from surefit.solvers.numerics.twofold import Twofold

MOST_ROUNDS = 12
CHUNK = 2**18


def rows_times(M: Twofold, x: Twofold) -> Twofold:
    """M x for x of shape (columns,)."""
    terms = twofold.multiply(M, x)
    return twofold.sum_rows(Twofold(terms.high.T, terms.low.T))


def transposed_times(M: Twofold, a: np.ndarray) -> Twofold:
    """Mᵀ a, by chunks of rows."""
    n, p = M.high.shape
    total = twofold.zeros(p)
    step = max(1, CHUNK // max(1, p))
    for start in range(0, n, step):
        part = slice(start, min(n, start + step))
        column = np.broadcast_to(a[part, None], (part.stop - start, p))
        total = twofold.add(
            total, twofold.sum_rows(twofold.multiply(Twofold(M.high[part], M.low[part]), twofold.exact(column)))
        )
    return total


def solve(M: Twofold, b: Twofold) -> np.ndarray | None:
    """M x = b, rounded once; None where M is singular to working precision."""
    lu, pivots, singular = dgetrf(M.high)
    if singular:
        return None
    x = twofold.exact(dgetrs(lu, pivots, b.value)[0])
    before = np.inf
    for _ in range(MOST_ROUNDS):
        product = rows_times(M, x)
        left = twofold.add(b, Twofold(-product.high, -product.low))
        step = dgetrs(lu, pivots, left.value)[0]
        size = float(np.abs(step).max(initial=0.0)) / (float(np.abs(x.high).max(initial=0.0)) or 1.0)
        if not size < 0.5 * before:  # no longer shrinking (or not finite): the last answer stands
            break
        x = twofold.add(x, twofold.exact(step))
        if size <= 1e-30:
            break
        before = size
    return x.value if np.isfinite(x.value).all() else None


def solve_basis(
    A: np.ndarray, low: np.ndarray, y: np.ndarray, g: np.ndarray, a: np.ndarray, basis: np.ndarray
) -> tuple[np.ndarray, np.ndarray] | None:
    """(β, a_H) of the basis H, given the duals `a` of all other rows; None where H is not a basis."""
    others = a.copy()
    others[basis] = 0.0
    M = Twofold(A[basis], low[basis])
    pull = twofold.add(transposed_times(Twofold(A, low), others), twofold.exact(g))
    beta = solve(M, twofold.exact(y[basis]))
    duals = solve(Twofold(M.high.T, M.low.T), Twofold(-pull.high, -pull.low))
    return None if beta is None or duals is None else (beta, duals)
