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
    label = np.full(n_leaves + len(children), -1, dtype=np.intp)
    for number, node in enumerate(top):
        label[-node] = number
    return _inherited(label, children, n_leaves)


def cut_forest(children: np.ndarray, n_leaves: int) -> np.ndarray:
    """The cluster of every leaf in a tree that was not finished: roots are numbered in their order."""
    label = np.full(n_leaves + len(children), -1, dtype=np.intp)
    is_root = np.ones(len(label), dtype=bool)
    is_root[np.asarray(children).ravel()] = False
    label[is_root] = np.arange(np.count_nonzero(is_root))
    return _inherited(label, children, n_leaves)


def _inherited(label: np.ndarray, children: np.ndarray, n_leaves: int) -> np.ndarray:
    """Labels handed down from merges to what they merged, latest first."""
    names = label.tolist()
    for node in range(len(names) - 1, n_leaves - 1, -1):
        if names[node] >= 0:
            first, second = children[node - n_leaves]
            names[first] = names[second] = names[node]
    return np.array(names[:n_leaves], dtype=np.intp)


def sizes(children: np.ndarray, n_leaves: int) -> np.ndarray:
    """How many leaves each merge holds."""
    size = np.ones(n_leaves + len(children))
    for t, (a, b) in enumerate(children):
        size[n_leaves + t] = size[a] + size[b]
    return size[n_leaves:]
