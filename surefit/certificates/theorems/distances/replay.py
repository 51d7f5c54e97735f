"""Merges replayed with the cost of every pair at hand: was each the cheapest of its time?"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.blocks import F64

MOST = 2500  # clusters at the start


def replay(M: F64, merges: NDArray, join: Callable[[int, int, NDArray], F64]) -> tuple[F64, F64]:
    """The cost of each merge, and the least of its time.

    M       costs of all pairs of the k clusters at the start, ∞ for pairs that may not merge; it is overwritten
    merges  pairs of numbers: 0 … k − 1 at the start, merge t makes k + t
    join    (a, b, others) ↦ the costs of a and b as one with all others; it takes the place of a
    """
    np.fill_diagonal(M, np.inf)
    place, alive, low = list(range(len(M))), np.ones(len(M), bool), M.min(axis=1, initial=np.inf)
    cost, least = np.zeros(len(merges)), np.zeros(len(merges))
    for t, (first, second) in enumerate(merges.tolist()):
        a, b = place[first], place[second]
        cost[t], least[t], alive[b] = M[a, b], low.min(), False
        others = np.flatnonzero(alive & (np.arange(len(M)) != a))
        stale = np.flatnonzero(alive & ((low == M[:, a]) | (low == M[:, b])))  # with one of the two
        row = np.full(len(M), np.inf)
        row[others] = join(a, b, others)
        M[b, :], M[:, b], M[a, :], M[:, a] = np.inf, np.inf, row, row
        low = np.minimum(low, row)
        low[stale], low[a], low[b] = M[stale].min(axis=1, initial=np.inf), row.min(), np.inf
        place.append(a)
    return cost, least
