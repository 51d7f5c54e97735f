"""Bins of columns: thresholds by their rule.

If a column has at most max_bins distinct values each has a bin of its own. Else for k = 1 … max_bins − 1 a threshold
is behind the first value that has the share k / max_bins of the weight up to it: so no bin has a share 1 / max_bins
before its largest value, which is what is checked. Thresholds are midway to the next value, or (scikit-learn) on it.
"""

from __future__ import annotations

import numpy as np

from surefit.certificates.blocks import F64
from surefit.certificates.rounding import UNIT


def by_rule(x: F64, w: F64, max_bins: int, edges: F64, middle: bool) -> bool:
    keep = (w > 0) & ~np.isnan(x)
    v, place = np.unique(x[keep], return_inverse=True)
    C = np.append(0.0, np.cumsum(np.bincount(place, weights=w[keep])))
    last = np.searchsorted(v, edges, side="right")  # how many values are up to each threshold
    if len(edges) >= max_bins or not (edges[1:] > edges[:-1]).all() or ((last < 1) | (last >= len(v))).any():
        return False
    starts, ends = np.append(0, last), np.append(last, len(v))
    heavy = ends - starts > 1 if len(v) <= max_bins else C[ends - 1] - C[starts] > C[-1] / max_bins * (1 + 1e-9)
    low, high = v[last - 1], v[last]
    off = np.abs(edges - (low / 2 + high / 2))
    off = off if middle else np.minimum(off, np.abs(edges - low))
    return not heavy.any() and bool((off <= 4 * UNIT * (np.abs(low) + np.abs(high))).all())
