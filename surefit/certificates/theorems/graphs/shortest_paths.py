"""The lengths of shortest paths, by Bellman and Ford."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.blocks import F64
from surefit.certificates.theorems.distances.all_rows import in_slices


def path_lengths(sources: NDArray, rows: NDArray, cols: NDArray, length: F64) -> F64:
    """From each source to all vertices. Edges are given both ways, by rising rows, one or more for each vertex.

    After t rounds a length is at most that of every path of t edges, and it is always that of some path: once a round
    changes nothing all are shortest, and of lengths ≥ 0 that is so after one round for each vertex.
    """
    starts = np.flatnonzero(np.diff(rows, prepend=-1))
    D = np.full((len(sources), len(starts)), np.inf)
    D[np.arange(len(sources)), sources] = 0.0
    for part in in_slices(len(sources), len(rows)):
        for _ in starts:
            before = D[part]
            D[part] = np.minimum(before, np.minimum.reduceat(before[:, cols] + length, starts, axis=1))
            if np.array_equal(D[part], before):
                break
    return D
