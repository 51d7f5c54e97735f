"""The data that a checker reads: blocks of rows, in order, as often as it likes.

Any object with `n_rows`, `n_features` and an `__iter__` that starts afresh each time and gives `(X, y, w)` per
block will do. X is an ndarray or `Rows` (CSR); y is None or an ndarray of one or two dimensions; w is None or
one-dimensional. Checkers upcast a block to float64 themselves and never hold all blocks at once.
"""

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
        if self.indptr.shape != (self.shape[0] + 1,) or self.data.shape != self.indices.shape:
            raise ValueError(f"Rows: indptr must have {self.shape[0] + 1} entries, data and indices the same length.")
        if self.indices.size and not (0 <= self.indices.min() and self.indices.max() < self.shape[1]):
            raise ValueError(f"Rows: column numbers must lie in [0, {self.shape[1]}).")

    def __getitem__(self, rows: slice) -> Rows:
        """The rows of a slice (its step counts as one)."""
        lo, hi, _ = rows.indices(self.shape[0])
        indptr = self.indptr[lo : max(lo, hi) + 1]
        inside = slice(int(indptr[0]), int(indptr[-1]))
        shape = (len(indptr) - 1, self.shape[1])
        return Rows(self.data[inside], self.indices[inside], indptr - inside.start, shape)

    def owner(self) -> NDArray[np.intp]:
        """The row number of every stored entry."""
        return np.repeat(np.arange(self.shape[0]), np.diff(self.indptr))


Block = NDArray | Rows


class BlockOf(NamedTuple):
    X: Block
    y: Any  # an array or None
    w: Any  # an array or None


class Blocks(Protocol):
    """The protocol that checkers read."""

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
    y = y[:, 0] if y.ndim == 2 and y.shape[1] == 1 else y
    if y.ndim != 1:
        raise BadData(f"targets or labels must be one column, got the shape {y.shape}")
    return y


def looked_over(blocks: Blocks, needs_y: bool = False, missing: bool = False) -> Iterator[BlockOf]:
    """The blocks with a weight ≥ 0 for every row, without y unless it is needed.

    BadData unless the entries are finite numbers (NaN may be among them where values may be missing), the shapes are
    those promised, and some weight is above zero.
    """
    seen, total = 0, 0.0
    for X, y, w in blocks:
        if needs_y and y is None:
            raise CertificateError("This check needs y: the targets or labels the model was fitted to.")
        y, w = np.asarray(y) if needs_y else None, np.ones(X.shape[0]) if w is None else np.asarray(w)
        if X.shape[1] != blocks.n_features or w.shape != X.shape[:1] or (y is not None and len(y) != len(w)):
            raise BadData(f"a block has the shapes {X.shape} and {w.shape}, expected {blocks.n_features} columns")
        if not (all_finite(X, missing) and all_finite(w) and (y is None or all_finite(y))):
            raise BadData("the data have entries that are NaN, infinite or not numbers")
        if (w < 0).any():
            raise BadData("some weights are negative")
        yield BlockOf(X, y, w.astype(np.float64))
        seen, total = seen + X.shape[0], total + float(w.sum())
    if seen != blocks.n_rows:
        raise BadData(f"the blocks have {seen} rows, expected {blocks.n_rows}")
    if not 0 < total < np.inf:
        raise BadData("the weights add up to zero, or to more than numbers hold")
