"""Agglomerative clustering without restrictions: merge the closest two clusters until one is left.

    single              minimum spanning tree: Borůvka's rounds on a k-d tree for Euclidean, Manhattan and cosine
                        distance, Prim's algorithm row by row for any other; memory linear in the rows
    ward                on centers and sizes; memory linear in the rows
    complete, average   on half the matrix of distances

**Ties.** Pairs of rows at one distance are taken by (smaller row, larger row), which makes the spanning tree unique.
For the other linkages the nearest of equally near clusters is the one whose first row comes first, and pairs that are
each other's nearest merge at once. Each merge joins a closest pair at its time. What does not depend on such choices:
the heights of single linkage, its clusters below any threshold, and everything when no two candidates for a merge tie.
Complete and average linkage and Ward can have several correct trees for one table with ties, with different heights.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from surefit import _native
from surefit._core.threads import threads_for
from surefit.solvers.clustering.pair_distances import COORDINATES, PairDistances, coordinates


def linkage_matrix(X: np.ndarray, method: str, metric: str | Callable) -> np.ndarray:
    """SciPy's linkage matrix of the rows of X (or of precomputed distances), heights ascending."""
    distances = PairDistances(X, metric)
    n = distances.n
    if method in ("complete", "average"):
        half, scale = distances.half_matrix()
        tree = _native.matrix_linkage(half, n, method == "complete", threads_for(n * n))
        tree[:, 2] /= scale
        return tree
    if distances.name not in COORDINATES:
        return prim(distances)
    rows, scale = coordinates(distances.X, distances.name)
    n_threads = threads_for(float(n) * 64 * rows.shape[1])
    if method == "ward":
        tree = _native.ward_linkage(rows, n_threads)
    else:
        tree = _native.single_linkage(rows, distances.name != "manhattan", n_threads)
    tree[:, 2] = _heights(tree[:, 2], distances.name, scale)
    return tree


def _heights(values: np.ndarray, kind: str, scale: float) -> np.ndarray:
    """Distances in the user's units from sums of squares or of absolute differences of scaled coordinates."""
    if kind == "cosine":
        return values / 2
    return (values if kind == "manhattan" else np.sqrt(values)) / scale


def prim(distances: PairDistances) -> np.ndarray:
    """Single linkage for any metric: each row of distances is read once, O(n) numbers are kept.

    The tree grows from row 0; `near[j]` is the distance of row j to it. With ties the edge of the smallest (distance,
    smaller row, larger row) joins, so the tree is the one of `single_linkage`.
    """
    n = distances.n
    outside = np.arange(1, n)
    near, via = np.full(n - 1, np.inf), np.zeros(n - 1, dtype=np.int64)
    edges = np.empty((n - 1, 2), dtype=np.int64)
    heights = np.empty(n - 1)
    newest = 0
    for t in range(n - 1):
        to = distances.between([newest], outside)[0]
        closer = (to < near) | ((to == near) & (newest < via))
        near, via = np.where(closer, to, near), np.where(closer, newest, via)
        tied = np.flatnonzero(near == near.min())
        ends = np.sort(np.column_stack([via[tied], outside[tied]]), axis=1)
        at = tied[np.lexsort((ends[:, 1], ends[:, 0]))[0]]
        newest, heights[t] = int(outside[at]), near[at]
        edges[t] = min(via[at], newest), max(via[at], newest)
        outside, near, via = (np.delete(array, at) for array in (outside, near, via))
    order = np.lexsort((edges[:, 1], edges[:, 0], heights))
    a, b = (np.ascontiguousarray(edges[order, side]) for side in (0, 1))
    return _native.merges_to_linkage(a, b, heights[order])
