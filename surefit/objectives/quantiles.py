"""Weighted quantiles of groups of rows: the minimizers of the pinball loss, a weight of two being a row given twice."""

from __future__ import annotations

import numpy as np

TIE = 1e-12
"""Shares of the weight that differ by no more are equal: weights that add up to a share reach it in any order."""


def group_quantiles(
    values: np.ndarray, w: np.ndarray | None, group: np.ndarray, n_groups: int, q: float, *, average: bool = False
) -> np.ndarray:
    """For each group the smallest value up to which it has the share q of its weight; 0 for a group of no weight.

    With `average`, where that share is met exactly, the mean of this value and the next: for q = ½ the usual median.
    """
    if w is not None:
        there = w > 0
        if not there.all():
            values, w, group = values[there], w[there], group[there]
    order = np.argsort(values, kind="stable")
    order = order[np.argsort(group[order].astype(np.int32), kind="stable")]
    values, group = values[order], group[order]
    counts = np.bincount(group, minlength=n_groups)
    present = np.flatnonzero(counts)
    last = np.cumsum(counts[present]) - 1
    first = last - counts[present] + 1
    reached = np.arange(1.0, len(values) + 1) if w is None else np.cumsum(w[order])
    before = reached[first] - (1.0 if w is None else w[order][first])
    total = reached[last] - before
    wanted = before + q * total
    place = np.clip(np.searchsorted(reached, wanted - TIE * total, side="left"), first, last)
    found = values[place]
    if average:
        above = np.clip(np.searchsorted(reached, wanted + TIE * total, side="right"), first, last)
        found = found / 2 + values[above] / 2
    result = np.zeros(n_groups)
    result[present] = found
    return result


def quantile(values: np.ndarray, w: np.ndarray | None, q: float, *, average: bool = False) -> float:
    """The quantile of all rows as one group."""
    return float(group_quantiles(values, w, np.zeros(len(values), dtype=np.int32), 1, q, average=average)[0])
