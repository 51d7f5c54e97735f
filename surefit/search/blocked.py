"""Any metric: blocks of distances, and the smallest of each row."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp

from surefit._core.errors import InvalidData
from surefit.search.metric import Metric
from surefit.search.neighbor_index import NeighborBlock, NeighborIndex, RadiusBlock, blocks_of
from surefit.search.selection import smallest, sorted_rows, within

SELECTION_BYTES = 32
"""For each distance in a block: itself, a copy that is partitioned, and what is chosen."""


class BlockedIndex(NeighborIndex):
    def __init__(self, X: Any, metric: Metric) -> None:
        super().__init__(metric.fitted(X), X.shape[0], X.shape[1])
        self.X = X.tocsr() if sp.issparse(X) else X

    def _distances(self, Q: Any, max_bytes: int) -> Iterator[tuple[slice, np.ndarray]]:
        Q = self.X if Q is None else Q
        for rows in blocks_of(Q.shape[0], SELECTION_BYTES * self.n + 8 * self.n_columns, max_bytes):
            D = self._block(Q[rows], max_bytes)
            if np.isnan(D).any():
                i, j = np.argwhere(np.isnan(D))[0]
                raise InvalidData(
                    f"metric={self.metric.name!r} gives no number for row {rows.start + i} and row {j}: NaN"
                )
            yield rows, D

    def _block(self, Q: Any, max_bytes: int) -> np.ndarray:
        """Compressed rows are made dense some at a time."""
        if not sp.issparse(self.X):
            return self.metric.pairwise(Q, self.X)
        D = np.empty((Q.shape[0], self.n))
        for columns in blocks_of(self.n, 16 * self.n_columns, max_bytes):
            D[:, columns] = self.metric.pairwise(Q, self.X[columns])
        return D

    def _nearest(self, Q: Any, k: int, exclude_self: bool, max_bytes: int) -> Iterator[NeighborBlock]:
        for rows, D in self._distances(Q, max_bytes):
            if exclude_self:
                D[np.arange(len(D)), np.arange(rows.start, rows.stop)] = -np.inf  # comes first, and is left out
            distances, indices = smallest(D, k + exclude_self)
            yield rows, distances[:, int(exclude_self) :], indices[:, int(exclude_self) :]

    def _within(self, Q: Any, radius: float, exclude_self: bool, max_bytes: int, sort: bool) -> Iterator[RadiusBlock]:
        for rows, D in self._distances(Q, max_bytes):
            if exclude_self:
                D[np.arange(len(D)), np.arange(rows.start, rows.stop)] = np.nan  # not below any radius
            indptr, indices, distances = within(D, radius)
            if sort:
                indices, distances = sorted_rows(indptr, indices, distances)
            yield rows, indptr, indices, distances
