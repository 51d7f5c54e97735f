"""The data that a checker reads: blocks of rows, in order, as often as it likes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.claim import CertificateError

F64 = NDArray[Any]  # float64 throughout


class BadData(Exception):
    """The data cannot be checked against; the message says why."""


class Rows:
    """Rows in compressed form: row i has `data[indptr[i]:indptr[i+1]]` in columns `indices[...]`; repeats add up."""

    def __init__(self, data: NDArray, indices: NDArray, indptr: NDArray, shape: tuple[int, int]) -> None:
        self.data, self.indices, self.indptr = np.asarray(data), np.asarray(indices), np.asarray(indptr)
        self.shape, self.dtype = (int(shape[0]), int(shape[1])), self.data.dtype
        lengths_fit = self.indptr.shape == (self.shape[0] + 1,) and self.data.shape == self.indices.shape
        if not lengths_fit or ((self.indices < 0) | (self.indices >= self.shape[1])).any():
            raise ValueError(f"Rows: indptr, data, indices and column numbers must fit the shape {self.shape}.")

    def __getitem__(self, rows: slice) -> Rows:
        """The rows of a slice (its step counts as one)."""
        lo, hi, _ = rows.indices(self.shape[0])
        indptr = self.indptr[lo : max(lo, hi) + 1]
        inside = slice(indptr[0], indptr[-1])
        return Rows(self.data[inside], self.indices[inside], indptr - indptr[0], (len(indptr) - 1, self.shape[1]))

    def owner(self) -> NDArray[np.intp]:
        """The row number of every stored entry."""
        return np.repeat(np.arange(self.shape[0]), np.diff(self.indptr))


Block = NDArray | Rows


class BlockOf(NamedTuple):
    X: Block
    y: Any  # an array of one or two dimensions, or None
    w: Any  # an array of one dimension, or None


class Blocks(Protocol):
    """What checkers read; `__iter__` starts afresh each time."""

    n_rows: int
    n_features: int

    def __iter__(self) -> Iterator[tuple[Block, NDArray | None, NDArray | None]]: ...


def dense(X: Block) -> F64:
    """The block as a float64 array."""
    if not isinstance(X, Rows):
        return np.asarray(X, dtype=np.float64)
    out = np.zeros(X.shape)
    np.add.at(out, (X.owner(), X.indices), X.data.astype(np.float64))
    return out


def all_finite(X: Block, missing: bool = False) -> bool:
    """True for finite numbers, and NaN where they may be missing."""
    values = X.data if isinstance(X, Rows) else np.asarray(X)
    return values.dtype.kind in "biuf" and not bool((np.isinf(values) if missing else ~np.isfinite(values)).any())


def one_column(y: NDArray) -> F64:
    if y.shape[1:] not in ((), (1,)):
        raise BadData(f"targets or labels must be one column, got the shape {y.shape}")
    return y.reshape(-1)


def looked_over(blocks: Blocks, needs_y: bool = False, missing: bool = False) -> Iterator[BlockOf]:
    """The blocks with a weight ≥ 0 for every row, without y unless it is needed.

    BadData unless all entries are finite numbers (X may have NaN where values may be missing), the shapes are those
    promised, and some weight is above zero.
    """
    seen, total = 0, 0.0
    for X, y, w in blocks:
        if needs_y and y is None:
            raise CertificateError("This check needs y: the targets or labels the model was fitted to.")
        n, y = X.shape[0], np.asarray(y) if needs_y else None
        w = np.ones(n) if w is None else np.asarray(w)
        if X.shape[1] != blocks.n_features or w.shape != (n,) or (y is not None and len(y) != n):
            raise BadData(f"a block has the shapes {X.shape} and {w.shape}, expected {blocks.n_features} columns")
        if not (all_finite(X, missing) and all_finite(w) and (w >= 0).all() and (y is None or all_finite(y))):
            raise BadData("entries are NaN, infinite or not numbers, or weights are negative")
        yield BlockOf(X, y, w.astype(np.float64))
        seen, total = seen + n, total + float(w.sum())
    if seen != blocks.n_rows or not 0 < total < np.inf:
        raise BadData(f"{seen} rows came, expected {blocks.n_rows}, or their weights add up to zero or to infinity")
