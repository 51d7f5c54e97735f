"""Principal axes of wide data from the products of its rows.

A = diag(√ω)(X − 1 mᵀ) has n rows and d > n columns. The small matrix is G = A Aᵀ = U Λ Uᵀ, and V = Aᵀ U Λ^(−1/2) are
the axes. Columns are cut into leaves of a fixed width; a leaf centers its own columns, and G is summed over leaves in
the fixed tree, so the bits do not depend on the number of threads. V is made leaf by leaf in a second pass.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from surefit.engine.leaves import fold_tree
from surefit.solvers.principal.eigen_qr import triangle
from surefit.summaries.column_spread import deviations

LEAF_NUMBERS = 2**20
WIDEST, NARROWEST = 4096, 64


def leaf_columns(n_rows: int) -> int:
    """Columns of one leaf: a power of two, at most 2^20 numbers in a leaf as long as it has 64 columns."""
    columns = WIDEST
    while columns > NARROWEST and columns * n_rows > LEAF_NUMBERS:
        columns //= 2
    return columns


class RowProducts:
    """G of a dense matrix, and what is needed to come back from its eigenvectors to axes."""

    def __init__(self, X: np.ndarray, w: np.ndarray | None, n_threads: int) -> None:
        self._X, self._w, self._n_threads = X, w, n_threads
        self._root = None if w is None else np.sqrt(w)[:, None]
        self._width = leaf_columns(len(X))
        self._n_leaves = -(-X.shape[1] // self._width)
        self.mean = np.empty(X.shape[1])

    def _columns(self, i: int) -> slice:
        return slice(i * self._width, min((i + 1) * self._width, self._X.shape[1]))

    def _deviations(self, i: int) -> np.ndarray:
        """Leaf i of A; fills its part of `mean`."""
        columns = self._columns(i)
        _, self.mean[columns], D = deviations(self._X[:, columns], self._w)
        if self._root is not None:
            D *= self._root
        return D

    def gram(self) -> np.ndarray:
        """A Aᵀ; fills `mean`."""

        def leaf(i: int) -> np.ndarray:
            D = self._deviations(i)
            return D @ D.T

        return fold_tree(self._n_leaves, leaf, _add, self._n_threads)

    def triangle(self) -> np.ndarray:
        """R of Aᵀ = Q R, n × n; fills `mean`."""
        R = fold_tree(
            self._n_leaves,
            lambda i: triangle(self._deviations(i).T),
            lambda left, right: triangle(np.vstack([left, right])),
            self._n_threads,
        )
        return R if len(R) == len(self._X) else np.pad(R, ((0, len(self._X) - len(R)), (0, 0)))

    def back(self, U: np.ndarray, out: np.ndarray) -> None:
        """out = U A for rows U of length n."""
        if self._root is not None:
            U = U * self._root.T

        def leaf(i: int) -> None:
            columns = self._columns(i)
            D = np.subtract(self._X[:, columns], self.mean[columns], dtype=np.float64)
            np.matmul(U, D, out=out[:, columns])

        fold_tree(self._n_leaves, leaf, lambda left, right: None, self._n_threads)


class SparseRowProducts:
    """The same from CSR, centered after the product: A Aᵀ = √ω (X Xᵀ − X m 1ᵀ − 1 mᵀ Xᵀ + mᵀm 1 1ᵀ) √ω."""

    def __init__(self, X: Any, w: np.ndarray | None) -> None:
        self._X = X.astype(np.float64)
        w = np.ones(X.shape[0]) if w is None else w
        self._root = np.sqrt(w)
        self.mean = np.asarray(w @ self._X).ravel() / w.sum()

    def gram(self) -> np.ndarray:
        G = (self._X @ self._X.T).toarray()
        along = self._X @ self.mean
        G -= along[:, None]
        G -= along
        G += self.mean @ self.mean
        G *= self._root[:, None]
        G *= self._root
        return G

    def back(self, U: np.ndarray, out: np.ndarray) -> None:
        U = U * self._root
        out[:] = (self._X.T @ U.T).T
        out -= U.sum(axis=1)[:, None] * self.mean


def row_products(X: Any, w: np.ndarray | None, n_threads: int) -> RowProducts | SparseRowProducts:
    return SparseRowProducts(X, w) if sp.issparse(X) else RowProducts(X, w, n_threads)


def _add(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    left += right
    return left
