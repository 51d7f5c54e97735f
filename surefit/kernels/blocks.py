"""Blocks of pairs: products, squared distances, sums of absolute differences."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from surefit._core.threads import single_threaded_blas
from surefit.kernels.rows import Rows

CLOSE = {np.dtype(np.float64): 1e-4, np.dtype(np.float32): 2.0**-6}
"""Below this share of ‖x‖² + ‖x'‖² a squared distance has lost digits, and is measured again by differences."""
PAIRS = 2**20


def dot_block(A: Any, B: Any) -> np.ndarray:
    """a·b for all pairs."""
    with single_threaded_blas():
        P = A @ B.T
    return np.asarray(P.toarray() if sp.issparse(P) else P)


def sq_dist_block(A: Rows, B: Rows) -> np.ndarray:
    """‖a − b‖² for all pairs, never below zero."""
    D = dot_block(A.centered, B.centered)
    size = A.sq_norms[:, None] + B.sq_norms
    D *= -2
    D += size
    i, j = np.nonzero(D <= CLOSE[D.dtype] * size)
    for first in range(0, len(i), PAIRS):
        ii, jj = i[first : first + PAIRS], j[first : first + PAIRS]
        gap = A.centered[ii] - B.centered[jj]
        if sp.issparse(gap):
            D[ii, jj] = np.asarray(gap.multiply(gap).sum(axis=1)).ravel()
        else:
            D[ii, jj] = np.einsum("ij,ij->i", gap, gap)
    return D


def l1_block(A: Any, B: Any) -> np.ndarray:
    """Σ |aⱼ − bⱼ| for all pairs."""
    A, B = (M.toarray() if sp.issparse(M) else M for M in (A, B))
    D = np.zeros((len(A), len(B)), dtype=A.dtype)
    for a, b in zip(A.T, B.T, strict=True):
        D += np.abs(a[:, None] - b)
    return D


def additive_chi2_block(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    """−Σ (aⱼ − bⱼ)² / (aⱼ + bⱼ) for all pairs; 0/0 counts as 0."""
    D = np.zeros((len(A), len(B)), dtype=A.dtype)
    for a, b in zip(A.T, B.T, strict=True):
        total = a[:, None] + b
        total[total == 0] = 1
        D -= (a[:, None] - b) ** 2 / total
    return D
