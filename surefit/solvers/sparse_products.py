"""Products of a block's CSR rows with a few vectors, and sums of numbers of its rows, in the fixed tree over leaves."""

from __future__ import annotations

from typing import Any

import numpy as np

from surefit import _native
from surefit.engine.block import Block


def scores(X: Any, coef: np.ndarray, intercept: np.ndarray, n_threads: int) -> np.ndarray:
    """X·coefᵀ + intercept, (n, m)."""
    return _native.csr_scores(*_parts(X), np.ascontiguousarray(coef.T), intercept, n_threads)


def column_sums(block: Block, R: np.ndarray, n_threads: int) -> np.ndarray:
    """RᵀX, (m, d), for R of shape (n, m)."""
    columns = None if block.scratch is None else block.scratch.get("columns")
    if columns is None:
        columns = block.X.tocsc()
        if block.scratch is not None:
            block.scratch["columns"] = columns
    return _native.csc_sums(*_parts(columns), np.ascontiguousarray(R.T), block.leaf_rows, n_threads)


def _parts(X: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    indptr = X.indptr if X.indptr.dtype == X.indices.dtype else X.indptr.astype(X.indices.dtype)
    return X.data, X.indices, indptr


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
