"""How far a linear fit is from the least value of f. Notation of `least_squares_data`: f = ‖ρ‖², moved by e ‖ρ − C e‖².

Theorem. For all x and e,  f(w) − f(w + e) = 2 (Cᵀ(ρ − C x))·e + ‖C x‖² − ‖C(e − x)‖².   (Multiply out.)

J are some columns and T is a matrix, both proposals; U = C_J T. ‖UᵀU − I‖ ≤ η < 1/2 proves that the columns J are
independent. Let x be the least-squares solution of C_J x ≈ ρ. Then ‖C x‖² = ρᵀU(UᵀU)⁻¹Uᵀρ lies between ‖Uᵀρ‖²/(1 ± η),
ρ − C x is orthogonal to the columns J, and the other columns D have the slopes s = C_Dᵀ(ρ − C x):

    f(w) − f(w + e) ≤ ‖Uᵀρ‖²/(1 − η) + 2 s·e_D − Σ λⱼ eⱼ² over D,   λ = α over the scale².

Columns D that are combinations of the columns J have s = 0. A coefficient at zero that must not be negative has eⱼ ≥ 0,
and gains nothing where sⱼ ≤ 0. A penalty leaves Σ sⱼ²/λⱼ. Else the claim is about coefficients with |eⱼ|‖cⱼ‖ ≤ B.

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
FARTHEST = 1e3  # B, in spreads of y


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
        squares, r_sq, size = (
            squares + (C * C).sum(axis=0),
            r_sq + (rho * rho).sum(axis=0),
            size + (terms**2).sum(axis=0),
        )
        spread = spread + omega @ (y - data.y_mean[targets]) ** 2
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


@dataclass
class Gap:
    """Bounds per target: low ≤ f ≤ high, gap_low ≤ f − min f ≤ gap_high."""

    low: F64
    high: F64
    gap_low: F64
    gap_high: F64
    radius: F64  # B, infinite where no column needs it
    bounded: F64  # the columns that need it
    sums: Projection
    exact: F64  # which columns of D are known to be combinations of the columns J
    everything: bool  # some coefficients fit every row


def gap_of(data: Data, sums: Projection, alpha: float, exact: F64, at_zero: F64 | None, tol: float) -> Gap:
    """The theorem with every rounding added. `at_zero`: (width, t), coefficients that can only grow, if any."""
    D, eta = sums.D, sums.eta
    low = np.maximum(sums.rho * (1 - sums.n_sum) - sums.rho_error, 0.0) ** 2
    high = (sums.rho * (1 + sums.n_sum) + sums.rho_error) ** 2
    q_norm, norms = np.linalg.norm(sums.q, axis=0), sums.norms[D][:, None]
    error = SAFE * norms * (3 * sums.q_error + 4 * eta * q_norm + sums.n_sum * sums.rho + sums.rho_error)
    s = sums.g[D] - sums.M @ sums.q
    slope = (
        np.abs(s) + error if at_zero is None else np.where(at_zero[D], np.maximum(s + error, 0.0), np.abs(s) + error)
    )
    slope[exact | (norms[:, 0] == 0)] = 0.0
    penalty = np.append(np.zeros(int(data.intercept)), alpha / data.scale**2)[D][:, None]
    by_penalty = np.divide(slope**2, penalty, out=np.where(slope > 0, np.inf, 0.0), where=penalty > 0).sum(axis=0)
    per_unit = 2 * np.divide(slope, norms, out=np.zeros_like(slope), where=slope > 0).sum(axis=0)
    radius = np.minimum(FARTHEST * np.sqrt(sums.spread), tol / 2 * low / np.where(per_unit > 0, per_unit, 1.0))
    free = np.isfinite(by_penalty)
    others = np.where(free, by_penalty, SAFE * radius * per_unit)
    rounded = 1 + gamma(4 * len(sums.g) + 16)
    gap_high = ((q_norm + sums.q_error) ** 2 / (1 - eta) + others) * rounded
    gap_low = np.maximum(q_norm - sums.q_error, 0.0) ** 2 / (1 + eta) / rounded * (at_zero is None)
    everything = alpha == 0 and at_zero is None and sums.J.size == data.rows and bool(eta < 0.5)
    return Gap(
        low, high, np.nan_to_num(gap_low), np.where(np.isnan(gap_high), np.inf, gap_high),
        np.where(free, np.inf, radius), D[(slope > 0).any(axis=1)], sums, exact, everything,
    )  # fmt: skip
