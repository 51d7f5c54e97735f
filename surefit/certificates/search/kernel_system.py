"""Proposes what to add to the coefficients of a kernel ridge fit, from the residual of its linear system."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from surefit.certificates.blocks import F64

MOST_SOLVED = 3000  # rows, for a factor of the Gram matrix


def correction(gram: Callable[[], F64], times: Callable[[F64], F64], weight: F64, delta: F64, alpha: F64) -> F64:
    """c with (K + α/Ω) c ≈ δ, target by target; for many rows the best multiple of Ωδ. K is `gram`, K A is `times`."""
    root = np.sqrt(weight.astype(np.float64))[:, None]
    if len(delta) > MOST_SOLVED:
        c = root**2 * delta.astype(np.float64)
        h = times(c).astype(np.float64)
        inner = (c * h).sum(axis=0)
        return c * inner / np.maximum(((root * h) ** 2).sum(axis=0) + alpha * inner, np.finfo(float).tiny)
    K, c = root * gram() * root.T, np.zeros(delta.shape)
    for value in np.unique(alpha):
        chosen = alpha == value
        b = (root * delta.astype(np.float64))[:, chosen]
        try:
            c[:, chosen] = root * np.linalg.solve(K + value * np.eye(len(K)), b)
        except np.linalg.LinAlgError:
            c[:, chosen] = root * np.linalg.lstsq(K + value * np.eye(len(K)), b, rcond=None)[0]
    return np.nan_to_num(c, nan=0.0, posinf=0.0, neginf=0.0)


def inverses(S: F64) -> Callable[[float], F64]:
    """α ↦ (S + α I)⁻¹, approximately, from one spectrum."""
    lam, Q = np.linalg.eigh(S)
    return lambda alpha: (Q / (np.maximum(lam, 0.0) + alpha)) @ Q.T
