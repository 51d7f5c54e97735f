"""Stress of an embedding, its disparities and the next Guttman transform.

σ(Y) = Σ_{i<j} w (δ̂ − d(Y))², d the distances of the rows of Y, δ̂ the dissimilarities or (non-metric) the disparities:
a multiple of the nearest sequence p to d that rises with the dissimilarities, scaled so that Σ_{i<j} δ̂² is
the number of pairs.

Theorem (de Leeuw 1977). The Guttman transform Y⁺, V Y⁺ = B(Y) Y, V the Laplacian of w, B that of w δ̂/d, has
σ(Y⁺) ≤ σ(Y). Proof. Cauchy and Schwarz: σ(Z) ≤ Σwδ̂² + tr ZᵀVZ − 2 tr ZᵀB(Y)Y with equality at Y, and Y⁺ minimises
the right side. ∎

Theorem. p rises, r = d − p, Cᵢ = r₁ + … + rᵢ. For every rising q: ‖d − q‖² ≥ ‖d − p‖² − 2⟨r, q − p⟩, and for q between
the ends of d, ⟨r, q − p⟩ ≤ Σ max(Cᵢ, 0)(pᵢ₊₁ − pᵢ) + (max(−C, 0) + |C_m|)·(range of d). Proof. Summation by parts. ∎
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from surefit.certificates.blocks import F64
from surefit.certificates.rounding import gamma

Propose = Callable[[F64, F64], F64]  # gives a point that is checked; not trusted


def embedded(Y: F64) -> F64:
    """All distances of the rows of Y, each to a relative γ."""
    D2 = np.zeros((len(Y), len(Y)))
    for column in Y.T:
        D2 += (column[:, None] - column) ** 2
    return np.sqrt(D2)


def stress(target: F64, d: F64, w: F64 | float) -> float:
    """Σ_{i<j} w (δ̂ − d)², in long double."""
    rest: Any = (target - d).astype(np.longdouble)
    return float((w * rest * rest).sum() / 2)


def guttman(target: F64, d: F64, Y: F64, w: F64 | None, propose: Propose) -> tuple[F64, float]:
    """Y⁺ about its mean, and how far V Y⁺ = B(Y) Y is from being true, relative to B(Y) Y."""
    n = len(Y)
    ratio = np.where(d > 0, target / np.where(d > 0, d, 1.0), 0.0) * (1.0 if w is None else w)
    right = ratio.sum(axis=1)[:, None] * Y - ratio @ Y
    if w is None:
        return right / n, 0.0
    V = np.diag(w.sum(axis=1)) - w
    after = propose(V, right)
    return after, float(np.linalg.norm(V @ after - right)) / (float(np.linalg.norm(right)) or 1.0)


def disparities(delta: F64, d: F64, w: F64 | None, propose: Propose) -> tuple[F64, float]:
    """The matrix δ̂ and how far ‖d − p‖² of its p may be above the least, relative to ‖d‖².

    Pairs whose dissimilarity is 0 are missing; pairs of equal dissimilarity have equal disparities.
    """
    upper = np.triu_indices(len(d), 1)
    some = delta[upper] != 0
    x, y = delta[upper][some], d[upper][some]
    omega = np.ones(y.size) if w is None else w[upper][some]
    place = np.unique(x, return_inverse=True)[1]
    weight = np.bincount(place, weights=omega, minlength=1)
    mean = np.bincount(place, weights=omega * y, minlength=1) / np.where(weight > 0, weight, 1.0)
    p = np.maximum.accumulate(propose(mean, weight))
    part, out = np.zeros(weight.size, np.longdouble), np.zeros_like(d)
    np.add.at(part, place, omega * (y.astype(np.longdouble) - p[place]))
    C = np.cumsum(part)
    size, far = float((omega * y * y).sum()), float(np.ptp(y)) if y.size else 0.0
    rounding = gamma(y.size + 4, float(np.finfo(np.longdouble).eps) / 2) * float(np.abs(part).sum())
    low = float(np.maximum(-C, 0.0).max(initial=0.0) + abs(C[-1])) + 3 * rounding
    share = float(2 * (np.maximum(C[:-1], 0.0) @ np.diff(p) + low * far) / max(size, 1e-300))
    fitted = p[place]
    fitted = fitted * np.sqrt(len(d) * (len(d) - 1) / 2 / max(float((fitted**2).sum()), 1e-300))
    out[upper[0][some], upper[1][some]] = fitted
    return out + out.T, share
