"""Merges replayed: how far the two clusters of each are from each other, and the nearest two clusters of its time.

Distances of clusters are the smallest, the largest or the mean distance of their rows, or Ward's,
√(2|A||B| / (|A| + |B|)) ‖c_A − c_B‖ with means c. The first three of A ∪ B and C are the smaller, larger or mean,
(|A| d(A, C) + |B| d(B, C)) / (|A| + |B|), of d(A, C) and d(B, C). Along a graph only clusters that an edge joins may
merge: others are at ∞, and where only one of d(A, C) and d(B, C) is known that counts. A graph in several pieces is
completed by an edge between the nearest two rows of every two pieces.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.blocks import F64, BadData
from surefit.certificates.rounding import UNIT, gamma
from surefit.certificates.theorems.distances.points import Points
from surefit.certificates.theorems.distances.replay import replay
from surefit.certificates.theorems.graphs.components import completed

LONG: Any = np.longdouble


def read_graph(given: Any, points: Points) -> tuple[NDArray, int]:
    """The graph, both ways and completed, as flags; and its pieces before that."""
    n = len(points.X)
    matrix = given(points.X.astype(points.dtype)) if callable(given) else given
    flags = np.asarray(matrix.toarray() if hasattr(matrix, "toarray") else matrix) != 0
    if flags.shape != (n, n):
        raise BadData(f"connectivity has the shape {flags.shape}, expected {(n, n)}")
    return completed(flags, lambda a, b: points.block(points.X[a], b))


def ward(size: float, sizes: NDArray, off: F64) -> F64:
    """√(2|A||B| / (|A| + |B|)) ‖c_A − c_B‖"""
    return np.sqrt(2 * size * sizes / (size + sizes) * np.einsum("ij,ij->i", off, off))


def heights(name: str, points: Points, merges: NDArray, graph: NDArray | bool) -> tuple[F64, F64]:
    """The height of every merge (∞ where no edge joins the two), and the least of its time."""
    M, size = np.where(graph, points.block(points.X), np.inf), np.ones(len(points.X))
    sums = points.X.astype(LONG) - (points.X.mean(axis=0) if name == "ward" else 0.0)
    means = sums.astype(np.float64)

    def join(a: int, b: int, others: NDArray) -> F64:
        p, q, parts = M[a, others], M[b, others], (size[a], size[b])
        size[a] += size[b]
        if name == "ward":
            sums[a] += sums[b]
            means[a] = (sums[a] / size[a]).astype(np.float64)
            off = means[others] - means[a]
            return np.where(np.isinf(p) & np.isinf(q), np.inf, ward(size[a], size[others], off))
        mean = (parts[0] * p + parts[1] * q) / size[a]
        far = {"single": np.minimum(p, q), "complete": np.maximum(p, q), "average": mean}[name]
        return np.where(np.isinf(p) | np.isinf(q), np.minimum(p, q), far)

    return replay(M, merges, join)


def slack(name: str, points: Points, height: F64, unit: float) -> F64:
    """The error of heights from distances in a precision of this unit: the checker's in double, or a model's.

    A mean of means is right to a few roundings for each merge. Means of rows, less a common center and added up in long
    double, are rounded to double, and √(2|A||B| / (|A| + |B|)) ≤ √n.
    """
    n, D = len(points.X), 2 * points.metric.error(height, points.X.shape[1], unit)
    if name != "ward":
        return D + (gamma(8 * n) * height if name == "average" else 0.0)
    spread = float(np.sqrt(((points.X - points.X.mean(axis=0)) ** 2).sum(axis=1).max()))
    return D + 4 * np.sqrt(n) * (UNIT + gamma(n + 8, float(np.finfo(LONG).eps) / 2)) * spread
