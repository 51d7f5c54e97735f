"""k-means on a line: the exact optimum for points, a proved lower bound for points sorted into bins.

On a line some optimal clusters are intervals, so dynamic programming over the sorted points finds the optimum:
D_c(j) = min over a of D_{c−1}(a − 1) + cost(a … j). The cost has the quadrangle inequality, hence the best a grows
with j, and the minima of a layer are found level by level, halving the distance between known j: O(n log n).
"""

from __future__ import annotations

import numpy as np

from surefit.certificates.blocks import F64

MAX_POINTS = 4096


class Pieces:
    """Ordered pieces of the line with weight, sum and sum of squares; cost(a, b) of the pieces a … b together."""

    def __init__(self, weight: F64, total: F64, squares: F64) -> None:
        self.size = weight.size
        self.W, self.S, self.Q = (np.concatenate([[0.0], np.cumsum(v)]) for v in (weight, total, squares))

    def cost(self, a: F64, b: F64) -> F64:
        w, s = self.W[b + 1] - self.W[a], self.S[b + 1] - self.S[a]
        q = self.Q[b + 1] - self.Q[a]
        return np.maximum(q - s * s / np.where(w > 0, w, 1.0), 0.0)


def points(x: F64, omega: F64) -> Pieces:
    """Pieces that are single points (equal values merged: no optimal clustering needs to part them)."""
    values, where = np.unique(x[omega > 0], return_inverse=True)
    weight = np.bincount(where, weights=omega[omega > 0], minlength=values.size)
    return Pieces(weight, weight * values, weight * values**2)


def optimum(pieces: Pieces, k: int) -> float:
    """The least within-cluster sum of squares with at most k intervals of pieces; pieces are not parted."""
    return _programme(pieces, k, gap=0)


def bin_bound(pieces: Pieces, k: int) -> float:
    """A lower bound for the optimum of the points inside the pieces (bins), which k intervals may part.

    k intervals have k − 1 borders, and each lies in at most one bin. Forget the points of those bins: the cost does
    not rise. What is left are whole bins, at most one bin missing between consecutive intervals, and an interval may
    hold no whole bin. The programme takes the minimum over all such choices, so it is not above the optimum.
    """
    return _programme(pieces, k, gap=1)


def _programme(pieces: Pieces, k: int, gap: int) -> float:
    n = pieces.size
    if n == 0 or k >= n:
        # every piece has its own interval; inside a piece nothing is known when it may be parted
        return 0.0 if gap or n == 0 else float(pieces.cost(np.arange(n), np.arange(n)).sum())
    j = np.arange(n)
    D = pieces.cost(np.zeros(n, dtype=int), j)
    for _ in range(1, k):
        before = np.concatenate([np.zeros(1 + gap), D])[:n]  # before[a] = D(a − 1 − gap)
        D_new = _layer(pieces, before)
        if gap:  # the last interval holds no whole bin, and the border lies in bin j
            D_new = np.minimum(D_new, np.concatenate([[0.0], D[:-1]]))
        D = D_new
    return float(D[-1])


def _layer(pieces: Pieces, before: F64) -> F64:
    """min over a ≤ j of before[a] + cost(a, j), for all j, by monotone argmins."""
    n = pieces.size
    best = np.empty(n)
    arg = np.zeros(n, dtype=np.intp)
    step = 1 << (n.bit_length() - 1)
    done_step = 0
    while step:
        j = np.arange(step - 1, n, 2 * step) if done_step else np.arange(step - 1, n, step)
        lo = np.where(j - step >= 0, arg[np.maximum(j - step, 0)], 0)
        right = j + step
        hi = np.where((right < n) & bool(done_step), arg[np.minimum(right, n - 1)], j)
        hi = np.maximum(np.minimum(hi, j), lo)
        count = hi - lo + 1
        start = np.cumsum(count) - count
        owner = np.repeat(np.arange(j.size), count)
        a = np.arange(int(count.sum())) - start[owner] + lo[owner]
        value = before[a] + pieces.cost(a, j[owner])
        least = np.minimum.reduceat(value, start)
        hit = np.flatnonzero(value == least[owner])[::-1]
        best[j] = least
        arg[j[owner[hit]]] = a[hit]
        done_step = step
        step //= 2
    return best
