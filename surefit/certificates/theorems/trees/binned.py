"""Bins of columns: thresholds by their rule; rows and trees in numbers of bins.

With v₁ < … < v_m the distinct values of a column and C_i the weight of the rows with a value of at most v_i: for
m ≤ max_bins a threshold in the middle of any two neighbors; else for k = 1 … max_bins − 1 with v_i the first value
with C_i ≥ C_m k / max_bins

    surefit          the middle of v_i and v_(i+1)
    scikit-learn     v_i, or at equality the middle of v_i and v_(i+1)

each once (with surefit none after v_m). A value is in bin number #{thresholds < value}; a category is its own bin.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.blocks import F64, BadData
from surefit.certificates.claim import Claim, Grade
from surefit.certificates.rounding import UNIT
from surefit.certificates.theorems.trees.nodes import Nodes
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


def _off_rule(x: F64, w: F64, max_bins: int, given: F64, between: bool) -> float:
    """How far the given thresholds are from those of the rule, and those from the given ones, at most.

    Where C_i equals its share up to rounding, v_i and v_(i+1) and their middle will do.
    """
    keep = (w > 0) & ~np.isnan(x)
    v, place = np.unique(x[keep], return_inverse=True)
    middle = np.append(v[:-1] / 2 + v[1:] / 2, v[-1:])
    wanted = middle[None, :-1]  # (ways to have it, thresholds)
    if len(v) > max_bins:
        C = np.cumsum(np.bincount(place, weights=w[keep]))
        share, slack = C[-1] * np.arange(1, max_bins) / max_bins, 1e-12 * C[-1]
        low, high = (np.searchsorted(C, share + s).clip(0, len(v) - 1) for s in (-slack, slack))
        last = len(v) - (1 if between else 0)
        low, high = low[low < last], np.minimum(high, last - 1)[low < last]
        wanted = np.stack([middle[low], middle[high]] if between else [v[low], v[high], v[low] / 2 + v[high] / 2])
    if not given.size or not wanted.size:
        return 0.0 if given.size == wanted.size else np.inf
    off = np.abs(given[:, None, None] - wanted)
    worst = max(off.min(axis=(1, 2)).max(), off.min(axis=(0, 1)).max())
    return float(worst) if (given[1:] > given[:-1]).all() else np.inf


def rows_in_bins(X: F64, thresholds: list[F64], by_sets: NDArray[np.bool_]) -> F64:
    """NaN for a missing value, and for a category that is none of 0 … 254."""
    bins = np.full(X.shape, np.nan, dtype=np.float32)
    for j, x in enumerate(X.T):
        known = (x >= 0) & (x < 255) if by_sets[j] else ~np.isnan(x)
        bins[known, j] = x[known] if by_sets[j] else np.searchsorted(thresholds[j], x[known], side="left")
    return bins


def tree_in_bins(nodes: Nodes, thresholds: list[F64]) -> Nodes:
    """The tree with bins for thresholds: x ≤ threshold where its bin is at most the threshold's own."""
    bins = np.full(len(nodes), np.inf)
    for i in np.flatnonzero(nodes.inner & (nodes.category_row < 0) & (nodes.threshold != np.inf)):
        edges, t = thresholds[nodes.feature[i]], nodes.threshold[i]
        bins[i] = np.searchsorted(edges, t)
        if t not in edges:
            raise BadData(f"a threshold of a tree, {t:g}, is not one of the bins of its column")
    return replace(nodes, threshold=bins)
