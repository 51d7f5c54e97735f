"""The largest eigenvalues of a symmetric operator that is only applied: Lanczos in blocks, with restarts.

    A Q = Q T + W R Eᵀ          Q orthonormal,  T = Qᵀ A Q,  W the next block,  E the last columns of the unit matrix

A block of b columns costs one pass over A for b directions, where one vector at a time costs b passes. With T y = θ y
the Ritz pair (θ, Q y) has the residual ‖A Q y − θ Q y‖ = ‖R Eᵀ y‖, known without touching A, and some eigenvalue lies
within it of θ. Every new block is made orthogonal to the whole basis, twice. When the basis is full, the leading Ritz
vectors and the next block are kept and the rest is dropped (a thick restart): the relation above stays true.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

NARROWEST, USUAL, WIDEST = 4, 8, 32
"""Columns of a block: more of them share a pass over A, but each pass gains less."""
BLOCKS = 25
"""Blocks of the basis before a restart."""
EPS = float(np.finfo(np.float64).eps)


class Leading(NamedTuple):
    values: np.ndarray
    """Largest first."""
    vectors: np.ndarray
    """As columns, orthonormal."""
    residuals: np.ndarray
    """‖A v − θ v‖ of each pair, as the recurrence has it."""
    n_passes: int
    converged: bool


def block_lanczos(
    apply: Callable[[np.ndarray], np.ndarray],
    n: int,
    k: int,
    *,
    tol: float,
    max_passes: int,
    stream: np.random.Generator,
) -> Leading:
    """The k largest eigenvalues of A = apply, and their vectors.

    Stops when every residual is at most `tol` of its eigenvalue, or a few roundings of the largest, or after
    `max_passes` applications of A to a block.
    """
    b = min(max(NARROWEST, min(k, USUAL), k // 4), WIDEST, n)
    most = min(n, max(BLOCKS * b, 2 * k + 4 * b))
    Q = np.empty((n, most), order="F")
    T = np.zeros((most, most))
    Q[:, :b] = np.linalg.qr(stream.standard_normal((n, b)))[0]
    size = b
    """Columns of the basis; the last b of them have not been multiplied yet."""
    n_passes = 0
    while True:
        n_passes += 1
        new = slice(size - b, size)
        Z = apply(Q[:, new])
        W, H = _orthogonal(Z, Q[:, :size])
        T[:size, new] = H
        T[new, :size] = H.T
        theta, Y = np.linalg.eigh((T[:size, :size] + T[:size, :size].T) / 2)
        theta, Y = theta[::-1], Y[:, ::-1]
        W, R = np.linalg.qr(W)
        kept = min(k, size)
        residuals = np.linalg.norm(R @ Y[new, :kept], axis=0)
        enough = np.maximum(tol * np.abs(theta[:kept]), 16 * EPS * np.abs(theta).max())
        converged = kept == k and bool((residuals <= enough).all())
        if converged or n_passes == max_passes or size == n:
            break
        if size + b > most:
            keep = min(k + b, most - b)
            Q[:, :keep] = Q[:, :size] @ Y[:, :keep]
            T[:] = 0.0
            T[np.arange(keep), np.arange(keep)] = theta[:keep]
            size = keep
        W, _ = _orthogonal(W, Q[:, :size])  # where A has run out of directions W holds rounding: make it a basis again
        b = min(b, most - size)
        Q[:, size : size + b] = np.linalg.qr(W[:, :b])[0]
        size += b
    return Leading(theta[:k].copy(), Q[:, :size] @ Y[:, :k], residuals, n_passes, converged or size == n)


def _orthogonal(Z: np.ndarray, Q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Z less its part in the span of Q, and QᵀZ."""
    H = Q.T @ Z
    W = Z - Q @ H
    more = Q.T @ W
    return W - Q @ more, H + more
