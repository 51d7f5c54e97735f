"""DBSCAN on given distances: a square matrix, or a sparse graph that holds some neighbors of each row.

Row i of the distances says who is near row i. Nothing asks for symmetry: as in scikit-learn the cluster of a core row
that has none yet is all that can be reached from it, along the rows of core rows; rows are taken in order.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

BLOCK_NUMBERS = 2**22


class DenseGraph:
    """Rows within eps by a matrix of distances."""

    def __init__(self, D: np.ndarray, eps: float) -> None:
        self._D, self._eps = D, eps
        self._step = max(1, BLOCK_NUMBERS // max(1, D.shape[1]))

    def weight_near(self, w: np.ndarray) -> np.ndarray:
        starts = range(0, len(self._D), self._step)
        return np.concatenate([(self._D[i : i + self._step] <= self._eps) @ w for i in starts])

    def near(self, rows: np.ndarray) -> np.ndarray:
        """All rows within eps of one of the given ones."""
        reached = np.zeros(self._D.shape[1], dtype=bool)
        for i in range(0, len(rows), self._step):
            reached |= (self._D[rows[i : i + self._step]] <= self._eps).any(axis=0)
        return np.flatnonzero(reached)


class SparseGraph:
    """Rows within eps by the stored distances; a row whose distance to itself is not stored is near itself."""

    def __init__(self, D: Any, eps: float) -> None:
        rows = np.repeat(np.arange(D.shape[0]), np.diff(D.indptr))
        kept = D.data <= eps
        own = np.setdiff1d(np.arange(D.shape[0]), rows[rows == D.indices])
        at = np.concatenate([rows[kept], own]), np.concatenate([D.indices[kept], own])
        self._A = sp.csr_array((np.ones(len(at[0])), at), shape=D.shape)

    def weight_near(self, w: np.ndarray) -> np.ndarray:
        return np.asarray(self._A @ w)

    def near(self, rows: np.ndarray) -> np.ndarray:
        if len(rows) == 1:  # most steps are such
            return self._A.indices[self._A.indptr[rows[0]] : self._A.indptr[rows[0] + 1]]
        return np.unique(self._A[rows].indices)


def clusters_of_graph(
    D: Any, eps: float, min_samples: float, weights: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray, int]:
    """Labels, flags of core rows and the number of clusters."""
    n = D.shape[0]
    graph = SparseGraph(D, eps) if sp.issparse(D) else DenseGraph(D, eps)
    core = graph.weight_near(np.ones(n) if weights is None else weights) >= min_samples
    labels = np.full(n, -1, dtype=np.intp)
    n_clusters = 0
    for row in np.flatnonzero(core):
        if labels[row] >= 0:
            continue
        found = np.array([row])
        while found.size:
            labels[found] = n_clusters
            reached = graph.near(found[core[found]])
            found = reached[labels[reached] < 0]
        n_clusters += 1
    return labels, core, n_clusters
