"""Trees of merges in SciPy's form, and the clusters that a cut leaves.

A linkage matrix has one row for each merge: (a, b, height, size). Clusters 0 … n−1 are the rows of the data; merge t
makes cluster n + t of `size` rows. a < b, and a cluster stands in a row before it is merged.
"""

from __future__ import annotations

from heapq import heappush, heappushpop

import numpy as np


def merges_at_threshold(heights: np.ndarray, threshold: float) -> int:
    """How many merges a threshold leaves out: all whose height is at or above it."""
    return int(np.count_nonzero(heights >= threshold))


def cut(children: np.ndarray, n_leaves: int, n_clusters: int) -> np.ndarray:
    """The cluster of every leaf when the last n_clusters − 1 merges are undone.

    The last merge that is left is undone again and again. Clusters are numbered by their places in the heap that finds
    it: scikit-learn's numbers.
    """
    top = [-(n_leaves + len(children) - 1)]  # negative, so that the smallest is the latest merge
    for _ in range(n_clusters - 1):
        first, second = children[-top[0] - n_leaves]
        heappush(top, -int(first))
        heappushpop(top, -int(second))
    number = {-node: place for place, node in enumerate(top)}
    roots = np.array(sorted(number), dtype=np.intp)
    return np.array([number[root] for root in roots.tolist()], dtype=np.intp)[_root_places(children, n_leaves, roots)]


def cut_forest(children: np.ndarray, n_leaves: int) -> np.ndarray:
    """The cluster of every leaf in a tree that was not finished: roots are numbered in their order."""
    is_root = np.ones(n_leaves + len(children), dtype=bool)
    is_root[np.asarray(children).ravel()] = False
    return _root_places(children, n_leaves, np.flatnonzero(is_root))


def _root_places(children: np.ndarray, n_leaves: int, roots: np.ndarray) -> np.ndarray:
    """The place among the roots (ascending) of each leaf's own.

    Every node points to the merge it is part of, a root to itself; pointing to where that points halves all ways.
    """
    up = np.arange(n_leaves + len(children), dtype=np.intp)
    up[children] = np.arange(n_leaves, len(up), dtype=np.intp)[:, None]
    up[roots] = roots
    while not np.array_equal(above := up.take(up), up):
        up = above
    return np.searchsorted(roots, up[:n_leaves])


def sizes(children: np.ndarray, n_leaves: int) -> np.ndarray:
    """How many leaves each merge holds."""
    size = np.ones(n_leaves + len(children))
    for t, (a, b) in enumerate(children):
        size[n_leaves + t] = size[a] + size[b]
    return size[n_leaves:]
