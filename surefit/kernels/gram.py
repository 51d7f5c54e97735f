"""Gram matrices by rows and in blocks: what every kernel method works with.

Memory is that of the blocks asked for. A Gaussian block of m × n pairs in d columns costs m n (2 d + 30) operations and
writes m n numbers; its rows are centered, and their norms computed, once.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from surefit.kernels.blocks import written
from surefit.kernels.kernel import Kernel
from surefit.kernels.rows import Rows


class GramRows:
    """The rows of K = k(X, X), computed when they are asked for.

    `dtype` is that of the blocks, and of the arithmetic: by default the one of X. X: float array, CSR, objects; for
    `Precomputed` the matrix itself.
    """

    def __init__(self, kernel: Kernel, X: Any, *, dtype: Any = None) -> None:
        self.kernel = kernel
        self._rows = X if isinstance(X, Rows) else Rows.of(kernel, X, dtype)

    @property
    def n(self) -> int:
        return self._rows.n

    @property
    def dtype(self) -> np.dtype:
        return self._rows.dtype

    def diagonal(self) -> np.ndarray:
        """k(xᵢ, xᵢ)"""
        return self.kernel.self_values(self._rows)

    def rows(self, indices: Any, columns: Any = None, out: np.ndarray | None = None) -> np.ndarray:
        """K[indices][:, columns], (len(indices), n or len(columns)); written to `out` when it is given."""
        A = self._rows.take(indices)
        B = self._rows if columns is None else self._rows.take(columns)
        return self.kernel.block(A, B, out)

    def in_precision(self, dtype: Any) -> GramRows:
        """The same rows, computed in another precision."""
        return self if self.dtype == np.dtype(dtype) else GramRows(self.kernel, self._rows.X, dtype=dtype)

    def subset(self, indices: Any) -> GramRows:
        """Of some of the inputs: `indices` of what it gives are places in `indices`."""
        return GramRows(self.kernel, self._rows.take(indices))

    def cross(self, X: Any, bytes: int = 2**26) -> Iterator[tuple[slice, np.ndarray]]:
        """Blocks of k(X, these rows) for new inputs X: prediction."""
        return _blocks(self.kernel, self._rows.like(X), self._rows, bytes)


class HeldGram(GramRows):
    """The same with the whole matrix in memory, computed once: rows and columns are taken from it."""

    def __init__(self, gram: GramRows) -> None:
        super().__init__(gram.kernel, gram._rows)
        self.matrix = gram.rows(slice(None))

    def diagonal(self) -> np.ndarray:
        return np.diagonal(self.matrix).copy()

    def rows(self, indices: Any, columns: Any = None, out: np.ndarray | None = None) -> np.ndarray:
        some = self.matrix[indices]
        return written(some if columns is None else some[:, columns], out)


def gram_blocks(kernel: Kernel, X: Any, Y: Any = None, bytes: int = 2**26) -> Iterator[tuple[slice, np.ndarray]]:
    """(rows, k(X[rows], Y)), block by block of at most so many bytes (one row at least); Y None is X."""
    A = Rows.of(kernel, X)
    return _blocks(kernel, A, A if Y is None or kernel.reads_pairs else A.like(Y), bytes)


def _blocks(kernel: Kernel, A: Rows, B: Rows, bytes: int) -> Iterator[tuple[slice, np.ndarray]]:
    step = max(1, bytes // max(1, B.n * A.dtype.itemsize))
    for first in range(0, A.n, step):
        rows = slice(first, min(first + step, A.n))
        yield rows, kernel.block(A.take(rows), B)
