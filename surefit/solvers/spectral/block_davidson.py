"""The smallest eigenvalues of a symmetric matrix, from a basis that grows where the residuals point.

    H = VᵀA V = Y Θ Yᵀ,   X = V Y,   R = A X − X Θ          (Rayleigh and Ritz)

Each round takes the Ritz vectors of the smallest values that are not done yet, asks `expand` for directions in which
they are wrong, makes them orthogonal to the basis, twice, and adds them. With expand(R) = (A + σI)⁻¹R the basis is that
of inverse iteration in blocks; with a polynomial of A it is that of Lanczos in blocks. Either way residuals are those
of A itself: an inexact `expand` costs rounds, never digits. A full basis is cut down to its leading Ritz vectors.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

EPS = float(np.finfo(np.float64).eps)
ROUNDINGS = 32.0
"""Residuals of so many roundings of ‖A‖ are as small as they get."""
GUARD = 4
"""Pairs beyond the k asked for that are followed: the last of the k then has a gap above it."""
OUTSIDE = 1e-12
"""Directions with no more than this share outside the basis are dropped: the rest is rounding."""

Apply = Callable[[np.ndarray], np.ndarray]


class Ritz(NamedTuple):
    values: np.ndarray
    """Smallest first."""
    vectors: np.ndarray
    """As columns, orthonormal."""
    residuals: np.ndarray
    """‖A v − θ v‖ of each pair."""
    n_iter: int
    converged: bool


class Round(NamedTuple):
    """What `expand` may look at."""

    X: np.ndarray
    """The Ritz vectors to be improved."""
    R: np.ndarray
    """Their residuals."""
    next_value: float
    """A Ritz value above all that are wanted."""


def block_davidson(
    apply: Apply,
    expand: Callable[[Round], np.ndarray],
    start: np.ndarray,
    k: int,
    *,
    norm: float,
    tol: float,
    max_iter: int,
    null: np.ndarray | None = None,
    exact: bool = False,
) -> Ritz:
    """The k smallest pairs of A = apply, orthogonal to the columns of `null` (orthonormal, A null = 0).

    `exact`: `expand` is an inverse, which finds the k without pairs beyond them being followed.

    Stops when each residual is at most tol·θ or a few roundings of `norm` (≥ ‖A‖), or after `max_iter` rounds.
    """
    width = start.shape[1]
    most = min(start.shape[0] - (0 if null is None else null.shape[1]), max(4 * width, 24))
    V = _basis(start, None, null)
    W = apply(V)
    H = V.T @ W
    n_iter = 0
    while True:
        theta, Y = np.linalg.eigh((H + H.T) / 2)
        kept = min(width, len(theta))
        X, AX = V @ Y[:, :kept], W @ Y[:, :kept]
        R = AX - X * theta[:kept]
        residuals = np.linalg.norm(R[:, :k], axis=0)
        open_ = residuals > np.maximum(tol * np.abs(theta[:k]), ROUNDINGS * EPS * norm)
        if not open_.any() or n_iter == max_iter or V.shape[1] >= most == start.shape[0]:
            break
        n_iter += 1
        wanted = np.flatnonzero(open_) if exact else np.concatenate([np.flatnonzero(open_), np.arange(k, kept)])
        T = expand(Round(X[:, wanted], R[:, wanted], float(theta[kept - 1])))
        if V.shape[1] + T.shape[1] > most:
            V, W, H = X, AX, np.diag(theta[:kept])
        T = _basis(T, V, null)
        if not T.shape[1]:
            break
        AT = apply(T)
        corner = V.T @ AT
        H = np.block([[H, corner], [corner.T, T.T @ AT]])
        V, W = np.hstack([V, T]), np.hstack([W, AT])
    return Ritz(theta[:k].copy(), X[:, :k], residuals, n_iter, not open_.any())


def _basis(T: np.ndarray, V: np.ndarray | None, null: np.ndarray | None) -> np.ndarray:
    """An orthonormal basis of what T has outside V and the null space; columns that have nothing there are dropped."""
    spaces = [Q for Q in (null, V) if Q is not None and Q.shape[1]]
    least = OUTSIDE
    for _ in range(2):
        lengths = np.maximum(np.linalg.norm(T, axis=0), np.finfo(np.float64).tiny)
        T = T / lengths
        for Q in spaces:
            T = T - Q @ (Q.T @ T)
        T = T[:, np.linalg.norm(T, axis=0) > least]
        T, triangle = np.linalg.qr(T)
        T = T[:, np.abs(np.diag(triangle)) > OUTSIDE]
        least = 0.5
    return T
