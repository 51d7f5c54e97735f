"""Leading eigenpairs of a symmetric matrix in memory, largest first."""

from __future__ import annotations

import numpy as np
import scipy.linalg
import scipy.sparse.linalg

SMALL = 96
"""Up to this size all pairs cost less than asking for some of them."""
LANCZOS_FROM = 2000
LANCZOS_SHARE = 20
SUBSET_SHARE = 3


def leading_pairs(S: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    """The k largest eigenvalues, and their unit eigenvectors as rows.

    Few of a large matrix: Lanczos, to full precision; some: the tridiagonal form and only the vectors asked for; many:
    divide and conquer.
    """
    m = len(S)
    if k == 0:
        return np.zeros(0), np.zeros((0, m))
    if m >= LANCZOS_FROM and k * LANCZOS_SHARE <= m:
        pairs = _lanczos(S, k)
        if pairs is not None:
            return pairs
    if m > SMALL and k * SUBSET_SHARE <= m:
        values, vectors = scipy.linalg.eigh(S, subset_by_index=[m - k, m - 1], check_finite=False)
    else:
        values, vectors = np.linalg.eigh(S)
    return values[::-1][:k].copy(), np.ascontiguousarray(vectors.T[::-1][:k])


def _lanczos(S: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray] | None:
    """None if the spectrum is so flat that the iteration does not end soon."""
    start = np.random.default_rng(0).uniform(-1.0, 1.0, len(S))
    try:
        values, vectors = scipy.sparse.linalg.eigsh(S, k, which="LA", v0=start, tol=0.0, maxiter=30)
    except scipy.sparse.linalg.ArpackError:
        return None
    order = np.argsort(-values, kind="stable")
    basis, _ = np.linalg.qr(vectors[:, order])
    values, turn = np.linalg.eigh(basis.T @ (S @ basis))
    return values[::-1].copy(), np.ascontiguousarray((basis @ turn).T[::-1])
