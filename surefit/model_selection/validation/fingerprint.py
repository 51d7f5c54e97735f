"""A name for a list of folds: scores may be compared fold by fold only where the folds are the same.

The fingerprint is the SHA-256 of all (train, test) index arrays in their order, each with its length. The order of the
folds counts (scores are paired by it), and so does the order of rows inside a fold (some fits depend on it).
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import Any

import numpy as np


class FoldHash:
    """Folds are added one by one, so that none has to be kept."""

    def __init__(self) -> None:
        self._hash, self.n_folds = hashlib.sha256(), 0

    def add(self, train: Any, test: Any) -> None:
        for part in (train, test):
            rows = np.ascontiguousarray(row_numbers(part), dtype="<i8")
            self._hash.update(len(rows).to_bytes(8, "little"))
            self._hash.update(rows.tobytes())
        self.n_folds += 1

    @property
    def text(self) -> str:
        return self._hash.hexdigest()


class KeptFold:
    """A fold in little room: parts whose rows rise are kept as one bit for each row of the table."""

    def __init__(self, n_rows: int, train: Any, test: Any) -> None:
        self._n_rows = n_rows
        self._parts = tuple(self._packed(row_numbers(part)) for part in (train, test))

    def _packed(self, rows: np.ndarray) -> np.ndarray:
        if not (np.diff(rows) > 0).all() or rows.min(initial=0) < 0:
            return np.array(rows, dtype=np.int64)
        flags = np.zeros(self._n_rows, dtype=bool)
        flags[rows] = True
        return np.packbits(flags)

    def rows(self) -> tuple[np.ndarray, np.ndarray]:
        train, test = (
            np.flatnonzero(np.unpackbits(part, count=self._n_rows)) if part.dtype == np.uint8 else part
            for part in self._parts
        )
        return train, test


def row_numbers(part: Any) -> np.ndarray:
    """The rows of a part, given as numbers or as a mask."""
    part = np.asarray(part)
    return np.flatnonzero(part) if part.dtype == bool else part


def folds_fingerprint(splits: Iterable[tuple[Any, Any]]) -> str:
    """The fingerprint of (train, test) splits.

    >>> import numpy as np
    >>> left = [(np.array([0, 1]), np.array([2])), (np.array([2]), np.array([0, 1]))]
    >>> folds_fingerprint(left) == folds_fingerprint(left[::-1])
    False
    """
    found = FoldHash()
    for train, test in splits:
        found.add(train, test)
    return found.text
