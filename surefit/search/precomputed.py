"""Distances that are given: a dense matrix, or CSR rows that hold some neighbors of each row and no others."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp

from surefit._core.errors import InvalidData
from surefit.search.metric import Metric
from surefit.search.neighbor_index import NeighborBlock, NeighborIndex, RadiusBlock, blocks_of
from surefit.search.selection import smallest, sorted_rows, within

ENTRY_BYTES = 48


class PrecomputedIndex(NeighborIndex):
    """Row i of a query holds its distances to the rows of the index; `Q=None` takes the square matrix of the index."""

    def __init__(self, distances: Any, metric: Metric) -> None:
        n = distances.shape[0]
        if distances.shape[1] != n:
            raise InvalidData(f"metric='precomputed' takes a square matrix of distances; got {distances.shape}")
        super().__init__(metric, n, n)
        self.distances = self._checked(distances)

    def _checked(self, D: Any) -> Any:
        D = D.tocsr() if sp.issparse(D) else D
        stored = D.data if sp.issparse(D) else D
        if stored.size and not stored.min() >= 0:
            raise InvalidData("metric='precomputed': distances must be numbers ≥ 0; some are negative or NaN")
        return D

    def _rows(self, Q: Any, max_bytes: int) -> Iterator[tuple[slice, Any]]:
        D = self.distances if Q is None else self._checked(Q)
        per_row = ENTRY_BYTES * (D.nnz / max(D.shape[0], 1) if sp.issparse(D) else D.shape[1])
        for rows in blocks_of(D.shape[0], per_row, max_bytes):
            block = D[rows]
            yield rows, block if sp.issparse(block) else np.array(block, dtype=np.float64)

    def _nearest(self, Q: Any, k: int, exclude_self: bool, max_bytes: int) -> Iterator[NeighborBlock]:
        for rows, D in self._rows(Q, max_bytes):
            if sp.issparse(D):
                yield rows, *_smallest_stored(D, rows, k, exclude_self)
                continue
            if exclude_self:
                D[np.arange(len(D)), np.arange(rows.start, rows.stop)] = -np.inf
            distances, indices = smallest(D, k + exclude_self)
            yield rows, distances[:, int(exclude_self) :], indices[:, int(exclude_self) :]

    def _within(self, Q: Any, radius: float, exclude_self: bool, max_bytes: int, sort: bool) -> Iterator[RadiusBlock]:
        for rows, D in self._rows(Q, max_bytes):
            if sp.issparse(D):
                indptr, indices, distances = _stored(D, rows, exclude_self, radius)
            else:
                if exclude_self:
                    D[np.arange(len(D)), np.arange(rows.start, rows.stop)] = np.nan
                indptr, indices, distances = within(D, radius)
            if sort:
                indices, distances = sorted_rows(indptr, indices, distances)
            yield rows, indptr, indices, distances


def _stored(D: Any, rows: slice, exclude_self: bool, radius: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The stored distances ≤ radius of a CSR block, by index; with `exclude_self` not those of a row to itself."""
    places = np.repeat(np.arange(D.shape[0]), np.diff(D.indptr))
    order = np.lexsort((D.indices, places))
    places, indices, distances = places[order], D.indices[order].astype(np.int64), D.data[order].astype(np.float64)
    kept = distances <= radius
    if exclude_self:
        kept &= indices != places + rows.start
    indptr = np.zeros(D.shape[0] + 1, dtype=np.int64)
    np.cumsum(np.bincount(places[kept], minlength=D.shape[0]), out=indptr[1:])
    return indptr, indices[kept], distances[kept]


def _smallest_stored(D: Any, rows: slice, k: int, exclude_self: bool) -> tuple[np.ndarray, np.ndarray]:
    indptr, indices, distances = _stored(D, rows, exclude_self, np.inf)
    fewest = int(np.diff(indptr).min())
    if fewest < k:
        row = rows.start + int(np.argmin(np.diff(indptr)))
        raise InvalidData(
            f"{k} neighbors are required for every row, but the precomputed graph holds {fewest} for row {row}: "
            "build it with more neighbors, or ask for fewer"
        )
    indices, distances = sorted_rows(indptr, indices, distances)
    places = indptr[:-1, None] + np.arange(k)
    return distances[places], indices[places]
