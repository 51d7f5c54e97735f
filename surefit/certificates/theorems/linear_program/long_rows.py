"""Rows of the data in long double: products, transposed products, and how far they can be from the truth.

A sum of k products has an error of at most γₖ Σ|terms|, γₖ = k u / (1 − k u), u the unit of long double.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from surefit.certificates.blocks import F64, Block, Blocks, Rows, looked_over, one_column

LONG = np.longdouble
UNIT = float(np.finfo(LONG).eps) / 2
SLICE = 1 << 20  # entries of a slice, of at most 1024 rows: short sums have small errors

Long = Any  # an array, or a number, of long doubles


def gamma(k: int) -> float:
    """γₖ = k u / (1 − k u)."""
    return k * UNIT / (1.0 - k * UNIT)


class Slice(NamedTuple):
    """Rows first … first + n − 1 as they came, with target (or class code) and weight."""

    first: int
    X: Block
    y: F64
    w: F64


def slices(blocks: Blocks) -> Iterator[Slice]:
    """All rows in order. Raises BadData where there is nothing to compute with."""
    first = 0
    for X, y, w in looked_over(blocks, needs_y=True):
        n, y = X.shape[0], one_column(y).astype(np.float64)
        step = max(1, min(1024, SLICE // max(1, X.shape[1])))
        for lo in range(0, n, step):
            part = slice(lo, min(lo + step, n))
            yield Slice(first + lo, X[part], y[part], w[part])
        first += n


def times(X: Block | Long, theta: Long) -> Long:
    """X θ for one vector θ."""
    if not isinstance(X, Rows):
        return X.astype(LONG) @ theta.astype(LONG)
    out, filled = np.zeros(X.shape[0], dtype=LONG), np.flatnonzero(np.diff(X.indptr))
    if filled.size:
        out[filled] = np.add.reduceat(X.data.astype(LONG) * theta[X.indices], X.indptr[filled])
    return out


def transposed_times(X: Block | Long, delta: Long) -> Long:
    """Xᵀ δ for one vector δ."""
    if not isinstance(X, Rows):
        return delta.astype(LONG) @ X.astype(LONG)
    out = np.zeros(X.shape[1], dtype=LONG)
    np.add.at(out, X.indices, X.data * delta[X.owner()])
    return out


def absolute(X: Block | Long) -> Block | Long:
    return Rows(np.abs(X.data), X.indices, X.indptr, X.shape) if isinstance(X, Rows) else np.abs(X)


def scores(X: Block, w: F64, b: float) -> tuple[Long, Long, Long]:
    """x·w + b for every row, the size |x|·|w| + |b| of its terms, and a bound of its rounding."""
    size = times(absolute(X), np.abs(w).astype(LONG)) + abs(LONG(b))
    terms = int(np.diff(X.indptr).max(initial=0)) if isinstance(X, Rows) else X.shape[1]
    return times(X, w.astype(LONG)) + LONG(b), size, gamma(terms + 4) * size
