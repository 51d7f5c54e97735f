"""Stoer and Wagner's minimum cut as the paper has it, on a dense matrix, one pair of vertices merged in each phase."""

from __future__ import annotations

import numpy as np


def stoer_wagner(weights: np.ndarray) -> float:
    """The weight of the lightest cut."""
    W = np.array(weights, dtype=np.float64)
    np.fill_diagonal(W, 0.0)
    best = np.inf
    while len(W) > 1:
        order, r = [0], W[0].copy()
        while len(order) < len(W):
            r[order] = -np.inf
            order.append(int(np.argmax(r)))
            r = r + W[order[-1]]
        t, s = order[-1], order[-2]
        best = min(best, W[t].sum())
        W[s] += W[t]
        W[:, s] += W[:, t]
        W[s, s] = 0.0
        W = np.delete(np.delete(W, t, axis=0), t, axis=1)
    return float(best)


def lightest_of_all(weights: np.ndarray) -> float:
    """Every partition into two sides tried, in whole numbers where the weights are."""
    n = len(weights)
    best = None
    for code in range(1, 2 ** (n - 1)):
        side = np.array([(code >> v) & 1 for v in range(n - 1)] + [0], dtype=bool)
        value = weights[np.ix_(side, ~side)].sum()
        best = value if best is None else min(best, value)
    return float(best)
