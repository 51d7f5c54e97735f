"""Blocks of pairs, by the compiled loops: k(a, b) = finish(Σⱼ pair(aⱼ, bⱼ)) for every row a of A and b of B.

The bits of k(a, b) are those of k(b, a), in any block and on any number of threads. A squared distance is
‖a‖² + ‖b‖² − 2 a·b; where less than a share c of the norms is left (c = 1e-4, in single precision 1/64), so that digits
are lost, it is summed again from the differences. Its relative error is therefore at most about d u / c, and

    |δ exp(−γ r²)| ≤ γ r² exp(−γ r²) d u / c ≤ 0.37 d u / c        whatever γ.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from surefit import _native
from surefit._core.threads import threads_for
from surefit.kernels.rows import Rows

PRODUCT, SQ_DIST, ABSOLUTE, CHI2 = range(4)
PLAIN, POWER, EXP = range(3)


def product_block(A: Any, B: Any, out: np.ndarray | None = None) -> np.ndarray:
    """a·b"""
    return _block(A, B, (PRODUCT, PLAIN, 0.0, 0.0, 0), out)


def power_block(A: Rows, B: Rows, gamma: float, coef0: float, degree: int, out: np.ndarray | None) -> np.ndarray:
    """(gamma a·b + coef0)^degree"""
    return _block(A.values, B.values, (PRODUCT, POWER, gamma, coef0, degree), out)


def sq_dist_block(A: Rows, B: Rows, gamma: float | None = None, out: np.ndarray | None = None) -> np.ndarray:
    """‖a − b‖², or exp(−gamma ‖a − b‖²)"""
    form = (SQ_DIST, PLAIN, 0.0, 0.0, 0) if gamma is None else (SQ_DIST, EXP, gamma, 0.0, 0)
    return _block(A.centered, B.centered, form, out, A.sq_norms, B.sq_norms)


def pair_block(A: Any, B: Any, pair: int, gamma: float | None = None, out: np.ndarray | None = None) -> np.ndarray:
    """Σ |aⱼ − bⱼ| or Σ (aⱼ − bⱼ)² / (aⱼ + bⱼ), or exp of −gamma times it; CSR rows are written out."""
    A, B = (M.toarray() if sp.issparse(M) else M for M in (A, B))
    form = (pair, PLAIN, 0.0, 0.0, 0) if gamma is None else (pair, EXP, gamma, 0.0, 0)
    return _block(A, B, form, out)


def _block(A: Any, B: Any, form: Any, out: np.ndarray | None, a_sq: Any = None, b_sq: Any = None) -> np.ndarray:
    shape = (A.shape[0], B.shape[0])
    fits = out is not None and out.shape == shape and out.dtype == A.dtype and out.flags.c_contiguous
    K = out if out is not None and fits else np.empty(shape, dtype=A.dtype)
    n_threads = threads_for(shape[0] * shape[1] * (A.shape[1] + 30))
    if sp.issparse(A):
        _native.gram_block_csr(*_parts(A, B), A.shape[1], a_sq, b_sq, form, K, n_threads)
    else:
        _native.gram_block(A, B, a_sq, b_sq, form, K, n_threads)
    return written(K, out)


def _parts(A: Any, B: Any) -> tuple[Any, Any]:
    """Numbers, columns and ends of both, with indices of one type."""
    kinds = {index.dtype for M in (A, B) for index in (M.indices, M.indptr)}
    kind = kinds.pop() if len(kinds) == 1 else np.dtype(np.int64)
    left, right = ((M.data, *(i.astype(kind, copy=False) for i in (M.indices, M.indptr))) for M in (A, B))
    return left, right


def written(K: np.ndarray, out: np.ndarray | None) -> np.ndarray:
    """K, in `out` when that was asked for."""
    if out is None or K is out:
        return K
    out[...] = K
    return out
