"""Rows of a Gram matrix, kept in a bounded number of bytes.

A new row takes the place of one that has not been used for a while, the oldest first; otherwise, within the bytes, one
not used before. Memory is touched only as far as rows that are still in use need it, which is dearer than many a row.
"""

from __future__ import annotations

import numpy as np

from surefit.solvers.optimise.smo_state import Rows

A_WHILE = 4
"""Turns (sets of rows asked for) after which a row that was in none of them may be given up."""
SHORT = 16
"""Runs of places shorter than this on average: the rows are computed elsewhere and copied."""
COPIED_BYTES = 2**24
"""Of rows that are copied, so much at a time (one row at least)."""


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
        self._block: np.ndarray = np.empty((0, n), dtype)
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
        used = self._used[: self._filled]
        idle = np.flatnonzero(used <= self._turn - A_WHILE)
        reused = _oldest(used, idle, len(missing))
        last = min(self._filled + len(missing) - len(reused), len(self.held))
        fresh = np.arange(self._filled, last)
        short = len(missing) - len(reused) - len(fresh)
        if short > 0:
            reused = _oldest(used, np.arange(len(used)), len(reused) + short)
        self._fill(missing[: len(fresh)], fresh)
        self._fill(missing[len(fresh) :], reused)
        self._filled = last
        self.computed += len(missing)

    def _fill(self, rows: np.ndarray, places: np.ndarray) -> None:
        """Compute these rows, where they will be kept if the places form few runs."""
        if not len(rows):
            return
        self._place[self._owner[places[self._owner[places] >= 0]]] = -1
        ends = np.append(np.flatnonzero(np.diff(places) != 1) + 1, len(places))
        if len(ends) * SHORT <= len(places) + SHORT:
            for first, end in zip(np.append(0, ends), ends, strict=False):
                self.gram.rows(rows[first:end], out=self.held[places[first] : places[first] + end - first])
        else:
            if not len(self._block):
                self._block = np.empty((max(1, COPIED_BYTES // self.held[0].nbytes), self.gram.n), self.held.dtype)
            for first in range(0, len(rows), len(self._block)):
                part = rows[first : first + len(self._block)]
                self.held[places[first : first + len(part)]] = self.gram.rows(part, out=self._block[: len(part)])
        self._owner[places], self._used[places], self._place[rows] = rows, self._turn, places


def _oldest(used: np.ndarray, among: np.ndarray, count: int) -> np.ndarray:
    """The places, at most `count`, that were not used for longest; in order."""
    if len(among) <= count:
        return among
    return np.sort(among[np.argsort(used[among], kind="stable")[:count]])
