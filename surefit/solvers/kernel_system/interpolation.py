"""Interpolation: weights w and a polynomial b with

    A w + P b = y          Pᵀ w = 0          A = s K + diag(λ),  s = ±1

for K (conditionally) definite: s wᵀK w > 0 for every w ≠ 0 with Pᵀ w = 0. With P = Q [R; 0] the weights are
w = Q [0; v], and v solves the positive-definite system of the lower right block of Qᵀ A Q, by Cholesky; then R b is
what is left of the upper rows. Monomials that depend on the others on these points are left out. One step of refinement
follows.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import scipy.linalg
from scipy.linalg.lapack import dormqr

EPS = float(np.finfo(np.float64).eps)


class Interpolant(NamedTuple):
    weights: np.ndarray
    """(n, targets)"""
    polynomial: np.ndarray
    """(monomials, targets)"""
    residual: np.ndarray
    """y − A w − P b, (n, targets): rounding, unless K is singular to rounding."""


def interpolate(K: np.ndarray, P: np.ndarray, Y: np.ndarray, sign: int, smoothing: np.ndarray | None) -> Interpolant:
    """`sign`: s; 0 if K may be indefinite. `smoothing`: λ of each row. K is changed."""
    if sign < 0:
        np.negative(K, out=K)
    if smoothing is not None:
        K.flat[:: len(K) + 1] += smoothing
    system = _System(K, P, sign != 0)
    w, b = system.solve(Y)
    more_w, more_b = system.solve(Y - K @ w - P @ b)
    better_w, better_b = w + more_w, b + more_b
    before, after = Y - K @ w - P @ b, Y - K @ better_w - P @ better_b
    improved = np.abs(after).max(axis=0) < np.abs(before).max(axis=0)
    w, b = np.where(improved, better_w, w), np.where(improved, better_b, b)
    return Interpolant(-w if sign < 0 else w, b, np.where(improved, after, before))


class _System:
    """Factorised once for many right-hand sides."""

    def __init__(self, A: np.ndarray, P: np.ndarray, definite: bool) -> None:
        self._n_monomials = P.shape[1]
        self._rank = 0
        B = A
        if P.shape[1]:
            (self._reflectors, self._tau), R, self._pivots = scipy.linalg.qr(P, mode="raw", pivoting=True)
            sizes = np.abs(np.diagonal(R))
            self._rank = int((sizes > EPS * len(P) * sizes[0]).sum())
            self._R = R[: self._rank, : self._rank]
            self._reflectors = np.asfortranarray(self._reflectors[:, : self._rank])
            self._tau = self._tau[: self._rank]
            B = self._turned(self._turned(np.asfortranarray(A), "T").T, "T")
        self._upper = B[: self._rank, self._rank :]
        self._solve = _solver(B[self._rank :, self._rank :], definite)

    def _turned(self, C: np.ndarray, trans: str) -> np.ndarray:
        """QᵀC or Q C."""
        if self._rank == 0:
            return C
        work = max(64 * C.shape[1], 1)
        return dormqr("L", trans, self._reflectors, self._tau, np.asfortranarray(C), work)[0]

    def solve(self, Y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        r = self._rank
        T = self._turned(Y, "T")
        v = self._solve(T[r:]) if len(T) > r else T[r:]
        b = np.zeros((self._n_monomials, Y.shape[1]))
        if r:
            b[self._pivots[:r]] = scipy.linalg.solve_triangular(self._R, T[:r] - self._upper @ v, check_finite=False)
        return self._turned(np.vstack([np.zeros((r, Y.shape[1])), v]), "N"), b


def _solver(B: np.ndarray, definite: bool) -> Callable[[np.ndarray], np.ndarray]:
    """Y ↦ B⁻¹ Y by Cholesky; through eigenvalues, those that are rounding left out, where B is not definite."""
    if definite:
        try:
            factor = scipy.linalg.cho_factor(B, lower=True, check_finite=False)
            return lambda Y: scipy.linalg.cho_solve(factor, Y, check_finite=False)
        except np.linalg.LinAlgError:  # singular to rounding
            pass
    values, V = np.linalg.eigh((B + B.T) / 2)
    keep = np.abs(values) > EPS * len(B) * np.abs(values).max(initial=0.0)
    values, V = values[keep], V[:, keep]
    return lambda Y: V @ ((V.T @ Y) / values[:, None])
