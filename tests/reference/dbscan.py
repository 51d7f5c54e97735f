"""DBSCAN by its definition: all distances, all pairs."""

from __future__ import annotations

import numpy as np
from scipy.sparse.csgraph import connected_components

NORMS = ("manhattan", "euclidean", "chebyshev")


def near(X, eps, norm="euclidean"):
    """Who is within eps of whom: the formula of the compiled loop, column by column."""
    X = np.asarray(X, dtype=np.float64)
    total = np.zeros((len(X), len(X)))
    for column in X.T:
        t = np.abs(column[:, None] - column)
        total = np.maximum(total, t) if norm == "chebyshev" else total + (t * t if norm == "euclidean" else t)
    return total <= (eps * eps if norm == "euclidean" else eps)


def dbscan(X, eps, min_samples, w=None, norm="euclidean"):
    """Labels and flags of core rows."""
    n = len(X)
    pairs = near(X, eps, norm)
    core = pairs @ (np.ones(n) if w is None else w) >= min_samples
    labels = np.full(n, -1)
    sets = connected_components(pairs & core & core[:, None], directed=False)[1]
    number: dict[int, int] = {}
    for row in np.flatnonzero(core):
        labels[row] = number.setdefault(int(sets[row]), len(number))
    for row in np.flatnonzero(~core):
        reached = labels[pairs[row] & core]
        if reached.size:
            labels[row] = reached.min()
    return labels, core
