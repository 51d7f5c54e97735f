"""Merges along a graph: only clusters that an edge joins may merge.

Distances between clusters are Ward's of all their rows; else the smallest, largest or mean over the edges between them,
the mean taken merge by merge: (|A| d(A, C) + |B| d(B, C)) / (|A| + |B|), and the one that is known where only one is.
A graph in several pieces is completed by an edge between the nearest two rows of every two pieces.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.blocks import F64, BadData
from surefit.certificates.theorems.distances.merge_tree import MergeTree
from surefit.certificates.theorems.distances.points import Points
from surefit.certificates.theorems.distances.replay import MOST, replay
from surefit.certificates.theorems.graphs.components import completed


def read_graph(given: Any, points: Points) -> tuple[NDArray, int]:
    """The graph, both ways and completed, as flags; and its pieces before that."""
    n = len(points.X)
    if n > MOST:
        raise BadData(f"merges along a graph are replayed for up to {MOST} rows, there are {n}")
    matrix = given(points.X.astype(points.dtype)) if callable(given) else given
    flags = np.asarray(matrix.toarray() if hasattr(matrix, "toarray") else matrix) != 0
    if flags.shape != (n, n):
        raise BadData(f"connectivity has the shape {flags.shape}, expected {(n, n)}")
    return completed(flags, lambda a, b: points.block(points.X[a], b))


def restricted_merges(name: str, points: Points, tree: MergeTree, graph: NDArray) -> tuple[F64, F64]:
    """The height of every merge (∞ where no edge joins the two), and the least of its time."""
    n, graph, size = tree.n, graph.copy(), np.ones(tree.n)
    sums = points.X.astype(np.longdouble) - (points.X.mean(axis=0) if name == "ward" else 0.0)
    means, M = sums.astype(np.float64), np.full((n, n), np.inf)
    for i in range(n):
        near = np.flatnonzero(graph[i])
        M[i, near] = points.block(points.X[i : i + 1], near)[0]

    def ward(a: int, b: int, others: NDArray) -> F64:
        graph[a] |= graph[b]
        graph[:, a] |= graph[:, b]
        sums[a], size[a] = sums[a] + sums[b], size[a] + size[b]
        means[a] = (sums[a] / size[a]).astype(np.float64)
        off = means[others] - means[a]
        far = np.sqrt(2 * size[a] * size[others] / (size[a] + size[others]) * np.einsum("ij,ij->i", off, off))
        return np.where(graph[a, others], far, np.inf)

    def by_edges(a: int, b: int, others: NDArray) -> F64:
        p, q = M[a, others], M[b, others]
        if name == "complete":
            both = np.maximum(p, q)
        else:
            both = np.minimum(p, q) if name == "single" else (size[a] * p + size[b] * q) / (size[a] + size[b])
        size[a] += size[b]
        return np.where(np.isfinite(p) & np.isfinite(q), both, np.minimum(p, q))

    return replay(M, tree.children, ward if name == "ward" else by_edges)
