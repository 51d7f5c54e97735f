"""How far a linear fit is from the least value of f. Notation of `least_squares_data`: f = ‖ρ‖², moved by e ‖ρ − C e‖².

Theorem. For all x and e,  f(w) − f(w + e) = 2 (Cᵀ(ρ − C x))·e + ‖C x‖² − ‖C(e − x)‖².   (Multiply out.)

J are independent columns, U = C_J T nearly orthonormal (`orthonormal_columns`), g = Cᵀρ. Let x be the least-squares
solution of C_J x ≈ ρ. Then ‖C x‖² lies between ‖Uᵀρ‖²/(1 ± η), ρ − C x is orthogonal to the columns J, and the other
columns D have the slopes s = C_Dᵀ(ρ − C x). So

    f(w) − f(w + e) ≤ ‖Uᵀρ‖²/(1 − η) + 2 s·e_D,   and with a penalty ≤ ‖Uᵀρ‖²/(1 − η) + Σ sⱼ²/λⱼ,

for ‖C(e − x)‖² ≥ Σ λⱼ eⱼ² over D, λ = α over the scale². Columns D that are exact combinations of the columns J have
s = 0. For other columns of D the claim is about coefficients with |eⱼ|‖cⱼ‖ ≤ B.
Non-negative: L are columns of J with gⱼ < 0. With gⱼ replaced by 0 in x, 2 gⱼeⱼ ≤ 2|gⱼ|wⱼ is added; any L is valid.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from surefit.certificates.blocks import F64
from surefit.certificates.rounding import gamma
from surefit.certificates.theorems.least_squares.least_squares_data import Data
from surefit.certificates.theorems.least_squares.orthonormal_columns import SAFE, Basis, Sums, combinations, sums_of

RADIUS = 1e6  # B² where it costs little, in squared spreads of y


@dataclass
class Gap:
    """Bounds per target, in units of σ²: low ≤ f ≤ high, gap_low ≤ f − min f ≤ gap_high."""

    low: F64
    high: F64
    gap_low: F64
    gap_high: F64
    radius: F64  # B, infinite where no column needs it
    bounded: F64  # the columns that need it
    sums: Sums
    basis: Basis


def basis_of(data: Data, proposal: tuple[F64, F64, F64 | None], alpha: float, positive: bool = False) -> Basis:
    """The proposal (J, T, Z), with what is measured of the other columns where no penalty keeps them small."""
    J, T, Z = proposal
    D = np.setdiff1d(np.arange(data.scale.size + int(data.intercept)), J)
    if alpha > 0 or Z is None:
        return Basis(J, T, D, np.zeros((J.size, D.size)), np.full(D.size, np.inf))
    if J.size == data.rows and not positive:
        return Basis(J, T, D, np.zeros((J.size, D.size)), np.zeros(D.size), everything=True)
    tau, Z = combinations(data, J, D, Z)
    return Basis(J, T, D, Z, tau)


def gap_of(data: Data, coef: F64, intercept: F64, alpha: float, positive: bool, basis: Basis, tol: float) -> Gap:
    """The theorem with every rounding added."""
    sums = sums_of(data, coef, intercept, alpha, basis)
    J, D, T, first, g, eta = basis.J, basis.D, basis.T, int(data.intercept), sums.g, sums.eta
    lowest = np.full_like(g, -np.inf)  # e ≥ lowest
    if positive:
        lowest[first:] = -np.maximum(coef * data.scale, 0.0).T / data.y_scale
    # L: where a negative slope costs less at the bound than in x
    L = (g < 0) & (g < 2 * lowest * sums.norms[:, None] ** 2) & np.isin(np.arange(len(g)), J)[:, None]
    at_bound = 2 * ((np.abs(g) + sums.g_error) * -np.where(L, lowest, 0.0)).sum(axis=0)
    g_L, L_error = np.where(L, g, 0.0)[J], np.where(L, sums.g_error, 0.0)[J]
    q = sums.q - T.T @ g_L
    q_norm = np.linalg.norm(q, axis=0)
    q_error = sums.q_error + SAFE * np.linalg.norm(np.abs(T).T @ (L_error + gamma(J.size + 1) * np.abs(g_L)), axis=0)
    low = np.maximum(sums.rho * (1 - sums.n_sum) - sums.rho_error, 0.0) ** 2
    high = (sums.rho * (1 + sums.n_sum) + sums.rho_error) ** 2
    first_part = (q_norm + q_error) ** 2 / (1 - eta)
    # slopes of the other columns, as sums or from what they are combinations of
    s, s_error = g[D] - sums.M @ q, SAFE * sums.norms[D][:, None] * (q_error + 4 * eta * q_norm) + sums.g_error[D]
    combined = SAFE * np.abs(basis.Z).T @ (L_error + gamma(J.size) * np.abs(g_L))
    combined = combined + np.where(
        basis.tau[:, None] > 0, basis.tau[:, None] * SAFE * (np.sqrt(high) + np.sqrt(first_part)), 0.0
    )
    better = combined < s_error
    s, s_error = np.where(better, basis.Z.T @ g_L, s), np.where(better, combined, s_error)
    penalty = alpha / data.scale[D - first] ** 2
    others, radius = _other_columns(s, s_error, lowest[D], sums.norms[D], penalty, tol / 2 * low, RADIUS * sums.spread)
    rounded = 1 + gamma(4 * len(g) + 16)
    gap_high = (first_part + at_bound + others) * rounded
    gap_low = _single_steps(g, sums.g_error, sums.norms, lowest)
    if not positive:
        gap_low = np.fmax(gap_low, np.maximum(q_norm - q_error, 0.0) ** 2 / (1 + eta) / rounded)
    return Gap(
        low, high, gap_low, np.where(np.isnan(gap_high), np.inf, gap_high), radius, D[basis.tau > 0], sums, basis
    )


def _other_columns(s: F64, error: F64, lowest: F64, norms: F64, penalty: F64, part: F64, far: F64) -> tuple[F64, F64]:
    """An upper bound for 2 s·e − Σ λe² over e ≥ lowest, and the radius B that it needs.

    The penalty makes B infinite if its bound is at most `part`; else B is √far, or what a bound of `part` allows.
    """
    sided = np.isfinite(lowest)
    slope = np.where(sided, np.maximum(s + error, 0.0), np.abs(s) + error)
    down = 2 * np.where(sided, np.maximum(error - s, 0.0) * -np.where(sided, lowest, 0.0), 0.0).sum(axis=0)
    unit = 2 * np.divide(slope, norms[:, None], out=np.zeros_like(slope), where=slope > 0).sum(axis=0)
    strong = np.divide(slope**2, penalty[:, None], out=np.zeros_like(slope), where=slope > 0).sum(axis=0)
    radius = np.minimum(np.sqrt(far), part / np.where(unit > 0, unit, 1.0))
    enough = strong <= part
    return down + np.where(enough, strong, SAFE * radius * unit), np.where(enough, np.inf, radius)


def _single_steps(g: F64, error: F64, norms: F64, lowest: F64) -> F64:
    """What moving one coefficient alone gains: a lower bound for f(w) − min f."""
    slope = np.sign(g) * np.maximum(np.abs(g) - error, 0.0)
    square = SAFE * norms[:, None] ** 2
    step = np.maximum(np.divide(slope, square, out=np.zeros_like(slope), where=square > 0), lowest)
    return (step * (2 * slope - step * square)).max(axis=0, initial=0.0) / SAFE
