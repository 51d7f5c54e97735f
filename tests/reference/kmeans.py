"""Lloyd's pass and the rounds of k-means++ in plain NumPy."""

from __future__ import annotations

import numpy as np

from surefit.solvers.clustering.lloyd import LloydStatistic


def lloyd_reference(X: np.ndarray, w: np.ndarray | None, centers: np.ndarray) -> tuple[np.ndarray, LloydStatistic]:
    """What the native pass computes, in plain NumPy: labels, and the statistic without its fingerprint."""
    X = np.asarray(X, dtype=np.float64)
    w = np.ones(len(X)) if w is None else w
    sq_dist = ((X[:, None, :] - centers) ** 2).sum(axis=2)
    labels = sq_dist.argmin(axis=1)
    deviations = X - centers[labels]
    sums = np.zeros_like(centers)
    np.add.at(sums, labels, w[:, None] * deviations)
    inertia = float(w @ (deviations**2).sum(axis=1))
    return labels, LloydStatistic(np.bincount(labels, w, len(centers)), sums, inertia, 0)


def plus_plus_reference(
    X: np.ndarray, w: np.ndarray, n_clusters: int, n_trials: int, uniform: np.ndarray
) -> tuple[list[int], float]:
    """k-means++ on rows in canonical order, in plain NumPy: positions of the chosen rows, and the potential.

    Each round draws `n_trials` rows with chances ω·d² (d: distance to the nearest center so far) and keeps the one that
    leaves the least potential Σ ω d².
    """
    first = int(np.searchsorted(np.cumsum(w), uniform[0] * w.sum(), side="right"))
    chosen = [min(first, len(X) - 1)]
    sq_dist = ((X - X[chosen[0]]) ** 2).sum(axis=1)
    for c in range(1, n_clusters):
        mass = np.cumsum(w * sq_dist) if (w * sq_dist).any() else np.cumsum(w)
        shares = uniform[1 + (c - 1) * n_trials : 1 + c * n_trials]
        trials = np.minimum(np.searchsorted(mass, shares * mass[-1], side="right"), len(X) - 1)
        after = [np.minimum(sq_dist, ((X - X[t]) ** 2).sum(axis=1)) for t in trials]
        best = int(np.argmin([w @ one for one in after]))
        chosen.append(int(trials[best]))
        sq_dist = after[best]
    return chosen, float(w @ sq_dist)
