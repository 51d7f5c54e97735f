"""Weighted quantiles of groups of rows: the minimizers of the pinball loss, a weight of two being a row given twice."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

TIE = 1e-12
"""Shares of the weight that differ by no more are equal: weights that add up to a share reach it in any order."""


def group_quantiles(
    values: np.ndarray, w: np.ndarray | None, group: np.ndarray, n_groups: int, q: float, *, average: bool = False
) -> np.ndarray:
    """For each group (0 … n_groups − 1) its `quantile`; 0 for a group of no weight."""
    kind = np.int16 if n_groups < 2**15 else np.int64  # few groups are sorted by their digits
    order = np.argsort(group.astype(kind), kind="stable")
    edges = np.concatenate([[0], np.cumsum(np.bincount(group, minlength=n_groups))])
    values, w = values[order], None if w is None else w[order]
    result = np.zeros(n_groups)
    for g, (start, stop) in enumerate(pairwise(edges)):
        if stop > start:
            result[g] = quantile(values[start:stop], None if w is None else w[start:stop], q, average=average)
    return result


def quantile(values: np.ndarray, w: np.ndarray | None, q: float, *, average: bool = False) -> float:
    """The smallest value up to which there is the share q of the weight; 0 without weight.

    With `average`, where that share is met exactly, the mean of this value and the next: for q = ½ the usual median.
    """
    if w is None:
        n = len(values)
        low = max(int(np.ceil(q * n - TIE * n)) - 1, 0)
        high = min(int(np.floor(q * n + TIE * n)), n - 1) if average else low
        chosen = np.partition(values, (low, high))
        return float(chosen[low] / 2 + chosen[high] / 2) if average else float(chosen[low])
    there = w > 0
    values, w = values[there], w[there]
    if not len(values):
        return 0.0
    order = np.argsort(values, kind="stable")
    reached = np.cumsum(w[order])
    total = reached[-1]
    low = min(int(np.searchsorted(reached, (q - TIE) * total, side="left")), len(order) - 1)
    if not average:
        return float(values[order[low]])
    high = min(int(np.searchsorted(reached, (q + TIE) * total, side="right")), len(order) - 1)
    return float(values[order[low]] / 2 + values[order[high]] / 2)
