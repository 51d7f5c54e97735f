"""Minkowski's family on dense rows: a k-d tree for few columns, tiles of products for many; both compiled.

Both evaluate the one formula of `metric.py` and give the same bits. The tree keeps a copy of the rows in double
precision (8 n d bytes), the tiles one in single precision (4 n d bytes).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

import numpy as np

from surefit import _native
from surefit._core.memory import refuse_beyond_memory
from surefit._core.threads import thread_count, threads_for
from surefit.search.metric import Metric
from surefit.search.neighbor_index import NeighborBlock, NeighborIndex, RadiusBlock, blocks_of

MOST_TREE_COLUMNS = 14
"""Beyond, boxes hold too much empty space: nearly every leaf is opened."""
ENTRY_BYTES = 48
"""Of a neighbor within a radius while it is collected: distance and index, twice, and growth."""
SAMPLE_ROWS = 64
OPENED_ROWS = 256
"""About so many rows are looked at for a query in a tree."""


class CompiledIndex(NeighborIndex):
    """Dense rows whose distances are sums over columns (or the largest of them)."""

    def __init__(self, X: Any, metric: Metric, algorithm: str = "auto") -> None:
        super().__init__(metric.fitted(X), X.shape[0], X.shape[1])
        self.X = self.metric.coordinates(X)
        self.form = self.metric.form
        self._prefers_tiles = algorithm == "brute" or (algorithm == "auto" and self.X.shape[1] > MOST_TREE_COLUMNS)
        self._built: Any = None
        self._prepare()

    def _prepare(self) -> Any:
        """The tree or the tiles; made again after unpickling."""
        if self._built is None:
            refuse_beyond_memory(
                24.0 * self.X.size,
                f"the search among {self.n} rows",
                "Take fewer rows, or float32 and algorithm='brute'.",
            )
            self._built = self._tiles() or _native.kd_tree(self.X, thread_count())
        return self._built

    @property
    def kind(self) -> Literal["brute", "kd_tree"]:
        return "kd_tree" if isinstance(self._prepare(), _native.KdTree) else "brute"

    def _tiles(self) -> Any:
        """None where tiles cannot be used: other distances, or a spread beyond 1e±100."""
        if not self._prefers_tiles or self.metric.p != 2:
            return None
        try:
            return _native.neighbor_tiles(self.X, self.form[3], thread_count())
        except ValueError:
            return None

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_built": None}

    def _of_rows(self, Q: Any) -> Any:
        return None if Q is None else self.metric.coordinates(Q)

    def _call(self, name: str, Q: Any, rows: slice, *arguments: Any) -> Any:
        """The compiled search for some rows of Q, or of the index."""
        built = self._prepare()
        block = None if Q is None else Q[rows]
        tree = isinstance(built, _native.KdTree)
        head, search = (built,) if tree else (built, self.X), getattr(_native, f"{'tree' if tree else 'tile'}_{name}")
        seen = min(self.n, OPENED_ROWS) if tree else self.n
        threads = threads_for(float((rows.stop - rows.start) * seen * self.X.shape[1]), self.n_jobs)
        return search(*head, block, rows.start, rows.stop, self.form, *arguments, threads)

    def _nearest(self, Q: Any, k: int, exclude_self: bool, max_bytes: int) -> Iterator[NeighborBlock]:
        Q = self._of_rows(Q)
        for rows in blocks_of(self.n if Q is None else len(Q), 16.0 * k, max_bytes):
            yield rows, *self._call("nearest", Q, rows, k, exclude_self)

    def _within(self, Q: Any, radius: float, exclude_self: bool, max_bytes: int, sort: bool) -> Iterator[RadiusBlock]:
        Q = self._of_rows(Q)
        m = self.n if Q is None else len(Q)
        most = max(max_bytes // ENTRY_BYTES, self.n)
        step = self._first_step(Q, m, radius, most)
        start = 0
        while start < m:
            rows = slice(start, min(start + step, m))
            found = self._call("within", Q, rows, radius, exclude_self, sort, most)
            if found is None:  # more than was thought
                step = max(1, (rows.stop - rows.start) // 2)
                continue
            yield rows, *found
            start = rows.stop
            density = max(len(found[1]) / (rows.stop - rows.start), 1.0)
            step = max(1, int(0.8 * most / density))

    def _first_step(self, Q: Any, m: int, radius: float, most: int) -> int:
        """So many rows that their neighborhoods fit, judged by a few of them."""
        if m <= SAMPLE_ROWS:
            return max(m, 1)
        places = np.linspace(0, m - 1, SAMPLE_ROWS).astype(np.int64)
        sample = (self.X if Q is None else Q)[places]
        counts = self._call("counts", sample, slice(0, SAMPLE_ROWS), radius)
        return max(1, int(0.5 * most / max(counts.mean(), 1.0)))

    def radius_counts(self, Q: Any, radius: float, weights: np.ndarray | None = None) -> np.ndarray:
        if weights is not None:
            return super().radius_counts(Q, radius, weights)
        Q = self._of_rows(self._checked_queries(Q, radius))
        return self._call("counts", Q, slice(0, self.n if Q is None else len(Q)), float(radius))
