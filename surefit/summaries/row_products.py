"""Products of a block's CSR rows with a few vectors, and sums of numbers of its rows, in the fixed tree over leaves."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from surefit import _native
from surefit.engine.block import Block, row_weights
from surefit.engine.step import Step


def scores(X: Any, coef: np.ndarray, intercept: np.ndarray, n_threads: int) -> np.ndarray:
    """X·coefᵀ + intercept, (n, m)."""
    return _native.csr_scores(*_parts(X), np.ascontiguousarray(coef.T), intercept, n_threads)


def column_sums(block: Block, R: np.ndarray, n_threads: int) -> np.ndarray:
    """RᵀX, (m, d), for R of shape (n, m)."""
    return _native.csc_sums(*_parts(_columns(block)), np.ascontiguousarray(R.T), block.leaf_rows, n_threads)


def _columns(block: Block) -> Any:
    """The rows by columns, kept where the source keeps its rows."""
    if block.scratch is None:
        return sp.csc_array(block.X)
    if "columns" not in block.scratch:
        block.scratch["columns"] = sp.csc_array(block.X)
    return block.scratch["columns"]


def _parts(X: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    indptr = X.indptr if X.indptr.dtype == X.indices.dtype else X.indptr.astype(X.indices.dtype)
    return X.data, X.indices, indptr


class ColumnSums(NamedTuple):
    weight: float
    sums: np.ndarray
    """Σ ω x of every column."""
    squares: np.ndarray
    """Σ ω x²"""


class ColumnSumsStep(Step):
    """Sums of every column of CSR rows and of its squares. The state: weights of the classes, or None."""

    def map(self, state: np.ndarray | None, block: Block, n_threads: int) -> ColumnSums:
        w = row_weights(block, state)
        w = np.ones(block.n_rows) if w is None else w
        data, rows, ends = _parts(_columns(block))
        squares = _native.csc_sums(data.astype(np.float64) ** 2, rows, ends, w[None], block.leaf_rows, n_threads)[0]
        weight = float(tree_sum(by_leaves(w, block.leaf_rows).sum(axis=1)))
        return ColumnSums(weight, column_sums(block, w[:, None], n_threads)[0], squares)

    def combine(self, left: ColumnSums, right: ColumnSums) -> ColumnSums:
        return ColumnSums(left.weight + right.weight, left.sums + right.sums, left.squares + right.squares)


def by_leaves(values: np.ndarray, leaf_rows: int) -> np.ndarray:
    """(leaves, leaf_rows, …): the rows leaf by leaf, the last leaf filled up with zeros."""
    n = len(values)
    n_leaves = -(-n // leaf_rows)
    if n < n_leaves * leaf_rows:
        filled = np.zeros((n_leaves * leaf_rows, *values.shape[1:]))
        filled[:n] = values
        values = filled
    return values.reshape(n_leaves, leaf_rows, *values.shape[1:])


def tree_sum(leaves: np.ndarray) -> np.ndarray:
    """The sum over the first axis in the fixed tree: neighbours are added until one is left."""
    while len(leaves) > 1:
        even = len(leaves) // 2 * 2
        pairs = leaves[0:even:2] + leaves[1:even:2]
        leaves = pairs if even == len(leaves) else np.concatenate([pairs, leaves[even:]])
    return leaves[0]
