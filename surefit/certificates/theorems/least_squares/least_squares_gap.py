"""How far a linear fit is from the least value of f. Notation of `projection`: f = ‖ρ‖², moved by e ‖ρ − C e‖².

Theorem. For all x and e,  f(w) − f(w + e) = 2 (Cᵀ(ρ − C x))·e + ‖C x‖² − ‖C(e − x)‖².   (Multiply out.)

Let x be the least-squares solution of C_J x ≈ ρ. Then ‖C x‖² is the square of the projection on the columns J,
ρ − C x is orthogonal to the columns J, and the other columns D have the slopes s = C_Dᵀ(ρ − C x):

    f(w) − f(w + e) ≤ ‖Uᵀρ‖²/(1 − η) + 2 s·e_D − Σ λⱼ eⱼ² over D,   λ = α over the scale².

Columns D that are combinations of the columns J have s = 0. A coefficient at zero that must not be negative has eⱼ ≥ 0,
and gains nothing where sⱼ ≤ 0. A penalty leaves Σ sⱼ²/λⱼ. Else the claim is about coefficients with |eⱼ|‖cⱼ‖ ≤ B.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from surefit.certificates.blocks import F64
from surefit.certificates.rounding import gamma
from surefit.certificates.theorems.least_squares.least_squares_data import Data
from surefit.certificates.theorems.least_squares.projection import SAFE, Projection

FARTHEST = 1e3  # B, in spreads of y


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
