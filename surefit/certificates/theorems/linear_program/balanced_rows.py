"""Weights that balance signed rows: a proof that no hyperplane separates, and a bound for the least sum of violations.

s = σ(x − m, 1) are the rows, σ = ±1 (s = σx without an intercept; any m only renames b), φ ≥ 0 weights. T proposes
coordinates s′ = Tᵀs. Let r = Σ φᵢs′ᵢ, M = Σ φᵢs′ᵢs′ᵢᵀ, ‖M − I‖ ≤ 1 − λ and ρ = ‖r‖ max‖s′‖/λ < ½.

Theorem. There are weights ψ with (1 − 2ρ)φ ≤ ψ ≤ φ and Σ ψᵢs′ᵢ = 0, without rounding.
Proof. ψᵢ = φᵢ(1 − ρ − c·s′ᵢ) with c = (1 − ρ)M⁻¹r, where |c·s′ᵢ| ≤ ρ. ∎

Let T have as many columns as s. Then Σ ψᵢsᵢ = 0, and
  no hyperplane separates: one that does has sᵢ·θ > 0 for every row, and the ψ-weighted sum of that is zero (Gordan);
  every θ has Σ ω max(0, 1 − s·θ) ≥ Σ ψ(1 − s·θ) = Σ ψ ≥ (1 − 2ρ) Σ φ, if φ ≤ ω.
With fewer columns the entries of s are combinations of s′ up to a share ν of cⱼ = Σ φ|sⱼ|/Σφ: no hyperplane has every
row on its side by more than ν (Σ cⱼ|wⱼ| + |b + m·w|), and columns that depend on others are left out of the bound.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from surefit.certificates.blocks import F64, Blocks, dense
from surefit.certificates.rounding import gamma
from surefit.certificates.theorems.linear_program.long_rows import LONG, Long, slices
from surefit.certificates.theorems.linear_program.long_rows import gamma as long_gamma
from surefit.certificates.theorems.linear_program.separation import signs

EPS, ROUNDINGS = float(np.finfo(np.float64).eps), 8.0


class Coordinates(NamedTuple):
    """A proposal: m, T, and a way back, s = backᵀs′ up to ν."""

    center: F64  # m
    T: F64
    back: Long


class Balance(NamedTuple):
    total: Long  # Σψ at least; zero where ρ < ½ is not proved
    nu: float
    rounded: bool  # what is left out is no more than roundings of the data


def balance(blocks: Blocks, intercept: bool, phi: Long, proposal: Coordinates) -> Balance:
    """One pass over the rows with φ > 0, for φ/Σφ. Sums of them are in long double."""
    (center, T, back), (d1, rank), n = proposal, proposal.T.shape, blocks.n_rows
    g, size, total = np.zeros(d1, dtype=LONG), np.zeros(d1, dtype=LONG), phi.sum()
    M, M_off, widest, missed, largest = np.zeros((rank, rank)), 0.0, 0.0, np.zeros(d1), np.zeros(d1)
    for part in slices(blocks):
        f = phi[part.first : part.first + part.w.size] / total
        X, sign = dense(part.X), signs(part)[f > 0, None]
        largest[: X.shape[1]] = np.maximum(largest[: X.shape[1]], np.abs(X[part.w > 0]).max(axis=0, initial=0.0))
        X, f = X[f > 0].astype(LONG), f[f > 0]
        S: Long = sign * (np.hstack([X - center, np.ones((len(X), 1))]) if intercept else X)
        g, size = g + f @ S, size + f @ np.abs(S)
        A, v = S.astype(np.float64), f.astype(np.float64)
        Y, blur = A @ T, gamma(d1 + 2) * np.linalg.norm(np.abs(A) @ np.abs(T), axis=1)
        length = np.linalg.norm(Y, axis=1) + blur
        M, M_off = M + (Y * v[:, None]).T @ Y, M_off + float(v @ (2.0 * blur * length + gamma(n + 8) * length**2))
        widest = max(widest, float(length.max(initial=0.0)))
        if rank < d1:
            out = np.abs(S - S @ T @ back) + long_gamma(d1 + rank + 4) * (np.abs(S) @ np.abs(T) @ np.abs(back))
            missed = np.maximum(missed, out.max(axis=0, initial=0.0).astype(np.float64))
    r = np.abs(T.T.astype(LONG) @ g) + long_gamma(n + d1 + 8) * (np.abs(T).T @ size)
    curvature = 1.0 - float(np.linalg.norm(M - np.eye(rank))) - 1.01 * M_off
    rho = 1.01 * np.sqrt((r**2).sum()) * widest / curvature if curvature > 0 else LONG(np.inf)
    nu = float((missed / np.where(size > 0, size, 1)).max()) if rank < d1 else 0.0
    rounded = nu == 0 or bool((missed <= (ROUNDINGS + rank) * EPS * np.where(largest > 0, largest, 1.0)).all())
    return Balance((1 - 2 * rho) * total * (1 - long_gamma(n + 8)) if rho < 0.5 else LONG(0), nu, rounded)
