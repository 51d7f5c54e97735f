"""Merges of many rows: the height of each from the rows, and some of them against all clusters of their time.

Over all merges every pair of rows is met once: Σ|A||B| = n(n − 1)/2. Where every merge joins a closest pair heights do
not fall: for A and B nearest to each other d(A ∪ B, C) ≥ min(d(A, C), d(B, C)) (docs/certificates/cluster.md).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.blocks import F64
from surefit.certificates.theorems.distances.all_rows import in_slices
from surefit.certificates.theorems.distances.linkages import LONG, ward
from surefit.certificates.theorems.distances.merge_tree import MergeTree
from surefit.certificates.theorems.distances.points import Points

COMPARED, WORK = 64, 1 << 24  # merges, and differences of coordinates for each
JOIN = {"single": np.minimum, "complete": np.maximum, "average": np.add}


class Clusters:
    """Distances between the clusters of a tree."""

    def __init__(self, name: str, points: Points, tree: MergeTree) -> None:
        self.name, self.points, self.tree, self.means = name, points, tree, points.X
        if name == "ward":
            sums = np.zeros((len(tree.size), points.X.shape[1]), LONG)
            sums[: tree.n] = points.X.astype(LONG) - points.X.mean(axis=0)
            for t, (a, b) in enumerate(tree.children.tolist()):
                sums[tree.n + t] = sums[a] + sums[b]
            self.means = (sums / tree.size[:, None]).astype(np.float64)

    def cost(self, merges: NDArray) -> F64:
        """Differences of coordinates for the distances of both clusters of these merges to all."""
        rows = np.full(len(merges), 2) if self.name == "ward" else self.tree.size[merges].sum(axis=1)
        return rows * float(self.tree.n * (1 if self.points.metric.name == "precomputed" else self.points.X.shape[1]))

    def far(self, cluster: int, others: NDArray) -> F64:
        size = self.tree.size[others]
        if self.name == "ward":
            return ward(float(self.tree.size[cluster]), size, self.means[others] - self.means[cluster])
        rows, join, starts = self.tree.rows(cluster), JOIN[self.name], np.cumsum(size) - size
        columns = np.concatenate([self.tree.rows(other) for other in others.tolist()])
        parts = [
            join.reduce(self.points.block(self.points.X[rows[part]], columns), axis=0)
            for part in in_slices(len(rows), len(columns))
        ]
        D = join.reduceat(join.reduce(parts, axis=0), starts)
        return D / (len(rows) * size) if self.name == "average" else D


def many_heights(name: str, points: Points, tree: MergeTree) -> tuple[F64, F64, int]:
    """The height of every merge; what a cluster of its time is near, below that where heights fall; merges compared."""
    clusters, merges = Clusters(name, points, tree), tree.children
    height = np.array([clusters.far(a, np.array([b]))[0] for a, b in merges.tolist()])
    before, cost = np.maximum.accumulate(np.append(0.0, height))[:-1], clusters.cost(merges)
    least, small = height - np.maximum(before - height, 0.0), np.flatnonzero(cost <= max(WORK, cost.min()))
    at = small[np.unique(np.linspace(0, len(small) - 1, COMPARED).astype(np.intp))]
    for t in at.tolist():
        alive = tree.active(t)
        for one in merges[t].tolist():
            others = alive[alive != one]
            least[t] = min(least[t], clusters.far(one, others).min())
    return height, least, len(at)
