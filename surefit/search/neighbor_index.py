"""One exact search of neighbors: the k nearest rows, or all rows within a radius.

Answers are sorted by (distance, index): among rows at equal distance the lower index comes first. They do not depend on
the algorithm, the number of threads or the size of blocks. Neighborhoods are streamed in blocks, not stored.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any, Literal

import numpy as np
import scipy.sparse as sp

from surefit._core.errors import InvalidData, InvalidParameter
from surefit._core.memory import refuse_beyond_memory
from surefit.search.metric import Metric

BLOCK_BYTES = 2**26
NeighborBlock = tuple[slice, np.ndarray, np.ndarray]
"""Rows of the query, their distances (m, k) and indices (m, k)."""
RadiusBlock = tuple[slice, np.ndarray, np.ndarray, np.ndarray]
"""Rows of the query, and CSR of their neighborhoods: indptr (m + 1), indices, distances."""


class NeighborIndex(ABC):
    """Rows prepared for the search. `Q=None` asks for the rows themselves."""

    n_jobs: int | None = None
    """Most threads of a query; None is what the machine and the settings allow."""

    @property
    def kind(self) -> Literal["brute", "kd_tree"]:
        """Whether all rows are looked at, or those that a tree leaves."""
        return "brute"

    def __init__(self, metric: Metric, n: int, n_columns: int) -> None:
        self.metric = metric
        self.n = n
        self.n_columns = n_columns

    def query(self, Q: Any, k: int, *, exclude_self: bool = False) -> tuple[np.ndarray, np.ndarray]:
        """Distances and indices (m, k) of the k nearest rows; with `exclude_self` (Q None) each without itself."""
        m = self.n if Q is None else Q.shape[0]
        refuse_beyond_memory(16.0 * m * k, f"{k} neighbors of {m} rows", "Take them in blocks: index.query_blocks.")
        distances, indices = np.empty((m, k)), np.empty((m, k), dtype=np.int64)
        for rows, block_distances, block_indices in self.query_blocks(Q, k, exclude_self=exclude_self):
            if rows == slice(0, m):
                return np.ascontiguousarray(block_distances, dtype=float), np.ascontiguousarray(
                    block_indices, dtype=np.int64
                )
            distances[rows], indices[rows] = block_distances, block_indices
        return distances, indices

    def query_blocks(
        self, Q: Any, k: int, *, exclude_self: bool = False, max_bytes: int = BLOCK_BYTES
    ) -> Iterator[NeighborBlock]:
        """The answers of `query` for some rows after others; what is in memory for them stays about below max_bytes."""
        Q = self._queries(Q, exclude_self)
        most = self.n - exclude_self
        if not 1 <= k <= most:
            raise InvalidParameter(
                f"{k} neighbors asked for; there are {most} to choose from (1 to {most} can be asked)"
            )
        return self._nearest(Q, int(k), exclude_self, max_bytes)

    def radius_blocks(
        self, Q: Any, radius: float, *, exclude_self: bool = False, max_bytes: int = BLOCK_BYTES, sort: bool = False
    ) -> Iterator[RadiusBlock]:
        """All rows at distance ≤ radius, for some rows after others; by index, or with `sort` by (distance, index)."""
        Q = self._checked_queries(Q, radius, exclude_self)
        return self._within(Q, float(radius), exclude_self, max_bytes, sort)

    def radius_counts(self, Q: Any, radius: float, weights: np.ndarray | None = None) -> np.ndarray:
        """How many rows lie at distance ≤ radius (themselves too, for Q None), or the sum of their weights."""
        m = self.n if Q is None else Q.shape[0]
        counts = np.zeros(m, dtype=np.int64 if weights is None else np.float64)
        for rows, indptr, indices, _ in self.radius_blocks(Q, radius):
            if weights is None:
                counts[rows] = np.diff(indptr)
            else:
                places = np.repeat(np.arange(len(indptr) - 1), np.diff(indptr))
                counts[rows] = np.bincount(places, weights[indices], minlength=len(indptr) - 1)
        return counts

    @abstractmethod
    def _nearest(self, Q: Any, k: int, exclude_self: bool, max_bytes: int) -> Iterator[NeighborBlock]: ...

    @abstractmethod
    def _within(
        self, Q: Any, radius: float, exclude_self: bool, max_bytes: int, sort: bool
    ) -> Iterator[RadiusBlock]: ...

    def _checked_queries(self, Q: Any, radius: float, exclude_self: bool = False) -> Any:
        if not radius >= 0:
            raise InvalidParameter(f"the radius must be a number ≥ 0; got {radius!r}")
        return self._queries(Q, exclude_self)

    def _queries(self, Q: Any, exclude_self: bool) -> Any:
        if Q is None:
            return None
        if exclude_self:
            raise InvalidParameter("exclude_self leaves out rows of the index: ask with Q=None")
        if not sp.issparse(Q):
            Q = np.asarray(Q)
        if Q.ndim != 2 or Q.shape[1] != self.n_columns:
            raise InvalidData(
                f"queries must have {self.n_columns} columns, as the rows that are searched; got {Q.shape}"
            )
        return Q.tocsr() if sp.issparse(Q) else Q


def blocks_of(m: int, bytes_per_row: float, max_bytes: int) -> Iterator[slice]:
    """Rows 0 … m − 1 in blocks of at most max_bytes (of one row at least)."""
    step = max(1, int(max_bytes / max(bytes_per_row, 1.0)))
    return (slice(lo, min(lo + step, m)) for lo in range(0, m, step))
