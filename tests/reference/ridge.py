"""Weighted ridge regression by the definition, in long double."""

from __future__ import annotations

from typing import Any

import numpy as np

LONG = np.longdouble


def long_inverse(A: np.ndarray) -> np.ndarray:
    """A⁻¹ by Gauss and Jordan, with pivoting."""
    d = len(A)
    M = np.hstack([A.astype(LONG), np.eye(d, dtype=LONG)])
    for j in range(d):
        pivot = j + int(np.argmax(np.abs(M[j:, j])))
        M[[j, pivot]] = M[[pivot, j]]
        M[j] /= M[j, j]
        others = np.arange(d) != j
        M[others] -= M[others, j, None] * M[j]
    return M[:, d:]


def long_ridge(
    X: np.ndarray, Y: np.ndarray, w: np.ndarray, alpha: Any, intercept: bool
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """min Σ ω (y − x·w − b)² + α‖w‖²: coefficients (targets, d), intercepts, and (Σ ω x̃ x̃ᵀ + α)⁻¹."""
    X, Y, w = X.astype(LONG), Y.astype(LONG), w.astype(LONG)[:, None]
    x_mean, y_mean = ((w * Z).sum(axis=0) / w.sum() * int(intercept) for Z in (X, Y))
    A, B = X - x_mean, Y - y_mean
    P = long_inverse((w * A).T @ A + LONG(alpha) * np.eye(X.shape[1], dtype=LONG))
    coef = (P @ ((w * A).T @ B)).T
    return coef, y_mean - coef @ x_mean, P
