"""Distances between all pairs of rows, in any metric that linkages are asked for."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp

from surefit import _native
from surefit._core.errors import InvalidData
from surefit._core.memory import refuse_beyond_memory
from surefit._core.threads import threads_for
from surefit.search.metric import resolve_metric

COORDINATES = ("euclidean", "manhattan", "cosine")
"""Metrics that compiled loops know."""
BLOCK_BYTES = 2**25
ROUNDING, SYMMETRY = 1e-12, 1e-6
"""Relative to the largest distance: what may be below zero, and how far the two ways may differ."""


def coordinates(X: np.ndarray, kind: str) -> tuple[np.ndarray, float]:
    """(rows, scale) that compiled loops take: scale·(X − a middle row), or X in unit rows for the cosine.

    The middle is the median of each column, one of its numbers, and the scale is a power of two: differences keep
    their digits far from zero, whole numbers stay whole (ties stay ties), and squares neither overflow nor vanish.
    Half the squared distance of unit rows is one minus their cosine.
    """
    X = np.asarray(X, dtype=np.float64)
    largest = float(np.abs(X).max())
    first = float(np.ldexp(1.0, -int(np.frexp(largest)[1]) - 1)) if largest > 0 else 1.0
    rows = np.ascontiguousarray(X * first)
    if kind == "cosine":
        rows /= np.sqrt((rows * rows).sum(axis=1, keepdims=True))
        return rows, 1.0
    middle = (len(rows) - 1) // 2
    rows -= np.partition(rows, middle, axis=0)[middle]
    return rows, first


def dense(X: Any) -> np.ndarray:
    """Rows of numbers: sparse ones are written out, if that fits. Centers of clusters are not sparse."""
    if not sp.issparse(X):
        return X
    refuse_beyond_memory(
        float(X.shape[0]) * X.shape[1] * X.dtype.itemsize, "X without its gaps", "Reduce its columns first."
    )
    return X.toarray()


class PairDistances:
    """d(i, j) of the rows of X, which are points, or with metric="precomputed" the distances themselves.

    A callable metric takes either two rows and gives a number, or (as scikit-learn has it) all rows and gives the
    matrix: whichever its signature allows.
    """

    def __init__(self, X: np.ndarray, metric: str | Callable, *, similarities: bool = False) -> None:
        """`similarities`: what is given is none, and may have any sign."""
        self.n, self._any_sign = X.shape[0], similarities
        self._asked = callable(metric) or metric == "precomputed"
        if metric == "precomputed" and not similarities:
            _refuse_not_symmetric(X)
        if callable(metric) and _takes_all_rows(metric):
            X, metric = np.asarray(metric(X), dtype=np.float64), "precomputed"
        self._metric = resolve_metric(metric)
        self.name = self._metric.name
        if self.name == "precomputed" and X.shape != (self.n, self.n):
            raise InvalidData(f"Distance matrix should be square, got matrix of shape {X.shape}")
        if self.name == "cosine" and not X.any(axis=1).all():
            row = int(np.argmin(X.any(axis=1)))
            raise InvalidData(f"Cosine affinity cannot be used when X contains zero vectors; row {row} is one")
        self.X = X

    def between(self, rows: Any, others: Any) -> np.ndarray:
        """The block of distances of `rows` to `others` (index arrays or slices)."""
        if self.name == "precomputed":
            return self._plausible(np.asarray(self.X[rows][:, others], dtype=np.float64))
        return self._plausible(np.asarray(self._metric.pairwise(self.X[rows], self.X[others]), dtype=np.float64))

    def _plausible(self, block: np.ndarray) -> np.ndarray:
        """Refuses what a function, or the user, gives as distances and is none; rounding below zero is zero."""
        if not self._asked or self._any_sign or not block.size:
            return block
        lowest = float(block.min())
        if lowest >= 0:
            return block
        if not lowest >= -ROUNDING * float(np.abs(block).max()):
            raise InvalidData(f"a distance of two rows is {lowest:g}: distances are numbers ≥ 0")
        return np.maximum(block, 0.0)

    def paired(self, first: np.ndarray, second: np.ndarray) -> np.ndarray:
        """d(first[t], second[t])."""
        if self.name == "precomputed":
            return np.asarray(self.X[first, second], dtype=np.float64)
        A, B = (np.asarray(self.X[part], dtype=np.float64) for part in (first, second))
        if self.name == "euclidean":
            return np.sqrt(((A - B) ** 2).sum(axis=1))
        if self.name == "manhattan":
            return np.abs(A - B).sum(axis=1)
        return np.array([self.between([i], [j])[0, 0] for i, j in zip(first, second, strict=True)], dtype=np.float64)

    def blocks(self) -> Iterator[tuple[slice, np.ndarray]]:
        """(rows, their distances to all that come after the first of them), a few megabytes at a time."""
        step = max(1, BLOCK_BYTES // (8 * self.n))
        for first in range(0, self.n, step):
            rows = slice(first, min(first + step, self.n))
            yield rows, self.between(rows, slice(first, self.n))

    def half_matrix(self) -> tuple[np.ndarray, float]:
        """(scale·d(0, 1), scale·d(0, 2), …, scale·d(1, 2), …; scale): the half above the diagonal, if it fits."""
        count = self.n * (self.n - 1) // 2
        refuse_beyond_memory(
            8 * count,
            f"The distances between all pairs of {self.n:,} rows",
            "Use linkage='single' or 'ward' (memory linear in the rows), or a connectivity graph.",
        )
        out = np.empty(count)
        if self.name in COORDINATES:
            rows, scale = coordinates(self.X, self.name)
            _native.pair_distances(rows, COORDINATES.index(self.name), out, threads_for(float(count) * rows.shape[1]))
            return out, scale
        at = 0
        for part, block in self.blocks():
            for row in range(part.stop - part.start):
                tail = block[row, row + 1 :]
                out[at : at + len(tail)] = tail
                at += len(tail)
        return out, 1.0


def _refuse_not_symmetric(D: np.ndarray) -> None:
    if D.ndim != 2 or D.shape[0] != D.shape[1]:
        return  # told by its shape
    off = np.abs(D - D.T)
    if off.size and float(off.max()) > SYMMETRY * float(np.abs(D).max()):
        i, j = (int(place) for place in np.unravel_index(int(off.argmax()), off.shape))
        raise InvalidData(
            f"the distance of rows {i} and {j} is {D[i, j]:g} one way and {D[j, i]:g} the other: precomputed distances "
            "must be symmetric; take (D + D.T) / 2 if both are meant"
        )


def _takes_all_rows(metric: Callable) -> bool:
    """Whether a function can be called with one argument."""
    try:
        inspect.signature(metric).bind(None)
    except (TypeError, ValueError):
        return False
    return True
