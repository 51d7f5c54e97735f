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

F64 = NDArray[Any]  # float64 throughout


class BadData(Exception):
    """The data cannot be checked against; the message says why."""


class Rows:
    """Rows in compressed form: row i has `data[indptr[i]:indptr[i+1]]` in columns `indices[...]`.

    Repeated columns within a row add up, as everywhere.
    """

    def __init__(self, data: NDArray, indices: NDArray, indptr: NDArray, shape: tuple[int, int]) -> None:
        self.data = np.asarray(data)
        self.indices = np.asarray(indices)
        self.indptr = np.asarray(indptr)
        self.shape = (int(shape[0]), int(shape[1]))
        n = self.shape[0]
        if self.indptr.shape != (n + 1,) or self.data.shape != self.indices.shape:
            raise ValueError(f"Rows: indptr must have {n + 1} entries, data and indices the same length.")
        if self.indices.size and not (0 <= self.indices.min() and self.indices.max() < self.shape[1]):
            raise ValueError(f"Rows: column numbers must lie in [0, {self.shape[1]}).")

    @property
    def dtype(self) -> np.dtype:
        return self.data.dtype

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, rows: slice) -> Rows:
        """The rows of a slice with step one."""
        lo, hi, step = rows.indices(self.shape[0])
        if step != 1:
            raise ValueError("Rows: slices have step one.")
        hi = max(lo, hi)
        a, b = int(self.indptr[lo]), int(self.indptr[hi])
        return Rows(self.data[a:b], self.indices[a:b], self.indptr[lo : hi + 1] - a, (hi - lo, self.shape[1]))

    def owner(self) -> NDArray[np.intp]:
        """The row number of every stored entry."""
        return np.repeat(np.arange(self.shape[0]), np.diff(self.indptr))

    def toarray(self) -> F64:
        out = np.zeros(self.shape)
        np.add.at(out, (self.owner(), self.indices), self.data.astype(np.float64))
        return out


Block = NDArray | Rows


class BlockOf(NamedTuple):
    X: Block
    y: NDArray | None
    w: NDArray | None


class Blocks(Protocol):
    """The protocol that checkers read."""

    n_rows: int
    n_features: int

    def __iter__(self) -> Iterator[tuple[Block, NDArray | None, NDArray | None]]: ...


class ArrayBlocks:
    """Blocks of an array (or `Rows`) that is in memory."""

    def __init__(self, X: Block, y: NDArray | None = None, w: NDArray | None = None, block_rows: int = 4096) -> None:
        self.X = X if isinstance(X, Rows) else np.asarray(X)
        if len(self.X.shape) != 2:
            raise ValueError(f"X must have two dimensions; got {len(self.X.shape)}.")
        self.n_rows, self.n_features = (int(s) for s in self.X.shape)
        self.y = None if y is None else np.asarray(y)
        self.w = None if w is None else np.asarray(w)
        if self.y is not None and (self.y.ndim not in (1, 2) or self.y.shape[0] != self.n_rows):
            raise ValueError(f"y must have {self.n_rows} rows and one or two dimensions; got {self.y.shape}.")
        if self.w is not None and self.w.shape != (self.n_rows,):
            raise ValueError(f"w must have shape ({self.n_rows},); got {self.w.shape}.")
        if block_rows < 1:
            raise ValueError(f"block_rows must be positive; got {block_rows}.")
        self.block_rows = int(block_rows)

    def __iter__(self) -> Iterator[BlockOf]:
        for lo in range(0, self.n_rows, self.block_rows):
            rows = slice(lo, min(lo + self.block_rows, self.n_rows))
            yield BlockOf(
                self.X[rows],
                None if self.y is None else self.y[rows],
                None if self.w is None else self.w[rows],
            )


# The few operations that checkers need, the same for arrays and for Rows, always in float64.


def dense(X: Block) -> F64:
    """The block as a float64 array."""
    return X.toarray() if isinstance(X, Rows) else np.asarray(X, dtype=np.float64)


def _sums(place: NDArray, values: F64, size: int) -> F64:
    """Σ of the values in every place; floats even where there are no values."""
    return np.bincount(place, weights=values, minlength=size).astype(np.float64, copy=False)


def matmul(X: Block, B: F64) -> F64:
    """X B for a dense B of one or two dimensions."""
    if not isinstance(X, Rows):
        return np.asarray(X, dtype=np.float64) @ B
    data, row, n = X.data.astype(np.float64), X.owner(), X.shape[0]
    if B.ndim == 1:
        return _sums(row, data * B[X.indices], n)
    cols = [_sums(row, data * b[X.indices], n) for b in np.ascontiguousarray(B.T)]
    return np.stack(cols, axis=1) if cols else np.zeros((n, 0))


def tmatmul(X: Block, B: F64) -> F64:
    """Xᵀ B for a dense B of one or two dimensions."""
    if not isinstance(X, Rows):
        return np.asarray(X, dtype=np.float64).T @ B
    data, row, d = X.data.astype(np.float64), X.owner(), X.shape[1]
    if B.ndim == 1:
        return _sums(X.indices, data * B[row], d)
    cols = [_sums(X.indices, data * b[row], d) for b in np.ascontiguousarray(B.T)]
    return np.stack(cols, axis=1) if cols else np.zeros((d, 0))


def magnitude(X: Block) -> Block:
    """|X|, entry by entry (for `Rows`, of the stored entries: an upper bound where columns repeat)."""
    if isinstance(X, Rows):
        return Rows(np.abs(X.data), X.indices, X.indptr, X.shape)
    return np.abs(X)


def sq_norms(X: Block) -> F64:
    """‖x‖² of every row."""
    if isinstance(X, Rows):
        data = X.data.astype(np.float64)
        return _sums(X.owner(), data * data, X.shape[0])
    X = np.asarray(X, dtype=np.float64)
    return np.einsum("ij,ij->i", X, X)


def column_sums(X: Block, w: F64) -> F64:
    """Σᵢ wᵢ xᵢ."""
    return tmatmul(X, w)


def all_finite(X: Block | NDArray) -> bool:
    values = X.data if isinstance(X, Rows) else np.asarray(X)
    return bool(values.dtype.kind in "biuf" and np.isfinite(values).all())
