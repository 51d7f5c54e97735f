"""Euclid's distances and angles of CSR rows of many columns: products choose candidates, the one formula decides.

For rows of at most w stored numbers, with ε the unit in the last place,

    |a − b|² = |a|² + |b|² − 2 a·b,  computed to within (8 w + 64) ε (|a|² + |b|²)

where the formula of `metric.py` for the same pair is counted in. Rows that the bound cannot rule out are evaluated by
that formula, a few for each query.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp

from surefit.search.blocked import BlockedIndex
from surefit.search.metric import Metric
from surefit.search.neighbor_index import NeighborBlock, RadiusBlock, blocks_of
from surefit.search.selection import smallest

PRODUCT_BYTES = 40
"""For each pair of a block: the product, the squared distance, its bound, and copies."""
LARGEST = 1e150
"""Beyond, squares overflow."""


class SparseIndex(BlockedIndex):
    """The metric is euclidean, sqeuclidean or cosine, without weights."""

    def __init__(self, X: Any, metric: Metric) -> None:
        super().__init__(X, metric)
        self._points = _points(self.X, metric)
        self._squares = _squares(self._points)

    def _bounds(self, Q: Any, max_bytes: int) -> Iterator[tuple[slice, Any, np.ndarray, np.ndarray]]:
        """Rows of the query, these rows, and lower and upper bounds of the squared distances."""
        rows_of = self.X if Q is None else sp.csr_array(Q)
        for rows in blocks_of(rows_of.shape[0], PRODUCT_BYTES * self.n, max_bytes):
            block = rows_of[rows]
            points = _points(block, self.metric)
            total = _squares(points)[:, None] + self._squares
            width = max(np.diff(self._points.indptr).max(initial=0), np.diff(points.indptr).max(initial=0))
            error = (8.0 * width + 64) * np.finfo(np.float64).eps * total + 1e-300
            squares = total - 2.0 * (points @ self._points.T).toarray()
            yield rows, block, squares - error, squares + error

    def _evaluated(self, row: Any, candidates: np.ndarray) -> np.ndarray:
        return self.metric.pairwise(row, self.X[candidates])[0]

    def _nearest(self, Q: Any, k: int, exclude_self: bool, max_bytes: int) -> Iterator[NeighborBlock]:
        for rows, block, low, high in self._bounds(Q, max_bytes):
            if exclude_self:
                own = np.arange(len(low)), np.arange(rows.start, rows.stop)
                low[own] = high[own] = np.inf
            distances, indices = np.empty((len(low), k)), np.empty((len(low), k), dtype=np.int64)
            kth = np.partition(high, k - 1, axis=1)[:, k - 1]
            for i in range(len(low)):
                candidates = np.flatnonzero(low[i] <= kth[i])
                D, places = smallest(self._evaluated(block[i : i + 1], candidates)[None, :], k)
                distances[i], indices[i] = D[0], candidates[places[0]]
            yield rows, distances, indices

    def _within(self, Q: Any, radius: float, exclude_self: bool, max_bytes: int, sort: bool) -> Iterator[RadiusBlock]:
        most = (
            2.0 * radius
            if self.metric.name == "cosine"
            else radius
            if self.metric.name == "sqeuclidean"
            else radius * radius
        )
        for rows, block, low, _ in self._bounds(Q, max_bytes):
            if exclude_self:
                low[np.arange(len(low)), np.arange(rows.start, rows.stop)] = np.nan  # not below any radius
            lists, values = [], []
            for i in range(len(low)):
                candidates = np.flatnonzero(low[i] <= most)
                D = self._evaluated(block[i : i + 1], candidates) if len(candidates) else np.empty(0)
                candidates, D = candidates[D <= radius], D[D <= radius]
                order = np.argsort(D, kind="stable") if sort else slice(None)
                lists.append(candidates[order])
                values.append(D[order])
            indptr = np.zeros(len(lists) + 1, dtype=np.int64)
            np.cumsum([len(found) for found in lists], out=indptr[1:])
            yield rows, indptr, np.concatenate(lists).astype(np.int64), np.concatenate(values)


def takes_sparse(X: Any, metric: Metric) -> bool:
    """Whether products can choose the candidates: nothing overflows."""
    plain = metric.name in ("euclidean", "sqeuclidean", "cosine") and metric.weights is None
    return plain and bool(np.abs(X.data).max(initial=0.0) < LARGEST)


def _points(X: Any, metric: Metric) -> Any:
    """Rows whose squared distances are bounded: those of X, or their directions (see `formulas.directions`)."""
    X = sp.csr_array(X, dtype=np.float64, copy=True)
    X.sum_duplicates()
    if metric.name != "cosine":
        return X
    largest = np.zeros(X.shape[0])
    rows = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
    np.maximum.at(largest, rows, np.abs(X.data))
    X.data = np.ldexp(X.data, -np.frexp(largest)[1][rows])
    norms = np.sqrt(_squares(X))
    X.data /= np.where(norms > 0, norms, 1.0)[rows]
    return sp.csr_array(sp.hstack([X, sp.csr_array((norms == 0).astype(np.float64)[:, None])]))


def _squares(X: Any) -> np.ndarray:
    rows = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
    return np.bincount(rows, X.data * X.data, minlength=X.shape[0])
