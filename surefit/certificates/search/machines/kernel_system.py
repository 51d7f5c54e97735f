"""Proposes what to add to the coefficients of a kernel ridge fit, from the residual of its linear system."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from surefit.certificates.blocks import F64
from surefit.certificates.theorems.kernel_machine.gram_products import apply
from surefit.certificates.theorems.kernel_machine.ridge import System
from surefit.certificates.theorems.kernel_machine.weighted_gram import weighted_gram

MOST_SOLVED = 3000  # rows, for a factor of the Gram matrix
MOST_CORRECTED = 500  # rows, for a step in long double
FEW_DIGITS = 1e7  # condition numbers


def correction(system: System, delta: F64) -> F64:
    """c with (K + α/ω) c ≈ δ, target by target; for many rows the best multiple of ωδ."""
    kernel, X, alpha = system.kernel, system.X, system.alpha
    root = np.sqrt(system.omega)[:, None]
    if len(delta) > MOST_SOLVED:
        c = root**2 * delta.astype(np.float64)
        h = apply(kernel, X, X, c)[0].astype(np.float64)
        inner = (c * h).sum(axis=0)
        return c * inner / np.maximum(((root * h) ** 2).sum(axis=0) + alpha * inner, np.finfo(float).tiny)
    K, c = weighted_gram(kernel, X, system.omega)[0].astype(np.float64), np.zeros(delta.shape)
    for value in np.unique(alpha):
        chosen = alpha == value
        b = (root * delta.astype(np.float64))[:, chosen]
        try:
            c[:, chosen] = root * np.linalg.solve(K + value * np.eye(len(K)), b)
        except np.linalg.LinAlgError:
            c[:, chosen] = root * np.linalg.lstsq(K + value * np.eye(len(K)), b, rcond=None)[0]
    return np.nan_to_num(c, nan=0.0, posinf=0.0, neginf=0.0)


def inverses(S: F64) -> Callable[[float], F64]:
    """α ↦ (S + α I)⁻¹, approximately, from one spectrum; with a step of Newton's where float64 leaves few digits."""
    lam, Q = np.linalg.eigh(S.astype(np.float64))

    def inverse(alpha: float) -> F64:
        B = (Q / (np.maximum(lam, 0.0) + alpha)) @ Q.T
        if lam[-1] <= FEW_DIGITS * alpha or len(B) > MOST_CORRECTED:
            return B
        rest = np.eye(len(B)) - S.astype(np.longdouble) @ B - np.longdouble(alpha) * B
        return B + B.astype(np.longdouble) @ rest

    return inverse
