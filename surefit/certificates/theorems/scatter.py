"""Sums over centred rows that principal components and k-means are checked with."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from surefit.certificates.blocks import F64, Block, Blocks, Rows, dense, matmul, sq_norms, tmatmul

SLICE_ENTRIES = 1 << 21


def weights(X: Block, w: F64 | None) -> F64:
    return np.ones(X.shape[0]) if w is None else np.asarray(w, dtype=np.float64)


def slices(X: Block) -> Iterator[slice]:
    """Row slices whose dense form is small."""
    step = max(1, SLICE_ENTRIES // max(1, X.shape[1]))
    for lo in range(0, X.shape[0], step):
        yield slice(lo, min(lo + step, X.shape[0]))


def centred_product(X: Block, m: F64, B: F64) -> F64:
    """(X − 1mᵀ) B; for Rows without forming the dense block."""
    if isinstance(X, Rows):
        return matmul(X, B) - m @ B
    return (np.asarray(X, dtype=np.float64) - m) @ B


def centred_transpose(X: Block, m: F64, Y: F64) -> F64:
    """(X − 1mᵀ)ᵀ Y."""
    if isinstance(X, Rows):
        return tmatmul(X, Y) - np.outer(m, Y.sum(axis=0))
    return (np.asarray(X, dtype=np.float64) - m).T @ Y


def centred_sq_norms(X: Block, m: F64) -> F64:
    """‖x − m‖² of every row."""
    if isinstance(X, Rows):
        return np.maximum(sq_norms(X) - 2.0 * matmul(X, m) + m @ m, 0.0)
    return sq_norms(np.asarray(X, dtype=np.float64) - m)


def column_squares(X: Block, omega: F64) -> F64:
    """Σ ω x² of every column, about zero."""
    if isinstance(X, Rows):
        return tmatmul(Rows(X.data.astype(np.float64) ** 2, X.indices, X.indptr, X.shape), omega)
    X = np.asarray(X, dtype=np.float64)
    return np.einsum("ij,ij,i->j", X, X, omega)


def scatter_matrix(blocks: Blocks, m: F64) -> F64:
    """Σ ω (x − m)(x − m)ᵀ, d × d."""
    S = np.zeros((blocks.n_features, blocks.n_features))
    for X, _, w in blocks:
        omega = weights(X, w)
        for rows in slices(X):
            A = dense(X[rows]) - m
            S += A.T @ (A * omega[rows, None])
    return S


def gram_matrix(blocks: Blocks, m: F64) -> F64:
    """√ωᵢωⱼ (xᵢ − m)·(xⱼ − m), n × n, two blocks at a time."""
    G = np.zeros((blocks.n_rows, blocks.n_rows))
    i = 0
    for X, _, w in blocks:
        A = (dense(X) - m) * np.sqrt(weights(X, w))[:, None]
        j = 0
        for Z, _, v in blocks:
            B = (dense(Z) - m) * np.sqrt(weights(Z, v))[:, None]
            G[i : i + len(A), j : j + len(B)] = A @ B.T
            j += len(B)
        i += len(A)
    return G


def apply_scatter(blocks: Blocks, m: F64, B: F64) -> F64:
    """S B in one pass, without S."""
    out = np.zeros(B.shape)
    for X, _, w in blocks:
        Y = centred_product(X, m, B) * weights(X, w)[:, None]
        out += centred_transpose(X, m, Y)
    return out
