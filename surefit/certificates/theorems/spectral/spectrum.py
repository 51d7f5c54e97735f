"""All variances of the data, each with an error relative to itself, from any proposed axes.

Let A have the rows √ω(x − m), and let W (r × d) and Y (n × r) be any matrices. Write

    A = Y W + Δ,  ‖Δ‖_F ≤ η;    W Wᵀ = I + O,  ‖O‖ ≤ o;    YᵀY = D^½ (I + F) D^½,  ‖F‖ ≤ f,  D diagonal, descending.

Theorem. σᵢ(A) lies within η of √(Dᵢ (1 ± f)(1 ± o)) for i ≤ r, and is at most η for i > r.
Proof. Weyl: σᵢ(A) and σᵢ(YW) differ by at most ‖Δ‖. Ostrowski: the eigenvalues of WᵀYᵀYW are those of YᵀY times numbers
in 1 ± o, and those of D^½(I + F)D^½ are those of D times numbers in 1 ± f. ∎

The columns of Y after the first p may be counted to Δ: then f is that of the leading p, and η grows by the length of
the others. For each i the best p is taken, so an axis of tiny variance neither suffers from large ones nor harms them.
The mean: about another point m + δ the scatter grows by (Σω) δδᵀ, which moves no eigenvalue by more than (Σω)‖δ‖².
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from surefit.certificates.blocks import F64, Blocks
from surefit.certificates.rounding import UNIT, gamma
from surefit.certificates.theorems.spectral.centered import Center, centered

LONG_WORK = 3e6  # products of n d min(n, d) numbers up to which this is done in long double


def long_double(n: int, d: int) -> bool:
    return float(n) * d * min(n, d) <= LONG_WORK


@dataclass(frozen=True)
class Spectrum:
    """Of the scatter Σω(x − m)(x − m)ᵀ about the exact mean m."""

    W: F64  # the axes, r × d
    D: F64  # Σω (w·(x − m))², descending
    eta: float
    low: F64  # proved bounds of all min(n, d) eigenvalues, descending
    high: F64
    total: float  # their sum
    total_error: float  # relative
    mean_error: F64  # of the rounded mean
    spread: F64  # Σω(x − m)² of every column


def spectrum(blocks: Blocks, center: Center, W: F64) -> Spectrum:
    """Evaluate the axes W in one pass."""
    n, (r, d) = blocks.n_rows, W.shape
    kind: Any = np.longdouble if long_double(n, d) else np.float64
    u = float(np.finfo(kind).eps) / 2
    Wk: Any = W.astype(kind)
    inner = Wk @ Wk.T
    back = 2 * Wk.T - Wk.T @ inner  # W⁻¹ to second order, where W is square
    G, left, spread, drift = np.zeros((r, r), kind), kind(0), np.zeros(d, kind), np.zeros(d, kind)
    for B, omega in centered(blocks, center.long_mean, kind):
        root = np.sqrt(omega)
        A: Any = B * root[:, None]
        Y: Any = A @ back
        R = A - Y @ Wk
        G += Y.T @ Y
        left += (R * R).sum()
        spread += (A * A).sum(axis=0)
        drift += root @ A
    total = float(spread.sum())
    size, many = np.sqrt(total), gamma(n + d + 4, u)
    # |fl(A − YW) − (A − YW)| ≤ γ(|A| + |Y||W|), and A itself has three roundings
    eta = float(np.sqrt(left)) * (1 + many) + (gamma(r + 3, u) * (1 + 1.1 * np.sqrt(r)) + 4 * u) * size
    o = float(np.linalg.norm((inner - np.eye(r)).astype(np.float64))) + r * gamma(d + 2, u)
    order = np.argsort(-np.diag(G), kind="stable")
    W, G = W[order].astype(np.float64), G[np.ix_(order, order)]
    D = np.diag(G).astype(np.float64)
    root = np.sqrt(np.where(D > 0, D, 1.0))
    F = (G / root / root[:, None] - np.eye(r)).astype(np.float64) ** 2
    f = np.sqrt(np.cumsum(2 * np.tril(F, -1).sum(axis=1) + np.diag(F))) + np.arange(1, r + 1) * (gamma(n + 6, u) + UNIT)
    tail = np.sqrt(np.maximum(np.cumsum(D[::-1])[::-1] - D, 0.0))
    etas = eta + tail * (1 + many) + UNIT * size * (tail > 0)
    off = np.abs(drift).astype(np.float64) / center.weight
    delta = float(np.linalg.norm(off)) + many * np.sqrt(total / center.weight)
    spread = spread.astype(np.float64)
    low, high = np.zeros(min(n, d)), np.full(min(n, d), eta)
    for i in range(min(r, n, d)):
        low[i] = np.max(np.sqrt(np.maximum((1 - f[i:]) * (1 - o), 0.0)) * root[i] - etas[i:], initial=0.0)
        high[i] = np.min(np.sqrt((1 + f[i:]) * (1 + o)) * root[i] + etas[i:])
    shift = center.weight * delta**2
    return Spectrum(
        W=W, D=D, eta=float(etas[-1]) if r else float(size),
        low=np.maximum(low**2 - shift, 0.0), high=high**2, total=total,
        total_error=4 * many + (shift / total if total > 0 else 0.0),
        mean_error=off + many * np.sqrt(spread / center.weight) + UNIT * np.abs(center.mean), spread=spread,
    )  # fmt: skip
