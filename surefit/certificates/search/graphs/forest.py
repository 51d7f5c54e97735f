"""Edges that join rows into trees, found while pairs of rows go by. Not trusted: the edges are checked one by one."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


class Forest:
    """Joins rows by the pairs it is shown; keeps one edge for each time that two trees became one."""

    def __init__(self, n: int) -> None:
        self.parent = np.arange(n)
        self.edges: list[tuple[int, int]] = []

    def _roots(self, rows: NDArray) -> NDArray:
        found = self.parent[rows]
        while True:
            higher = self.parent[found]
            if (higher == found).all():
                self.parent[rows] = found
                return found
            found = higher

    def _root(self, i: int) -> int:
        parent = self.parent
        while parent[i] != i:
            parent[i] = i = parent[parent[i]]
        return i

    def join(self, rows: NDArray, others: NDArray, near: NDArray) -> None:
        """`near` says for all rows and others which pairs may be edges."""
        if not (len(rows) and len(others)):
            return
        while True:
            differs = near & (self._roots(rows)[:, None] != self._roots(others))
            i = np.flatnonzero(differs.any(axis=1))
            if not len(i):
                return
            j = differs[i].argmax(axis=1)
            for a, b in zip(rows[i].tolist(), others[j].tolist(), strict=True):
                ra, rb = self._root(a), self._root(b)
                if ra != rb:
                    self.parent[ra] = rb
                    self.edges.append((a, b))

    def array(self) -> NDArray:
        return np.array(self.edges, dtype=np.intp).reshape(-1, 2)
