"""Rows of a Gram matrix, kept in a bounded number of bytes; the ones not used for longest make place for new ones."""

from __future__ import annotations

import numpy as np

from surefit.solvers.optimise.smo_state import Rows


class RowCache:
    """At least `least` rows are kept, whatever the bytes: those of one working set."""

    def __init__(self, gram: Rows, bytes: int, least: int, dtype: type) -> None:
        self.gram = gram
        n = gram.n
        capacity = min(n, max(least, int(bytes // (n * np.dtype(dtype).itemsize))))
        self.held: np.ndarray = np.empty((capacity, n), dtype)
        self._owner = np.full(capacity, -1, np.int64)
        self._used = np.full(capacity, -1, np.int64)
        self._place = np.full(n, -1, np.int64)
        self._filled, self._turn = 0, 0
        self.computed = 0

    def places(self, rows: np.ndarray) -> np.ndarray:
        """Where these (different) rows stand in `held`."""
        self._turn += 1
        places = self._place[rows]
        self._used[places[places >= 0]] = self._turn
        missing = rows[places < 0]
        if len(missing):
            self._put(missing)
        return self._place[rows]

    def _put(self, missing: np.ndarray) -> None:
        fresh = np.arange(self._filled, min(self._filled + len(missing), len(self.held)))
        self._filled += len(fresh)
        if len(fresh) < len(missing):
            oldest = np.argsort(self._used[: self._filled - len(fresh)], kind="stable")[: len(missing) - len(fresh)]
            self._place[self._owner[oldest]] = -1
            fresh = np.concatenate([fresh, oldest])
        fresh = np.sort(fresh)
        block = self.gram.rows(missing)
        self.held[fresh] = block
        self.computed += len(missing)
        self._owner[fresh], self._used[fresh], self._place[missing] = missing, self._turn, fresh
