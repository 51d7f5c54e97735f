"""Linkages by their definitions: the distance of two clusters from their rows, all pairs looked at."""

from __future__ import annotations

import numpy as np
from scipy.spatial.distance import cdist


def cluster_distance(X: np.ndarray, a: list[int], b: list[int], method: str) -> float:
    if method == "ward":
        gap = np.linalg.norm(X[a].mean(axis=0) - X[b].mean(axis=0))
        return float(np.sqrt(2 * len(a) * len(b) / (len(a) + len(b))) * gap)
    D = cdist(X[a], X[b])
    return float({"single": D.min, "complete": D.max, "average": D.mean}[method]())


def closest_at_each_merge(X: np.ndarray, Z: np.ndarray, method: str) -> list[tuple[float, float]]:
    """(distance of the two clusters that a linkage matrix merges, least distance of any pair then), merge by merge."""
    clusters = {i: [i] for i in range(len(X))}
    found = []
    for t, (a, b) in enumerate(Z[:, :2].astype(int).tolist()):
        names = sorted(clusters)
        least = min(
            cluster_distance(X, clusters[i], clusters[j], method) for n, i in enumerate(names) for j in names[n + 1 :]
        )
        found.append((cluster_distance(X, clusters[a], clusters[b], method), least))
        clusters[len(X) + t] = clusters.pop(a) + clusters.pop(b)
    return found
