"""All variances of the data, each with an error relative to itself, from any proposed axes.

Let A have the rows √ω(x − m), and let W (r × d) and Y (n × r) be any matrices. Write

    A = Y W + Δ,  ‖Δ‖_F ≤ η;    W Wᵀ = I + O,  ‖O‖ ≤ o;    YᵀY = D^½ (I + F) D^½,  ‖F‖ ≤ f,  D diagonal, descending.

Theorem. σᵢ(A) lies within η of √(Dᵢ (1 ± f)(1 ± o)) for i ≤ r, and is at most η for i > r.
Proof. Weyl: σᵢ(A) and σᵢ(YW) differ by at most ‖Δ‖. Ostrowski: the eigenvalues of WᵀYᵀYW are those of YᵀY times numbers
in 1 ± o, and those of D^½(I + F)D^½ are those of D times numbers in 1 ± f. ∎

An axis of tiny variance has a small error: nothing is measured against the largest variance but the rounding of A.
The mean: about another point m + δ the scatter grows by (Σω) δδᵀ, which moves no eigenvalue by more than (Σω)‖δ‖².
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from surefit.certificates.blocks import F64, Blocks
from surefit.certificates.rounding import UNIT, gamma
from surefit.certificates.theorems.centered import Center, centered

LONG_WORK = 3e7  # products of n d r numbers up to which residuals are formed in long double


@dataclass(frozen=True)
class Spectrum:
    """Of the scatter Σω(x − m)(x − m)ᵀ about the exact mean m."""

    W: F64  # the axes, r × d
    D: F64  # Σω (w·(x − m))², descending
    low: F64  # proved bounds of all min(n, d) eigenvalues, descending
    high: F64
    total: float  # their sum
    total_error: float  # relative
    f: float
    o: float
    eta: float
    mean: F64  # of the columns
    spread: F64  # Σω(x − m)² of every column
    mean_error: float  # ‖error of mean‖ at most


def spectrum(blocks: Blocks, center: Center, W: F64) -> Spectrum:
    """Evaluate the axes W in one pass."""
    n, (r, d) = blocks.n_rows, W.shape
    kind = np.longdouble if float(n) * d * r <= LONG_WORK else np.float64
    u = float(np.finfo(kind).eps) / 2
    Wk = W.astype(kind)
    inner = Wk @ Wk.T
    back = 2 * Wk.T - Wk.T @ inner  # W⁻¹ to second order, where W is square
    G, left, spread, drift = np.zeros((r, r)), 0.0, np.zeros(d), np.zeros(d)
    for A, omega in centered(blocks, center.mean):
        root = np.sqrt(omega)
        A = A * root[:, None]
        Y = (A.astype(kind) @ back).astype(np.float64)
        R = (A - Y.astype(kind) @ Wk).astype(np.float64)
        G += Y.T @ Y
        left += float(np.einsum("ij,ij->", R, R))
        spread += np.einsum("ij,ij->j", A, A)
        drift += root @ A
    total = float(spread.sum())
    size, many = np.sqrt(total), gamma(n + d + 4)
    # |fl(A − YW) − (A − YW)| ≤ γ(|A| + |Y||W|), and A itself has three roundings
    eta = np.sqrt(left) * (1 + many) + (gamma(r + 3, u) * (1 + 1.1 * np.sqrt(r)) + 4 * UNIT) * size
    o = float(np.linalg.norm((inner - np.eye(r)).astype(np.float64))) + r * gamma(d + 2, u)
    order = np.argsort(-np.diag(G), kind="stable")
    W, G = W[order], G[np.ix_(order, order)]
    D = np.diag(G).copy()
    scale = np.sqrt(np.where(D > 0, D, 1.0))
    f = float(np.linalg.norm(G / scale / scale[:, None] - np.eye(r))) + r * gamma(n + 6)
    delta = (float(np.linalg.norm(drift)) + many * np.sqrt(center.weight * total)) / center.weight
    count = min(n, d)
    factor = np.zeros(max(count, r))
    factor[:r] = scale * (D > 0)
    low = np.maximum(np.sqrt(max(0.0, (1 - f) * (1 - o))) * factor - eta, 0.0) ** 2 - center.weight * delta**2
    high = (np.sqrt((1 + f) * (1 + o)) * factor + eta) ** 2
    error = 4 * many + (center.weight * delta**2 / total if total > 0 else 0.0)
    return Spectrum(
        W, D, np.maximum(low, 0.0)[:count], high[:count], total, error, f, o, float(eta),
        center.mean + drift / center.weight, spread, float(many * np.sqrt(total / center.weight)),
    )  # fmt: skip
