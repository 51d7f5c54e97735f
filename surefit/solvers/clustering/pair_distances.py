"""Distances between all pairs of rows, in any metric that linkages are asked for."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from scipy.spatial.distance import cdist

from surefit._core.errors import InvalidData
from surefit._core.memory import refuse_beyond_memory

SCIPY_NAMES = {"l2": "euclidean", "l1": "cityblock", "manhattan": "cityblock", "infinity": "chebyshev"}
BLOCK_BYTES = 2**25


class PairDistances:
    """d(i, j) of the rows of X, which are points, or with metric="precomputed" the distances themselves.

    A callable metric takes either two rows and gives a number, or (as scikit-learn has it) all rows and gives the
    matrix: whichever its signature allows.
    """

    def __init__(self, X: np.ndarray, metric: str | Callable) -> None:
        self.n = X.shape[0]
        self.name = metric if isinstance(metric, str) else "callable"
        if callable(metric) and _takes_all_rows(metric):
            X, self.name = np.asarray(metric(X), dtype=np.float64), "precomputed"
        if self.name == "precomputed" and X.shape != (self.n, self.n):
            raise InvalidData(f"Distance matrix should be square, got matrix of shape {X.shape}")
        if self.name == "cosine" and not X.any(axis=1).all():
            row = int(np.argmin(X.any(axis=1)))
            raise InvalidData(f"Cosine affinity cannot be used when X contains zero vectors; row {row} is one")
        self.X, self._metric = X, metric

    def between(self, rows: Any, others: Any) -> np.ndarray:
        """The block of distances of `rows` to `others` (index arrays or slices)."""
        if self.name == "precomputed":
            return np.asarray(self.X[rows][:, others], dtype=np.float64)
        A, B = (np.asarray(self.X[part], dtype=np.float64) for part in (rows, others))
        if self.name == "callable":
            return cdist(A, B, metric=self._metric)
        return cdist(A, B, metric=SCIPY_NAMES.get(self.name, self.name))

    def paired(self, first: np.ndarray, second: np.ndarray) -> np.ndarray:
        """d(first[t], second[t])."""
        if self.name == "precomputed":
            return np.asarray(self.X[first, second], dtype=np.float64)
        pairs = zip(first, second, strict=True)
        if callable(self._metric):
            return np.array([self._metric(self.X[i], self.X[j]) for i, j in pairs], dtype=np.float64)
        A, B = (np.asarray(self.X[part], dtype=np.float64) for part in (first, second))
        if self.name in ("euclidean", "l2"):
            return np.sqrt(((A - B) ** 2).sum(axis=1))
        if self.name in ("manhattan", "l1", "cityblock"):
            return np.abs(A - B).sum(axis=1)
        return np.array([self.between([i], [j])[0, 0] for i, j in pairs])

    def blocks(self) -> Iterator[tuple[slice, np.ndarray]]:
        """(rows, their distances to all that come after the first of them), a few megabytes at a time."""
        step = max(1, BLOCK_BYTES // (8 * self.n))
        for first in range(0, self.n, step):
            rows = slice(first, min(first + step, self.n))
            yield rows, self.between(rows, slice(first, self.n))

    def condensed(self) -> np.ndarray:
        """d(0, 1), d(0, 2), …, d(1, 2), …: the half above the diagonal. Refused when it does not fit."""
        count = self.n * (self.n - 1) // 2
        refuse_beyond_memory(
            8 * count,
            f"The distances between all pairs of {self.n:,} rows",
            "Use linkage='single' or 'ward' (memory linear in the rows), or a connectivity graph.",
        )
        out = np.empty(count)
        at = 0
        for rows, block in self.blocks():
            for row in range(rows.stop - rows.start):
                tail = block[row, row + 1 :]
                out[at : at + len(tail)] = tail
                at += len(tail)
        return out


def _takes_all_rows(metric: Callable) -> bool:
    """Whether a function can be called with one argument."""
    try:
        inspect.signature(metric).bind(None)
    except (TypeError, ValueError):
        return False
    return True
