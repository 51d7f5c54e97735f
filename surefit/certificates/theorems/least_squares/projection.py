"""The projection of the residuals of a linear fit on its columns. Notation of `least_squares_data`: f = ‖ρ‖².

J are some columns and T is a matrix, both proposals; U = C_J T. ‖UᵀU − I‖ ≤ η < 1/2 proves that the columns J are
independent, and U spans what they do: the projection's square ρᵀU(UᵀU)⁻¹Uᵀρ lies between ‖Uᵀρ‖²/(1 ± η).

Rounding: a sum of n products is off by at most γₙ times the norms of its factors, however it is ordered.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from surefit.certificates.blocks import F64
from surefit.certificates.rounding import UNIT, gamma
from surefit.certificates.theorems.least_squares.least_squares_data import (
    LONG_UNIT,
    Data,
    columns,
    residual_rows,
    slices,
)

SAFE = 1.01  # for the roundings of error bounds themselves


@dataclass
class Projection:
    """Sums over the rows of C and ρ, and bounds for what they differ from exact ones by. t targets."""

    J: F64
    T: F64
    D: F64  # the columns that are not in J
    H: F64  # UᵀU, (k, k)
    q: F64  # Uᵀρ, (k, t)
    g: F64  # Cᵀρ, (width, t)
    M: F64  # C_DᵀU
    norms: F64  # ‖cⱼ‖, an upper bound
    rho: F64  # ‖ρ‖ as computed, (t,)
    rho_error: F64  # ‖ρ − ρ computed‖
    size: F64  # ‖√ω(|x||w| + |b|)‖²
    spread: F64  # ‖√ω(y − ȳ)‖²
    n_sum: float  # γ of a sum over all rows
    u_error: float  # of U, Frobenius, and of a sum over its rows, relative
    H_error: float  # Frobenius
    eta: float  # NaN where U is not nearly orthonormal
    q_error: F64


def project(data: Data, coef: F64, b: F64, alpha: float, J: F64, T: F64, targets: F64) -> Projection:
    """One pass. coef (t, d) and b (t,) are those of the targets."""
    first, d, t, k = int(data.intercept), data.scale.size, len(coef), J.size
    D = np.setdiff1d(np.arange(first + d), J)
    H, q, g, M = np.zeros((k, k)), np.zeros((k, t)), np.zeros((first + d, t)), np.zeros((D.size, k))
    squares, r_sq, size, spread = np.zeros(first + d), np.zeros(t), np.zeros(t), np.zeros(t)
    for X, y, omega in slices(data.blocks, targets):
        (rho, terms), C = residual_rows(coef, b, X, y, omega), columns(data, X, omega)
        U = C[:, J] @ T
        H, q, g, M = H + U.T @ U, q + U.T @ rho, g + C.T @ rho, M + C[:, D].T @ U
        squares, r_sq = squares + (C * C).sum(axis=0), r_sq + (rho * rho).sum(axis=0)
        size, spread = size + (terms**2).sum(axis=0), spread + omega @ (y - data.y_mean[targets]) ** 2
    penalty, rho = np.append(np.zeros(first), np.sqrt(alpha) / data.scale), np.zeros((first + d, t))
    rho[first:] = -np.sqrt(alpha) * coef.T
    U = penalty[J][:, None] * T
    H, q, g = H + U.T @ U, q + U.T @ rho[J], g + penalty[:, None] * rho
    squares, r_sq = squares + penalty**2, r_sq + (rho * rho).sum(axis=0)

    norm, n_sum, frobenius = np.sqrt(r_sq), gamma(data.blocks.n_rows + d + 8), SAFE * np.sqrt(np.trace(H))
    norms = np.sqrt(squares) * (1 + n_sum)
    off = SAFE * (gamma(k + 5) * float(np.linalg.norm(norms[J] @ np.abs(T))) + n_sum * frobenius)  # of U, and of sums
    rho_error = SAFE * (gamma(d + 4, LONG_UNIT) * (norm + 2 * np.sqrt(size)) + 6 * UNIT * norm)
    H_error = SAFE * (2 * frobenius + off) * off
    eta = SAFE * float(np.linalg.norm(H - np.eye(k))) + H_error
    return Projection(
        J, T, D, H, q, g, M, norms, norm, rho_error, size, spread, n_sum, off, H_error,
        eta if eta < 0.5 else np.nan, SAFE * (off * norm + 1.5 * rho_error),
    )  # fmt: skip
