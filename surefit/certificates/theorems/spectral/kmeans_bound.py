"""A lower bound for the k-means optimum: principal axes, capped by one-dimensional optima.

Let A have the rows √ω(x − m) for any point m, and W (r × d) be any axes, ‖WWᵀ − I‖ ≤ o. P projects on the indicators
of the clusters. The inertia of the clustering is ‖(I − P)A‖_F², at least ‖(I − P)AWᵀ‖_F²/(1 + o). Let Y be AWᵀ less
its mean, which P keeps: the rest of P has rank k − 1. Column j of Y has the squared length Dⱼ and keeps Dⱼ(1 − pⱼ);
YᵀY = D^½(I + F)D^½ with ‖F‖ ≤ f, so Σ pⱼ ≤ (k − 1)(1 + f). Along axis j the clustering costs at least the optimum on
that line, Dⱼ(1 − pⱼ) ≥ cⱼ, so pⱼ ≤ 1 − cⱼ/Dⱼ. The greatest Σ Dⱼpⱼ under these caps is a fractional knapsack: fill
from the largest D. Entries of YᵀY are known to e = 4γ‖A‖²: that moves each Dⱼ and each cap by e at most, and entries
of F by 3e/Dⱼ.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from surefit.certificates.blocks import F64, Blocks
from surefit.certificates.rounding import gamma
from surefit.certificates.theorems.spectral.centered import Center, centered
from surefit.certificates.theorems.spectral.one_dimensional import Pieces, bins, least_cost, points

MAX_POINTS = 1024  # beyond, points are sorted into bins
QUANTILES, WIDTHS = 512, 256
MAX_F = 1e-3  # how far from orthogonal the coordinates of axes may be
MAX_CELLS = 3e8  # axes × k × pieces²


@dataclass(frozen=True)
class Bound:
    lower: float
    axes: int
    exact: bool  # one-dimensional optima exact, or bounded through bins


def lower_bound(blocks: Blocks, center: Center, W: F64, k: int) -> Bound:
    """Not above the inertia of any k centers; W are proposed axes."""
    n, d, W = blocks.n_rows, blocks.n_features, W.astype(np.float64)
    G, drift, total = np.zeros((len(W), len(W))), np.zeros(len(W)), 0.0
    for A, omega in centered(blocks, center.mean):
        Y = A @ W.T
        G, drift = G + Y.T @ (Y * omega[:, None]), drift + omega @ Y
        total += float(omega @ np.einsum("ij,ij->i", A, A))
    G = G - np.outer(drift, drift) / center.weight
    order, e = np.argsort(-np.diag(G), kind="stable"), 4 * gamma(n + 2 * d + 16) * total
    W, G = W[order], G[np.ix_(order, order)]
    D = np.maximum(np.diag(G), np.finfo(float).tiny)
    F = (G / np.sqrt(np.outer(D, D)) - np.eye(len(D))) ** 2
    f = np.sqrt(np.cumsum(2 * np.tril(F, -1).sum(axis=1) + np.diag(F))) + 3 * np.arange(1, len(D) + 1) * e / D
    p = int(np.count_nonzero(f <= MAX_F))  # what rows hold along the axes after these only adds to the inertia
    if p == 0:
        return Bound(0.0, 0, True)
    axes = int(min(axes_needed(k), p, max(2, MAX_CELLS / (k * float(min(n, MAX_POINTS)) ** 2))))
    exact = n <= MAX_POINTS
    optima = np.array(_along_axes(blocks, center.mean, np.ascontiguousarray(W[:axes].T), k, exact))
    optima = np.maximum(np.sqrt(optima) - 2 * gamma(d + 6) * np.sqrt(total), 0.0) ** 2  # of rounded coordinates
    inside = knapsack(D[:p], optima, (k - 1) * (1 + float(f[p - 1])))
    o = float(np.linalg.norm(W @ W.T - np.eye(len(W)))) + len(W) * gamma(d + 4)
    return Bound(max(0.0, inside - (2 * p + 1) * e) / (1 + o) * (1 - gamma(8)), axes, exact)


def axes_needed(k: int) -> int:
    """Axes whose caps fill the budget k − 1 on bell-shaped data: a line loses about 2.7/k² of its variance."""
    return int(np.ceil((k - 1) / (1.0 - min(0.7, 2.72 / k**2)))) + 1


def knapsack(lam: F64, optima: F64, budget: float) -> float:
    """Σλ minus the greatest Σ λⱼpⱼ with 0 ≤ pⱼ ≤ 1 − cⱼ/λⱼ and Σ pⱼ ≤ budget; λ descending."""
    caps = np.ones(lam.size)
    known = lam[: optima.size]
    caps[: optima.size] = np.clip(1.0 - optima / np.where(known > 0, known, 1.0), 0.0, 1.0)
    given = np.clip(budget - (np.cumsum(caps) - caps), 0.0, caps)
    return float(lam.sum() - lam @ given)


def _along_axes(blocks: Blocks, mean: F64, B: F64, k: int, exact: bool) -> list[float]:
    """At most the optimum of the coordinates along each axis."""
    n, kept = blocks.n_rows, []
    stride = 1 if exact else -(-n // (16 * MAX_POINTS))
    for A, omega in centered(blocks, mean):
        kept.append((A[::stride] @ B, omega[::stride]))
    sample, weight = (np.concatenate(parts) for parts in zip(*kept, strict=True))
    if exact:
        return [least_cost(points(t, weight), k, parted=False) for t in sample.T]
    levels = np.linspace(0, 1, QUANTILES + 1)[1:-1]
    edges = [
        np.unique(np.concatenate([np.quantile(t, levels), np.linspace(t.min(), t.max(), WIDTHS + 1)[1:-1]]))
        for t in sample.T
    ]
    sums = [np.zeros((3, e.size + 1)) for e in edges]
    for A, omega in centered(blocks, mean):
        for t, e, s in zip((A @ B).T, edges, sums, strict=True):
            s += bins(t, omega, e)
    return [least_cost(Pieces(n, *s[:, s[0] > 0]), k, parted=True) for s in sums]
