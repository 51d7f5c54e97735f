"""How far clusters are from each other: the smallest, largest and mean distance of their rows, and Ward's.

Ward's distance is √(2|A||B| / (|A| + |B|)) ‖c_A − c_B‖ with means c. Means are added up along the tree in long double,
from rows less a common center: a sum of r rows is off by γ_r of the sum of their sizes.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.blocks import F64
from surefit.certificates.rounding import UNIT, gamma
from surefit.certificates.theorems.distances.all_rows import ENTRIES
from surefit.certificates.theorems.distances.merge_tree import MergeTree
from surefit.certificates.theorems.distances.points import Points

REDUCE = {"single": np.minimum, "complete": np.maximum, "average": np.add}
LONG = float(np.finfo(np.longdouble).eps) / 2


class Linkage:
    """Distances between clusters of a tree, from the rows."""

    def __init__(self, name: str, points: Points, tree: MergeTree) -> None:
        self.name, self.points, self.tree = name, points, tree
        if name == "ward":
            X = points.X.astype(np.longdouble) - points.X.mean(axis=0)
            self.spread = float(np.sqrt((X * X).sum(axis=1).max(initial=0)))
            sums = np.concatenate([X, np.zeros((len(tree.children), X.shape[1]), np.longdouble)])
            for t, (a, b) in enumerate(tree.children.tolist()):
                sums[tree.n + t] = sums[a] + sums[b]
            self.means = (sums / tree.size[:, None]).astype(np.float64)

    def slack(self, height: F64, unit: float) -> F64:
        """The error of a height from distances in a precision of this unit: the checker's in double, or a model's."""
        D = 2 * self.points.metric.error(height, self.points.X.shape[1], unit)
        if self.name == "ward":  # means rounded in double, and √(2|A||B| / (|A| + |B|)) ≤ √n
            return D + 4 * np.sqrt(self.tree.n) * (UNIT + gamma(self.tree.n + 8, LONG)) * self.spread
        return D + (gamma(self.tree.n**2 / 2 + 4) * height if self.name == "average" else 0.0)

    def cost(self, clusters: NDArray) -> F64:
        """Differences of coordinates for the distances of a cluster to all."""
        rows = np.ones(len(clusters)) if self.name == "ward" else self.tree.size[clusters].astype(float)
        return rows * self.points.X.size

    def to_all(self, cluster: int, others: NDArray) -> F64:
        """The distances of a cluster to others (in leaf order, together all rows)."""
        size = self.tree.size
        if self.name == "ward":
            off = self.means[others] - self.means[cluster]
            a, b = float(size[cluster]), size[others].astype(float)
            return np.sqrt(2 * a * b / (a + b) * np.einsum("ij,ij->i", off, off))
        rows, join, starts = self.tree.rows(cluster), REDUCE[self.name], self.tree.first[others]
        parts, step = [], max(1, ENTRIES // max(1, self.tree.n))
        for low in range(0, len(rows), step):
            D = self.points.block(self.points.X[rows[low : low + step]], self.tree.order)
            parts.append(join.reduceat(join.reduce(D, axis=0), starts))
        far = join.reduce(np.stack(parts), axis=0)
        return far / (size[cluster] * size[others]) if self.name == "average" else far
