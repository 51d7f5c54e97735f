"""Weights with which rows are rebuilt from their neighbors, and the matrix whose null space keeps them.

For each row x with neighbors N:  min ‖x − Σ w_j x_j‖² + R ‖w‖²  over Σ w_j = 1, j ∈ N, with R = reg · tr(C Cᵀ), where C
has the rows x_j − x (Roweis and Saul, 2000). Points y that the same weights rebuild have a small ‖(1 − W) Y‖², which
is the quadratic form of M = (1 − W)ᵀ (1 − W); constants are in its null space.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from surefit import _native
from surefit._core.errors import InvalidData
from surefit._core.threads import thread_count


def local_weights(
    queries: np.ndarray, rows: np.ndarray, near: sp.csr_array, reg: float, n_jobs: int | None = None
) -> sp.csr_array:
    """W (queries, rows): each row sums to one. `near`: the neighbors of each query; its numbers are not read."""
    w = np.empty(near.nnz)
    indptr = np.ascontiguousarray(near.indptr, dtype=np.int64)
    failed = _native.local_weights(
        np.ascontiguousarray(queries, dtype=np.float64),
        np.ascontiguousarray(rows, dtype=np.float64),
        indptr,
        np.ascontiguousarray(near.indices, dtype=np.int64),
        float(reg),
        w,
        thread_count(n_jobs),
    )
    if failed < queries.shape[0]:
        raise InvalidData(
            f"the weights of row {failed} are not determined: its neighbors depend on each other (there are more of "
            "them than columns, or some are equal), or their distances left the range of floating point. Use reg > 0."
        )
    return sp.csr_array((w, near.indices, near.indptr), shape=near.shape)


def weights_matrix(W: sp.csr_array) -> sp.csr_array:
    """M = (1 − W)ᵀ (1 − W)"""
    R = sp.eye_array(W.shape[0], format="csr") - W
    return sp.csr_array(R.T @ R)


def null_vector(n: int) -> np.ndarray:
    return np.full((n, 1), 1.0 / np.sqrt(n))


def rebuilt(W: sp.csr_array, embedding: np.ndarray) -> Any:
    """Places of queries from those of their neighbors."""
    return W @ embedding
