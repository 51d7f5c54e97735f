"""The thresholds on offer where columns are binned, by the documented rule.

Of the distinct values v₁ < … < v_m of a column, with the sums C_i of their weights: a threshold v_i/2 + v_(i+1)/2 (v_i
where that is not below v_(i+1)) after every i if m ≤ max_bins, else after the first i with C_i ≥ C_m k / max_bins, for
k = 1 … max_bins − 1. Above 200,000 distinct rows the values are those of the rows with the smallest hashes. A column of
categories has no thresholds.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.attributes import Attributes, whole
from surefit.certificates.blocks import F64
from surefit.certificates.claim import Claim, Grade, at_most
from surefit.certificates.theorems.hashing import row_hashes
from surefit.certificates.theorems.trees.examples import Examples

SKETCH_ROWS = 200_000


def thresholds_of(x: F64, w: F64, max_bins: int) -> tuple[F64, bool]:
    """The thresholds of one column, and whether none of them hangs on a rounding of sums of weights."""
    known = ~np.isnan(x)
    v, place = np.unique(x[known], return_inverse=True)
    after, sure = np.arange(len(v) - 1), True
    if len(v) > max_bins:
        C = np.cumsum(np.bincount(place, weights=w[known]))
        marks = C[-1] * np.arange(1, max_bins) / max_bins
        low, high = (np.searchsorted(C, marks * (1 + s * 1e-12)) for s in (-1, 1))
        after, sure = np.unique(np.searchsorted(C, marks)), bool((low == high).all())
        after = after[after < len(v) - 1]
    low, high = v[after], v[after + 1]
    middle = low / 2 + high / 2
    return np.where((low <= middle) & (middle < high), middle, low), sure


def bins_claim(
    attrs: Attributes, data: Examples, theirs: bool, sets: NDArray[np.bool_] | None = None
) -> tuple[list[F64] | None, list[Claim]]:
    """The thresholds on offer of a model that has `bin_thresholds_`, by the rule; sets: columns of categories."""
    if theirs or not attrs.has("bin_thresholds_"):
        return None, []
    given, d = attrs.model.bin_thresholds_, data.X.shape[1]
    try:
        stated = [np.asarray(t, dtype=np.float64).ravel() for t in given]
    except (TypeError, ValueError):
        stated = []
    if len(stated) != d:
        attrs.faults.append("bin_thresholds_ is not a list of thresholds for each feature")
        return None, []
    max_bins, wrong, open_ = whole(attrs.parameter("max_bins", 255)), 0, 0
    there = np.flatnonzero(data.w > 0)
    with np.errstate(over="ignore"):
        hashes = row_hashes(data.X[there] + 0.0)
    kept = np.unique(hashes)[:SKETCH_ROWS]
    there = there[hashes <= kept[-1]]
    for j, thresholds in enumerate(stated):
        expected, sure = thresholds_of(data.X[there, j], data.w[there], max_bins)
        if sets is not None and sets[j]:
            expected, sure = np.empty(0), True
        same = np.array_equal(expected, thresholds)
        wrong, open_ = wrong + (not same and sure), open_ + (not same and not sure)
    claim = at_most(
        "bins",
        f"bin_thresholds_ of {d} features are at the quantiles that the rule gives; features where not "
        f"({open_} hang on a rounding).",
        Grade.EXACT,
        wrong,
        0,
        {"open": open_},
        failure=f"bin_thresholds_ of {wrong} features are not at the quantiles that the rule gives.",
    )
    return stated, [claim]
