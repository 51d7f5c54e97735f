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

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from surefit.certificates.blocks import F64, Blocks
from surefit.certificates.rounding import gamma
from surefit.certificates.theorems.spectral.centered import Center, centered
from surefit.certificates.theorems.spectral.one_dimensional import least_cost, moved

MAX_F = 1e-3  # how far from orthogonal the coordinates of axes may be


@dataclass(frozen=True)
class Bound:
    lower: float
    axes: int
    exact: bool  # one-dimensional optima exact, or bounded by those of fewer values


Propose = Callable[[Blocks, F64, F64], list[F64]]


def lower_bound(blocks: Blocks, center: Center, W: F64, k: int, many: int, propose: Propose) -> Bound:
    """Not above the inertia of any k centers, for any proposed axes W.

    many     along how many of them one-dimensional optima are looked for
    propose  gives for each column of B values that stand for the coordinates of all rows along it
    """
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
    axes = min(many, p)
    B = np.ascontiguousarray(W[:axes].T)
    roots, exact = _along_axes(blocks, center.mean, B, k, propose(blocks, center.mean, B))
    optima = np.maximum(roots - 2 * gamma(d + 6) * np.sqrt(total), 0.0) ** 2  # of rounded coordinates
    inside = knapsack(D[:p], optima, (k - 1) * (1 + float(f[p - 1])))
    o = float(np.linalg.norm(W @ W.T - np.eye(len(W)))) + len(W) * gamma(d + 4)
    return Bound(max(0.0, inside - (2 * p + 1) * e) / (1 + o) * (1 - gamma(8)), axes, exact)


def knapsack(lam: F64, optima: F64, budget: float) -> float:
    """Σλ minus the greatest Σ λⱼpⱼ with 0 ≤ pⱼ ≤ 1 − cⱼ/λⱼ and Σ pⱼ ≤ budget; λ descending."""
    caps = np.ones(lam.size)
    known = lam[: optima.size]
    caps[: optima.size] = np.clip(1.0 - optima / np.where(known > 0, known, 1.0), 0.0, 1.0)
    given = np.clip(budget - (np.cumsum(caps) - caps), 0.0, caps)
    return float(lam.sum() - lam @ given)


def _along_axes(blocks: Blocks, mean: F64, B: F64, k: int, proposed: list[F64]) -> tuple[F64, bool]:
    """At most the root of the optimum of the coordinates along each axis; whether no row had to be moved."""
    values, slip = [np.unique(v) for v in proposed], gamma(blocks.n_rows + 8)
    weights, losses = [np.zeros(len(v)) for v in values], np.zeros(len(values))
    for A, omega in centered(blocks, mean):
        for j, t in enumerate((A @ B).T):
            weight, loss = moved(t, omega, values[j])
            weights[j] += weight
            losses[j] += loss
    least = np.array([least_cost(v, w, k) for v, w in zip(values, weights, strict=True)])
    return np.sqrt(least * (1 - slip)) - np.sqrt(losses * (1 + slip)), not losses.any()
