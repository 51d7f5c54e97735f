"""Products of a block's CSR rows with a few vectors and their transposes, in the fixed tree over leaves."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from surefit import _native
from surefit.engine.block import Block


def scores(X: Any, coef: np.ndarray, intercept: np.ndarray, n_threads: int) -> np.ndarray:
    """X·coefᵀ + intercept, (n, m)."""
    return _native.csr_scores(*csr_parts(X), np.ascontiguousarray(coef.T), intercept, n_threads)


def column_sums(block: Block, R: np.ndarray, n_threads: int) -> np.ndarray:
    """RᵀX, (m, d), for R of shape (n, m)."""
    return _native.csc_sums(*csr_parts(by_columns(block)), np.ascontiguousarray(R.T), block.leaf_rows, n_threads)


def by_columns(block: Block) -> Any:
    """The rows by columns, kept where the source keeps its rows."""
    if block.scratch is None:
        return sp.csc_array(block.X)
    if "columns" not in block.scratch:
        block.scratch["columns"] = sp.csc_array(block.X)
    return block.scratch["columns"]


def csr_parts(X: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Numbers, indices and ends, the last two of one type."""
    indptr = X.indptr if X.indptr.dtype == X.indices.dtype else X.indptr.astype(X.indices.dtype)
    return X.data, X.indices, indptr
