"""Bins of columns: thresholds by their rule.

With v₁ < … < v_m the distinct values of a column and C_i the weight of the rows with a value of at most v_i: for
m ≤ max_bins each value has a bin of its own; else for k = 1 … max_bins − 1 a threshold behind v_i, the first value
with C_i ≥ C_m k / max_bins. So below max_bins thresholds, and no bin has a share 1 / max_bins of the weight before its
largest value. **This is what is checked**, and that a threshold is

    surefit          the middle of v_i and v_(i+1)
    scikit-learn     v_i, or the middle of v_i and v_(i+1)
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.blocks import F64
from surefit.certificates.claim import Claim, Grade
from surefit.certificates.rounding import UNIT
from surefit.certificates.theorems.worst import Worst


def bins_claim(
    given: list[F64], X: F64, w: F64, max_bins: int, by_sets: NDArray[np.bool_], between: bool, tol: float
) -> Claim:
    """Thresholds against their rule, in units of the range of the column; between: by the rule of surefit."""
    worst = Worst()
    for j in np.flatnonzero(~by_sets):
        x, edges = X[:, j], given[j]
        span = max(float(np.nanmax(x, initial=-np.inf) - np.nanmin(x, initial=np.inf)), float(np.finfo(float).tiny))
        off = _off_rule(x, w, max_bins, edges, between)
        worst.see(off / span, 0.0, 4 * UNIT * float(np.abs(edges).max(initial=0.0)) / span)
    sentence = f"The thresholds of {worst.count} columns are those of the rule for bins; largest distance to it."
    return worst.claim("bins", sentence, tol, "The thresholds of bins are not those of these rows.", Grade.EXACT)


def _off_rule(x: F64, w: F64, max_bins: int, edges: F64, between: bool) -> float:
    """How far a threshold is from its place; infinite where bins are too many, not in order or too heavy."""
    keep = (w > 0) & ~np.isnan(x)
    v, place = np.unique(x[keep], return_inverse=True)
    C = np.append(0.0, np.cumsum(np.bincount(place, weights=w[keep])))
    last = np.searchsorted(v, edges, side="right")  # how many values are up to each threshold
    starts, ends = np.append(0, last), np.append(last, len(v))
    few, before = len(v) <= max_bins, C[np.maximum(ends, 1) - 1] - C[starts]  # its largest value
    heavy = (ends - starts > 1) if few else (before > C[-1] / max_bins * (1 + 1e-9))
    if heavy.any() or len(edges) >= max_bins or not (edges[1:] > edges[:-1]).all() or (last < 1).any():
        return np.inf
    low, high = v[last - 1], v[np.minimum(last, len(v) - 1)]
    off = np.abs(edges - (low / 2 + high / 2))
    return float((off if between else np.minimum(off, np.abs(edges - low))).max(initial=0.0))
