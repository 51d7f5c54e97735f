"""k-means on a line: the exact optimum for points, a proved lower bound for points sorted into bins.

On a line some optimal clusters are intervals, so dynamic programming over the sorted pieces finds the optimum:
D_c(j) = min over a of D_{c−1}(a − 1) + cost(a … j), here as the minimum of a matrix in every layer.
"""

from __future__ import annotations

import numpy as np

from surefit.certificates.blocks import F64
from surefit.certificates.rounding import gamma


class Pieces:
    """Ordered pieces of the line with weight, sum and sum of squares; cost[a, b] of the pieces a … b together.

    cost = q − s²/w. The sums of a piece have n terms: with s² ≤ w q they cost at most 4 γₙ q. The sums of the pieces
    before a cancel: with means of at most M they cost at most 4 γ (Σw) M².
    """

    def __init__(self, n: int, weight: F64, total: F64, squares: F64) -> None:
        sums = [np.concatenate([[0.0], np.cumsum(v)]) for v in (weight, total, squares)]
        w, s, q = (np.subtract.outer(c[1:], c[:-1]).T for c in sums)
        self.size = weight.size
        cost = np.maximum(q - s * s / np.where(w > 0, w, 1.0), 0.0)
        self.cost = np.where(np.tri(self.size, k=-1, dtype=bool), np.inf, cost)
        mean = float(np.abs(total / weight).max(initial=0.0))
        self.rounding = 4 * gamma(n + 8) * float(squares.sum()) + 4 * gamma(self.size + 8) * weight.sum() * mean**2


def points(x: F64, omega: F64) -> Pieces:
    """Pieces that are single points (equal values merged: no optimal clustering needs to part them)."""
    values, where = np.unique(x[omega > 0], return_inverse=True)
    weight = np.bincount(where, weights=omega[omega > 0], minlength=values.size)
    return Pieces(x.size, weight, weight * values, weight * values**2)


def bins(x: F64, omega: F64, edges: F64) -> F64:
    """Weight, sum and sum of squares of the points of every bin."""
    where = np.searchsorted(edges, x)
    return np.stack([np.bincount(where, weights=omega * x**power, minlength=edges.size + 1) for power in range(3)])


def least_cost(pieces: Pieces, k: int, *, parted: bool) -> float:
    """At most the least within-cluster sum of squares of k intervals of the points inside the pieces.

    Where the pieces may be `parted` (bins): k intervals have k − 1 borders, and each lies in at most one bin. Forget
    the points of those bins: the cost does not rise. What is left are bins in one part, at most one bin missing between
    consecutive intervals, and an interval may hold none. The minimum over all such choices is not above the optimum.
    """
    size, gap = pieces.size, int(parted)
    if size == 0 or k >= size:
        return 0.0
    D = pieces.cost[0]
    for _ in range(1, k):
        before = np.concatenate([np.zeros(1 + gap), D])[:size]  # before[a] = D(a − 1 − gap)
        fresh = (before[:, None] + pieces.cost).min(axis=0)
        D = np.minimum(fresh, np.concatenate([[0.0], D[:-1]])) if parted else fresh
    return max(0.0, float(D[-1]) * (1 - gamma(k + 1)) - k * pieces.rounding)
