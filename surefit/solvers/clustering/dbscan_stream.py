"""DBSCAN from neighborhoods that are streamed in blocks: any metric, memory linear in the number of rows.

First pass: weights of the neighbors of each row, which make rows core. Second: near core rows are joined. Third, over
the other rows alone: the lowest cluster near them. Neighborhoods that are small in all are kept after the first pass.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from surefit.search import NeighborIndex

KEPT_NEIGHBORS = 2**22
"""So many neighbors, of all rows together, are remembered from one pass to the next."""

Pairs = tuple[np.ndarray, np.ndarray]
"""Rows, and a neighbor of each."""


class Neighborhoods:
    """All pairs of neighbors, block by block, as often as asked for."""

    def __init__(self, index: NeighborIndex, X: Any, eps: float) -> None:
        self._index, self._X, self._eps = index, X, eps
        self._kept: list[Pairs] | None = None

    def all(self) -> Iterator[Pairs]:
        if self._kept is not None:
            yield from self._kept
            return
        kept: list[Pairs] | None = []
        size = 0
        for rows, indptr, indices, _ in self._index.radius_blocks(None, self._eps):
            pairs = np.repeat(np.arange(rows.start, rows.stop), np.diff(indptr)), indices
            size += len(indices)
            if kept is not None:
                kept = [*kept, pairs] if size <= KEPT_NEIGHBORS else None
            yield pairs
        self._kept = kept

    def of(self, chosen: np.ndarray) -> Iterator[Pairs]:
        """The pairs of the chosen rows (flags)."""
        if self._kept is not None:
            for rows, near in self._kept:
                mine = chosen[rows]
                yield rows[mine], near[mine]
            return
        places = np.flatnonzero(chosen)
        if places.size:
            for block, indptr, indices, _ in self._index.radius_blocks(self._X[places], self._eps):
                yield np.repeat(places[block], np.diff(indptr)), indices


def clusters_of_blocks(
    index: NeighborIndex, X: Any, eps: float, min_samples: float, weights: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray, int]:
    """Labels, flags of core rows and the number of clusters; `index` is of the rows of X."""
    near = Neighborhoods(index, X, eps)
    total = np.zeros(index.n)
    for rows, neighbors in near.all():
        total += np.bincount(rows, None if weights is None else weights[neighbors], minlength=index.n)
    core = total >= min_samples
    sets = np.arange(index.n)
    for rows, neighbors in near.all():
        both = core[rows] & core[neighbors]
        sets = join(sets, rows[both], neighbors[both])
    labels, n_clusters = numbered(sets, core)
    lowest = np.full(index.n, n_clusters)
    for rows, neighbors in near.of(~core):
        reached = core[neighbors]
        np.minimum.at(lowest, rows[reached], labels[neighbors[reached]])
    border = ~core & (lowest < n_clusters)
    labels[border] = lowest[border]
    return labels, core, n_clusters


def join(sets: np.ndarray, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The sets (a number for each row) after those of a[i] and b[i] became one, for every i."""
    n = len(sets)
    a, b = sets[a], sets[b]
    differ = a != b
    if not differ.any():
        return sets
    edges = coo_array((np.ones(int(differ.sum()), dtype=bool), (a[differ], b[differ])), shape=(n, n))
    return connected_components(edges, directed=False)[1][sets].astype(np.int64)


def numbered(sets: np.ndarray, core: np.ndarray) -> tuple[np.ndarray, int]:
    """The sets of core rows as 0, 1, … in the order of their first row; −1 for all other rows."""
    labels = np.full(len(sets), -1, dtype=np.intp)
    _, first, place = np.unique(sets[core], return_index=True, return_inverse=True)
    rank = np.empty(len(first), dtype=np.intp)
    rank[np.argsort(first)] = np.arange(len(first))
    labels[core] = rank[place]
    return labels, len(first)
