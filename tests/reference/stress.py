"""Stress, the Guttman transform and disparities, pair by pair and in plain NumPy."""

from __future__ import annotations

import numpy as np


def look(X, D, W=None):
    """(σ, Σ w d², B(X) X) from the definition."""
    n = len(X)
    W = np.ones((n, n)) if W is None else W
    stress = sq_dist = 0.0
    G = np.zeros_like(X)
    for i in range(n):
        for j in range(n):
            if i == j:
                continue
            d = np.sqrt(((X[i] - X[j]) ** 2).sum())
            if i < j:
                stress += W[i, j] * (D[i, j] - d) ** 2
                sq_dist += W[i, j] * d * d
            if d > 0:
                G[i] += W[i, j] * D[i, j] / d * (X[i] - X[j])
    return stress, sq_dist, G


def local_weights(q, neighbors, reg):
    """The weights of the neighbors that rebuild q, from the normal equations."""
    C = neighbors - q
    G = C @ C.T
    G += np.eye(len(G)) * (reg * np.trace(G) if np.trace(G) > 0 else reg)
    w = np.linalg.solve(G, np.ones(len(G)))
    return w / w.sum()
