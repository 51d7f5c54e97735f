"""Products with rows, the same for arrays and for `Rows`, in float64 (or in B's longer type)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.blocks import F64, Block, Rows


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
