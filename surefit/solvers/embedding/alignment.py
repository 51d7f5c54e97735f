"""Matrices whose null space aligns local coordinates: modified weights, Hessians, tangent spaces.

Each row's neighborhood adds a small matrix Q Qᵀ on its neighbors (and itself); the sum M has the embedding among its
lowest eigenvectors. Rows with equally many neighbors are decomposed together, in batches of a fixed size.

    modified   several independent weight vectors that nearly rebuild the row      Zhang and Wang, 2007
    hessian    what is left of the neighbors beyond constants, linear and quadratic terms  Donoho and Grimes, 2003
    ltsa       what is left beyond constants and the local principal axes              Zhang and Zha, 2004
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import scipy.sparse as sp

BATCH_NUMBERS = 2**21
REG = 1e-3
"""Of the weights inside the modified method, as in scikit-learn."""


def alignment_matrix(
    X: np.ndarray, near: sp.csr_array, method: str, p: int, *, hessian_tol: float, modified_tol: float
) -> sp.csr_array:
    """M (n, n) of the method for p dimensions."""
    if method == "modified":
        parts = _modified(X, near, p, modified_tol)
    else:
        local: Callable[[np.ndarray], np.ndarray] = (
            (lambda U: _hessian(U, p, hessian_tol)) if method == "hessian" else (lambda U: _tangent(U, p))
        )
        parts = ((neighbors, local(_axes(X, neighbors))) for _, neighbors in batches(X, near))
    return _assembled(parts, X.shape[0])


def batches(X: np.ndarray, near: sp.csr_array) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """(rows, their neighbors (m, k)): rows with equally many neighbors, some at a time."""
    counts = np.diff(near.indptr)
    for k in np.unique(counts[counts > 0]):
        rows = np.flatnonzero(counts == k)
        step = max(1, BATCH_NUMBERS // int(k * max(k, X.shape[1])))
        for start in range(0, len(rows), step):
            some = rows[start : start + step]
            yield some, near.indices[near.indptr[some][:, None] + np.arange(k)].astype(np.int64)


def _assembled(parts: Iterator[tuple[np.ndarray, np.ndarray]], n: int) -> sp.csr_array:
    """Σ of small matrices (m, k, k) at the places (m, k)."""
    M = sp.csr_array((n, n))
    for places, blocks in parts:
        m, k = places.shape
        heads = np.broadcast_to(places[:, :, None], (m, k, k)).reshape(-1)
        tails = np.broadcast_to(places[:, None, :], (m, k, k)).reshape(-1)
        M = M + sp.coo_array((blocks.reshape(-1), (heads, tails)), shape=(n, n)).tocsr()
    return sp.csr_array((M + M.T) / 2)


def _axes(X: np.ndarray, neighbors: np.ndarray) -> np.ndarray:
    """Left singular vectors (m, k, ·) of the neighbors about their mean, largest first."""
    C = X[neighbors]
    C = C - C.mean(axis=1, keepdims=True)
    if neighbors.shape[1] > X.shape[1]:
        return np.linalg.svd(C, full_matrices=False)[0]
    return np.linalg.eigh(C @ C.transpose(0, 2, 1))[1][:, :, ::-1]


def _tangent(U: np.ndarray, p: int) -> np.ndarray:
    k = U.shape[1]
    G = np.concatenate([np.full((*U.shape[:2], 1), 1.0 / np.sqrt(k)), U[:, :, :p]], axis=2)
    return np.eye(k) - G @ G.transpose(0, 2, 1)


def _hessian(U: np.ndarray, p: int, tol: float) -> np.ndarray:
    first = U[:, :, :p]
    products = [first[:, :, a] * first[:, :, b] for a in range(p) for b in range(a, p)]
    Y = np.concatenate([np.ones((*U.shape[:2], 1)), first, np.stack(products, axis=2)], axis=2)
    w = np.linalg.qr(Y, mode="complete")[0][:, :, p + 1 :]
    sums = w.sum(axis=1)
    w = w / np.where(np.abs(sums) < tol, 1.0, sums)[:, None, :]
    return w @ w.transpose(0, 2, 1)


def _modified(X: np.ndarray, near: sp.csr_array, p: int, tol: float) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Neighbors and the row itself: weights Wᵢ with columns that each rebuild the row, M += (Wᵢ, −1)(Wᵢ, −1)ᵀ."""
    ratios = [_tail_ratio(X, rows, neighbors, p) for rows, neighbors in batches(X, near)]
    eta = float(np.median(np.concatenate(ratios)))
    for rows, neighbors in batches(X, near):
        V, values = _local_pairs(X, rows, neighbors)
        W = _regularized(V, values)
        blocks = [_several_weights(V[i], values[i], W[i], eta, tol) for i in range(len(rows))]
        yield np.column_stack([neighbors, rows]), np.stack(blocks)


def _local_pairs(X: np.ndarray, rows: np.ndarray, neighbors: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """All eigenvectors (m, k, k) of C Cᵀ, C the neighbors about the row, and its min(k, d) largest eigenvalues."""
    C = X[neighbors] - X[rows][:, None, :]
    k, d = neighbors.shape[1], X.shape[1]
    if k > d:
        V, sizes, _ = np.linalg.svd(C, full_matrices=True)
        return V, sizes**2
    values, V = np.linalg.eigh(C @ C.transpose(0, 2, 1))
    return V[:, :, ::-1], np.maximum(values[:, ::-1], 0.0)


def _tail_ratio(X: np.ndarray, rows: np.ndarray, neighbors: np.ndarray, p: int) -> np.ndarray:
    values = _local_pairs(X, rows, neighbors)[1]
    head = values[:, :p].sum(axis=1)
    return np.divide(values[:, p:].sum(axis=1), head, out=np.zeros(len(rows)), where=head > 0)


def _regularized(V: np.ndarray, values: np.ndarray) -> np.ndarray:
    """The weights of standard embedding from the eigenpairs."""
    ridge = REG * values.sum(axis=1, keepdims=True)
    ridge = np.where(ridge > 0, ridge, REG)
    full = np.zeros(V.shape[:2])
    full[:, : values.shape[1]] = values
    w = np.einsum("ijk,ik->ij", V, V.sum(axis=1) / (full + ridge))
    return w / w.sum(axis=1, keepdims=True)


def _several_weights(V: np.ndarray, values: np.ndarray, w: np.ndarray, eta: float, tol: float) -> np.ndarray:
    """(Wᵢ, −1)(Wᵢ, −1)ᵀ of one row: as many columns as eigenvalues whose share of the rest stays below eta."""
    k = len(w)
    sums = np.cumsum(values)
    with np.errstate(divide="ignore", invalid="ignore"):
        shares = sums[-1] / sums[:-1] - 1.0
    s = int(np.searchsorted(shares[::-1], eta)) + k - len(values)
    null = V[:, k - s :]
    alpha = np.linalg.norm(null.sum(axis=0)) / np.sqrt(s) if s else 0.0
    h = alpha - null.sum(axis=0)
    size = np.linalg.norm(h)
    h = h / size if size >= tol else np.zeros(s)
    W = null - 2.0 * np.outer(null @ h, h) + (1.0 - alpha) * w[:, None]
    full = np.vstack([W, -np.ones((1, s))])
    return full @ full.T
