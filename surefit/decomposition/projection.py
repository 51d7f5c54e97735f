"""Rows to components and back, leaf by leaf: differences and sums in double, results in the type of the rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from surefit.engine.rowwise import by_leaves


def project(rows: Any, mean: np.ndarray, components: np.ndarray, scale: np.ndarray | None) -> np.ndarray:
    """(x − m) Vᵀ for each row, times `scale` (one number a component)."""
    W = components.T.astype(np.float64)
    if scale is not None:
        W = W * scale
    if sp.issparse(rows):
        offset = mean @ W

        def function(leaf: Any) -> np.ndarray:
            return leaf @ W - offset
    else:

        def function(leaf: Any) -> np.ndarray:
            return np.subtract(leaf, mean, dtype=np.float64) @ W

    return by_leaves(rows, np.empty((rows.shape[0], W.shape[1]), rows.dtype), function)


def rebuild(codes: np.ndarray, mean: np.ndarray, components: np.ndarray, scale: np.ndarray | None) -> np.ndarray:
    """z V + m for each row of codes, the components times `scale`."""
    W = components.astype(np.float64)
    if scale is not None:
        W *= scale[:, None]
    out = np.empty((codes.shape[0], W.shape[1]), codes.dtype)
    return by_leaves(codes, out, lambda leaf: leaf.astype(np.float64, copy=False) @ W + mean)


def log_density(
    rows: np.ndarray, mean: np.ndarray, components: np.ndarray, variances: np.ndarray, noise: float
) -> np.ndarray:
    """log N(x; m, C) with C = Vᵀ diag(λ) V + σ² (I − VᵀV), without forming C.

    −½ [ r log 2π + Σ log λ_i + (d − k) log σ² + Σ z_i² / λ_i + ‖x − m − zV‖² / σ² ],  z = (x − m) Vᵀ

    Where C is singular this is the density on the r-dimensional space in which it lives, and −inf outside of it.
    """
    k, d = components.shape
    alive = variances > 0
    V, lam = components[alive].astype(np.float64), variances[alive]
    constant = len(lam) * np.log(2 * np.pi) + np.log(lam).sum()
    spread = noise > 0 and k < d
    if spread:
        constant += (d - k) * np.log(2 * np.pi * noise)
    # Rounding of the rows and of the components: nearer than this to the space counts as in it.
    near = 100 * d * float(np.finfo(components.dtype).eps)

    def function(leaf: Any) -> np.ndarray:
        D = np.subtract(leaf, mean, dtype=np.float64)
        Z = D @ V.T
        log_p = -0.5 * (constant + (Z * Z) @ (1 / lam))
        if len(lam) == d:
            return log_p
        size = np.abs(leaf).max(axis=1, initial=np.abs(mean).max())
        D -= Z @ V
        outside = np.einsum("ij,ij->i", D, D)
        if spread:
            return log_p - 0.5 * outside / noise
        return np.where(np.sqrt(outside) <= near * size, log_p, -np.inf)

    return by_leaves(rows, np.empty(rows.shape[0]), function)
