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


# The few operations that checkers need, the same for arrays and for Rows, in float64 (or in B's longer type).


def dense(X: Block) -> F64:
    """The block as a float64 array."""
    return X.toarray() if isinstance(X, Rows) else np.asarray(X, dtype=np.float64)


def matmul(X: Block, B: F64) -> F64:
    """X B for a dense B of one or two dimensions."""
    if not isinstance(X, Rows):
        return np.asarray(X, dtype=np.float64) @ B
    return _gathered(X.owner(), X.indices, X.data, B, X.shape[0])


def tmatmul(X: Block, B: F64) -> F64:
    """Xᵀ B for a dense B of one or two dimensions."""
    if not isinstance(X, Rows):
        return np.asarray(X, dtype=np.float64).T @ B
    return _gathered(X.indices, X.owner(), X.data, B, X.shape[1])


def _gathered(to: NDArray, source: NDArray, data: NDArray, B: F64, size: int) -> F64:
    """out[to] += data · B[source] over all stored entries, column by column of B."""
    out = np.zeros((size, *B.shape[1:]), dtype=np.result_type(B, np.float64))
    for column in np.ndindex(B.shape[1:]):
        np.add.at(out[(slice(None), *column)], to, data.astype(np.float64) * B[(slice(None), *column)][source])
    return out


def magnitude(X: Block) -> Block:
    """|X|, entry by entry (for `Rows`, of the stored entries: an upper bound where columns repeat)."""
    return Rows(np.abs(X.data), X.indices, X.indptr, X.shape) if isinstance(X, Rows) else np.abs(X)


def sq_norms(X: Block) -> F64:
    """‖x‖² of every row."""
    X = dense(X)
    return np.einsum("ij,ij->i", X, X)


def all_finite(X: Block | NDArray) -> bool:
    values = X.data if isinstance(X, Rows) else np.asarray(X)
    return bool(values.dtype.kind in "biuf" and np.isfinite(values).all())
