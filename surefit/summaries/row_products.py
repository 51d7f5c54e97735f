"""Products of a block's CSR rows with a few vectors and their transposes, in the fixed tree over leaves."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from surefit import _native
from surefit.engine.sources.block import Block


def scores(X: Any, coef: np.ndarray, intercept: np.ndarray, n_threads: int) -> np.ndarray:
    """X·coefᵀ + intercept, (n, m)."""
    return _native.csr_scores(*csr_parts(X), np.ascontiguousarray(coef.T), intercept, n_threads)


def column_sums(block: Block, R: np.ndarray, n_threads: int) -> np.ndarray:
    """RᵀX, (m, d), for R of shape (n, m)."""
    return _native.csc_sums(*csr_parts(by_columns(block)), np.ascontiguousarray(R.T), block.leaf_rows, n_threads)


def few_columns(block: Block) -> bool:
    """Whether sums of all columns, one for each leaf, are few beside the numbers: then rows are summed as they are."""
    return sp.issparse(block.X) and block.n_leaves * block.n_features <= block.X.nnz


KEPT_SUMS = 16
"""Sums of all columns that `normal_product` keeps side by side, one for each part of the rows."""


def normal_product(
    X: Any, v: np.ndarray, shift: float, c: np.ndarray | None, w: np.ndarray | None, n_threads: int
) -> tuple[np.ndarray, float, float]:
    """Σ ω z x, Σ ω z and Σ ω z² of z = x·v − shift − c, in one read of the rows."""
    return _native.csr_normal_product(*csr_parts(X), v, shift, c, w, n_threads)


def by_columns(block: Block) -> Any:
    """The rows by columns, kept where the source keeps its rows."""
    if block.scratch is None:
        return sp.csc_array(block.X)
    if "columns" not in block.scratch:
        block.scratch["columns"] = sp.csc_array(with_short_indices(sp.csr_array(block.X)))
    return block.scratch["columns"]


def with_short_indices(X: Any) -> Any:
    """The same CSR rows with indices of 32 bits where these suffice: half of the memory that products read."""
    if X.indices.dtype == np.int32 or max(X.nnz, *X.shape) > np.iinfo(np.int32).max:
        return X
    return sp.csr_array((X.data, X.indices.astype(np.int32), X.indptr.astype(np.int32)), shape=X.shape)


def csr_parts(X: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Numbers, indices and ends, the last two of one type."""
    indptr = X.indptr if X.indptr.dtype == X.indices.dtype else X.indptr.astype(X.indices.dtype)
    return X.data, X.indices, indptr
