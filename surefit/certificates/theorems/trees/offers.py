"""The splits that a node has on offer by one feature.

A split is a cut of the values of the feature in rising order, between two that differ, the missing ones behind all
others or before them. Categories are cut in the order of their means: for one target and for two classes a best
subset of them is a first part in this order (Fisher; Breiman et al., section 4.2.2). Else each subset has an order of
its own; of more than EXHAUSTIVE categories in the node these are too many, and none is compared.
"""

from __future__ import annotations

import numpy as np

from surefit.certificates.blocks import F64
from surefit.certificates.theorems.trees.criteria import Node
from surefit.certificates.theorems.trees.growth import Growth

EXHAUSTIVE = 10


def best_of_feature(here: Node, x: F64, by_sets: bool, g: Growth) -> float:
    """The most that a split by a feature with values x lowers the loss by; −∞ if none is on offer."""
    order = np.argsort(x, kind="stable")  # NaN, what is missing, comes last
    x, known = x[order], ~np.isnan(x[order])
    starts = np.flatnonzero(np.append(True, (x[1:] != x[:-1]) & known[:-1]))
    sums, rows = np.add.reduceat(here.terms[order], starts, axis=0), np.diff(np.append(starts, len(x)))
    keys = _orders(here, sums, int(known[starts].sum())) if by_sets else x[starts, None]
    if not known[-1]:
        keys = np.hstack([np.where(known[starts, None], keys, end) for end in (np.inf, -np.inf)])
    order = np.argsort(keys, axis=0, kind="stable")
    keys, sums, left = np.take_along_axis(keys, order, axis=0), sums[order], np.cumsum(rows[order], axis=0)[:-1]
    same = keys[:-1].astype(np.float32) + np.float32(1e-7) if g.theirs else keys[:-1]
    allowed = (keys[1:] > same) & (np.minimum(left, len(x) - left) >= g.min_rows)
    lowers = here.lowers(np.cumsum(sums, axis=0)[:-1], np.cumsum(sums[::-1], axis=0)[-2::-1])
    return float(lowers.max(where=allowed, initial=-np.inf))


def _orders(here: Node, sums: F64, n_known: int) -> F64:
    """(categories, orders): keys that put categories in order, from their sums of weights and columns."""
    r, means = len(sums), sums[:, 1:] / sums[:, :1]
    if here.classes:  # without those that are not there, the share of the first follows from the others
        means = means[:, means.any(axis=0)][:, 1:]
    if means.shape[1] == 1:
        return np.round(means / np.abs(means).max(), 12)  # of equal means neither comes first
    subsets = (np.arange(1, 2 ** min(r - 1, EXHAUSTIVE)) >> np.arange(r)[:, None]) & 1
    return subsets.astype(np.float64) if n_known <= EXHAUSTIVE else np.zeros((r, 1))


def best_on_offer(here: Node, X: F64, g: Growth, own: int | None) -> float:
    """The same by any feature; of drawn candidates what is sure: by the node's own, at a leaf by the least feature."""
    low, high = np.fmin.reduce(X), np.fmax.reduce(X)
    varies = np.flatnonzero((low < high) | ((low == high) & np.isnan(X).any(axis=0)))
    drawn = g.max_features < X.shape[1]
    features = [own] if drawn and own is not None else varies.tolist()
    best = [best_of_feature(here, X[:, j], bool(g.categorical[j]), g) for j in features]
    return (min if drawn else max)(best, default=-np.inf)
