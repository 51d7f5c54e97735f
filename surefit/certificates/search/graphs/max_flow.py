"""Proposes a flow between two vertices of a small graph, as large as wanted or as possible. Not trusted."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.blocks import F64


def max_flow(C: F64, s: int, t: int, enough: float) -> tuple[F64, NDArray]:
    """A flow (positive from i to j) for symmetric capacities C, and the vertices that s still reaches.

    Direct edges and paths of two edges at once, then shortest paths (Edmonds and Karp).
    """
    rest = C.copy()
    rest[s, t], rest[t, s] = 0.0, 2 * C[s, t]
    through = np.minimum(C[s], C[:, t])
    through[[s, t]] = 0.0
    for i, j, f in ((s, slice(None), through), (slice(None), t, through)):
        rest[i, j] -= f
        rest[j, i] += f
    value = float(C[s, t] + through.sum())
    while value < enough:
        before, seen = _paths(rest, s, t)
        if before[t] < 0:
            return (C - rest), seen
        path = [t]
        while path[-1] != s:
            path.append(int(before[path[-1]]))
        a, b = np.array(path[:0:-1]), np.array(path[-2::-1])
        f = float(rest[a, b].min())
        rest[a, b] -= f
        rest[b, a] += f
        value += f
    return (C - rest), np.zeros(len(C), bool)


def _paths(rest: F64, s: int, t: int) -> tuple[NDArray, NDArray]:
    """For each vertex the one before it on a shortest path from s in what is left, −1 where there is none."""
    before, seen, front = np.full(len(rest), -1), np.zeros(len(rest), bool), np.array([s])
    seen[s] = True
    while front.size and not seen[t]:
        reach = (rest[front] > 0) & ~seen
        found = np.flatnonzero(reach.any(axis=0))
        before[found] = front[reach[:, found].argmax(axis=0)]
        seen[found] = True
        front = found
    return before, seen
