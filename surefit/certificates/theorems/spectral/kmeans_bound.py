"""A lower bound for the k-means optimum: principal axes, capped by one-dimensional optima.

With A = YW + Δ as in `spectrum`, let P project on the centred indicators of the clusters, rank at most k − 1. The
inertia of the clustering is ‖(I − P)A‖_F², at least (√(1 − o) ‖(I − P)Y‖_F − η)². Column j of Y has the squared length
Dⱼ and keeps Dⱼ(1 − pⱼ), pⱼ in [0, 1]; the columns over their lengths have products I + F, so Σ pⱼ ≤ (k − 1)(1 + f).
Along axis j the clustering costs at least the optimum on that line, Dⱼ(1 − pⱼ) ≥ cⱼ, so pⱼ ≤ 1 − cⱼ/Dⱼ. The greatest
Σ Dⱼpⱼ under these caps is a fractional knapsack: fill from the largest D.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from surefit.certificates.blocks import F64, Blocks
from surefit.certificates.claim import gamma
from surefit.certificates.theorems.spectral.centered import Center, centered
from surefit.certificates.theorems.spectral.one_dimensional import Pieces, bins, least_cost, points
from surefit.certificates.theorems.spectral.spectrum import spectrum

MAX_POINTS = 1024  # beyond, points are sorted into bins
QUANTILES, WIDTHS = 512, 256
MAX_F = 1e-6  # how far from orthogonal the coordinates of axes may be
MAX_CELLS = 3e8  # axes × k × pieces²


@dataclass(frozen=True)
class Bound:
    lower: float
    axes: int
    exact: bool  # one-dimensional optima exact, or bounded through bins


def lower_bound(blocks: Blocks, center: Center, W: F64, k: int) -> Bound:
    """Not above the inertia of any k centers; W are proposed axes."""
    n = blocks.n_rows
    s = spectrum(blocks, center, W)
    size = min(n, MAX_POINTS)
    p = int(np.searchsorted(s.f, MAX_F, side="right"))  # the axes after these are counted to Δ
    if p == 0:
        return Bound(0.0, 0, True)
    D, f, eta = s.D[:p], float(s.f[p - 1]), float(s.eta[p - 1])
    axes = int(min(axes_needed(k), p, max(2, MAX_CELLS / (k * float(size) ** 2))))
    exact = n <= MAX_POINTS
    optima = np.array(_along_axes(blocks, center.mean, np.ascontiguousarray(s.W[:axes].T), k, exact))
    # those are of (x − m)·w, and column j of Y differs from it by rounding
    differ = (2 * gamma(blocks.n_features + 6) + s.o) * np.sqrt(s.total)
    optima = np.maximum(np.sqrt(optima) - differ, 0.0) ** 2
    inside = knapsack(D, optima, (k - 1) * (1 + f))
    root = np.sqrt(max(0.0, (1 - s.o) * (inside - gamma(p + n + 8) * s.total))) - eta
    return Bound(max(0.0, root) ** 2 * (1 - gamma(8)), axes, exact)


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
