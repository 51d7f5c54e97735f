"""A lower bound for the k-means optimum: principal axes, capped by one-dimensional optima.

Let the centred, √ω-scaled data have squared singular values λ₁ ≥ λ₂ ≥ … and left singular vectors uⱼ. For a clustering
let P project on the centred indicators of the clusters, rank at most k − 1. Its inertia is Σ λⱼ(1 − pⱼ) with
pⱼ = uⱼᵀPuⱼ in [0, 1] and Σ pⱼ ≤ k − 1. Along axis j the inertia is at least the optimum on that line, λⱼ(1 − pⱼ) ≥ oⱼ,
so pⱼ ≤ 1 − oⱼ/λⱼ. The greatest Σ λⱼpⱼ under these caps is a fractional knapsack: fill from the largest λ.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from surefit.certificates.blocks import F64, Blocks
from surefit.certificates.theorems.one_dimensional import MAX_POINTS, Pieces, bin_bound, optimum, points
from surefit.certificates.theorems.scatter import centred_product, gram_matrix, scatter_matrix, weights

MAX_ORDER = 2000
MAX_WORK = 1e12
MAX_LAYERS = 400  # axes × k
SAFETY = 1e-10  # of the total scatter, for rounding in the eigenvectors and in the programme
QUANTILES, WIDTHS, SAMPLE = 2048, 1024, 16384


@dataclass
class Bound:
    lower: float
    axes: int
    exact: bool  # one-dimensional optima exact, or bounded through bins
    note: str


def lower_bound(blocks: Blocks, m: F64, k: int) -> Bound:
    """Not above the inertia of any k centres; zero where the data are too large for a spectrum."""
    n, d = blocks.n_rows, blocks.n_features
    axes = min(axes_needed(k), max(2, MAX_LAYERS // k))
    if d <= MAX_ORDER and float(n) * d * d <= MAX_WORK:
        lam, V = np.linalg.eigh(scatter_matrix(blocks, m))
        lam, V = np.maximum(lam[::-1], 0.0), V[:, ::-1][:, :axes]
        optima, exact = _along_axes(blocks, m, np.ascontiguousarray(V), k)
    elif n <= MAX_ORDER and float(n) * n * d <= MAX_WORK:
        lam, U = np.linalg.eigh(gram_matrix(blocks, m))
        lam, U = np.maximum(lam[::-1], 0.0), U[:, ::-1][:, :axes]
        omega = np.concatenate([weights(X, w) for X, _, w in blocks])
        root = np.where(omega > 0, np.sqrt(np.where(omega > 0, omega, 1.0)), np.inf)
        T = U * np.sqrt(lam[: U.shape[1]]) / root[:, None]
        optima, exact = [optimum(points(t, omega), k) for t in T.T], True
    else:
        return Bound(0.0, 0, True, f"{n} × {d} is too large for a spectrum")
    lower = knapsack(lam, np.array(optima), k)
    return Bound(lower, len(optima), exact, "")


def axes_needed(k: int) -> int:
    """Axes whose caps fill the budget k − 1 on bell-shaped data: a line loses about 2.7/k² of its variance."""
    return int(np.ceil((k - 1) / (1.0 - min(0.7, 2.72 / k**2)))) + 1


def knapsack(lam: F64, optima: F64, k: int) -> float:
    """Σλ minus the greatest Σ λⱼpⱼ with 0 ≤ pⱼ ≤ 1 − oⱼ/λⱼ and Σ pⱼ ≤ k − 1; λ descending."""
    caps = np.ones(lam.size)
    known = lam[: optima.size]
    caps[: optima.size] = np.clip(1.0 - optima / np.where(known > 0, known, 1.0), 0.0, 1.0)
    room = np.clip((k - 1) - (np.cumsum(caps) - caps), 0.0, caps)
    total = float(lam.sum())
    return max(0.0, total - float(lam @ room) - SAFETY * total)


def _along_axes(blocks: Blocks, m: F64, V: F64, k: int) -> tuple[list[float], bool]:
    """A lower bound for the optimum along each axis: exact for few rows, by bins for many."""
    n = blocks.n_rows
    stride = -(-n // (MAX_POINTS if n <= MAX_POINTS else SAMPLE))
    kept, kept_w, low, high, row = [], [], np.full(V.shape[1], np.inf), np.full(V.shape[1], -np.inf), 0
    for X, _, w in blocks:
        T = centred_product(X, m, V)
        first = -row % stride
        kept.append(T[first::stride])
        kept_w.append(weights(X, w)[first::stride])
        low, high = np.minimum(low, T.min(axis=0)), np.maximum(high, T.max(axis=0))
        row += len(T)
    sample, omega = np.concatenate(kept), np.concatenate(kept_w)
    if n <= MAX_POINTS:
        return [optimum(points(t, omega), k) for t in sample.T], True
    edges = [
        np.unique(
            np.concatenate(
                [
                    np.quantile(t, np.linspace(0, 1, QUANTILES + 1)[1:-1]),
                    np.linspace(a, b, WIDTHS + 1)[1:-1],
                ]
            )
        )
        for t, a, b in zip(sample.T, low, high, strict=True)
    ]
    sums = [np.zeros((3, e.size + 1)) for e in edges]
    for X, _, w in blocks:
        T, omega = centred_product(X, m, V), weights(X, w)
        for t, e, s in zip(T.T, edges, sums, strict=True):
            where = np.searchsorted(e, t)
            for power in range(3):
                s[power] += np.bincount(where, weights=omega * t**power, minlength=e.size + 1)
    return [bin_bound(Pieces(*s[:, s[0] > 0]), k) for s in sums], False
