"""Distances along a graph of neighbors: the graph made whole, and its shortest paths."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import floyd_warshall

from surefit import _native
from surefit._core.memory import refuse_beyond_memory
from surefit._core.threads import thread_count, threads_for
from surefit.engine.leaves import fold_tree, tree_sum
from surefit.search.metric import Metric

SLAB = 256


def joined(graph: sp.csr_array, labels: np.ndarray, rows: Any, metric: Metric) -> sp.csr_array:
    """With an edge between every two components, where they come nearest: the first such pair of rows."""
    members = [np.flatnonzero(labels == label) for label in range(int(labels.max()) + 1)]
    heads, tails, lengths = [], [], []
    for a, first in enumerate(members):
        for second in members[:a]:
            i, j, length = _nearest_pair(rows, first, second, metric)
            heads.append(i)
            tails.append(j)
            lengths.append(length)
    n = graph.shape[0]
    sources = np.repeat(np.arange(n), np.diff(graph.indptr))
    edges = (
        np.concatenate([graph.data, lengths]),
        np.concatenate([sources, heads]).astype(np.int64),
        np.concatenate([graph.indices, tails]).astype(np.int64),
    )
    order = np.lexsort((edges[2], edges[1]))
    indptr = np.concatenate([[0], np.cumsum(np.bincount(edges[1], minlength=n))])
    return sp.csr_array((edges[0][order], edges[2][order], indptr), shape=graph.shape)


def _nearest_pair(rows: Any, first: np.ndarray, second: np.ndarray, metric: Metric) -> tuple[int, int, float]:
    best = (-1, -1, np.inf)
    for start in range(0, len(first), SLAB):
        some = first[start : start + SLAB]
        D = rows[np.ix_(some, second)] if metric.is_precomputed else metric.pairwise(rows[some], rows[second])
        at = np.unravel_index(int(np.argmin(D)), D.shape)
        if D[at] < best[2] or best[0] < 0:
            best = (int(some[at[0]]), int(second[at[1]]), float(D[at]))
    return best


def undirected(graph: sp.csr_array) -> sp.csr_array:
    """Every edge both ways; of several edges between two nodes the shortest. Edges of length zero stay."""
    n = graph.shape[0]
    rows = np.repeat(np.arange(n), np.diff(graph.indptr))
    heads, tails = np.concatenate([rows, graph.indices]), np.concatenate([graph.indices, rows])
    lengths = np.concatenate([graph.data, graph.data])
    order = np.lexsort((lengths, tails, heads))
    heads, tails, lengths = heads[order], tails[order], lengths[order]
    first = np.ones(len(heads), dtype=bool)
    first[1:] = (heads[1:] != heads[:-1]) | (tails[1:] != tails[:-1])
    indptr = np.concatenate([[0], np.cumsum(np.bincount(heads[first], minlength=n))])
    return sp.csr_array((lengths[first], tails[first].astype(np.int32), indptr.astype(np.int32)), shape=graph.shape)


class Paths:
    """Shortest paths in the undirected graph of given edges."""

    def __init__(self, graph: sp.csr_array, n_jobs: int | None = None) -> None:
        self.graph = undirected(graph)
        self.n = graph.shape[0]
        self._threads = thread_count(n_jobs)
        self._lists = (
            self.graph.indptr.astype(np.int64),
            self.graph.indices.astype(np.int32),
            np.ascontiguousarray(self.graph.data, dtype=np.float64),
        )

    def from_sources(self, sources: np.ndarray, dtype: Any = np.float64) -> np.ndarray:
        """Lengths (sources, n), by Dijkstra's algorithm from each source."""
        out = np.empty((len(sources), self.n), dtype=dtype)
        _native.shortest_paths(*self._lists, np.asarray(sources, dtype=np.int64), out, self._threads)
        return out

    def between_all(self, method: str = "D", dtype: Any = np.float64) -> np.ndarray:
        """Lengths (n, n); `method` "FW" is Floyd's and Warshall's, all else Dijkstra's from every node."""
        refuse_beyond_memory(
            np.dtype(dtype).itemsize * float(self.n) ** 2 * (3 if method == "FW" else 1),
            f"The geodesic distances of all pairs of {self.n} rows",
            "Use `landmarks`.",
        )
        if method == "FW":
            return np.asarray(floyd_warshall(self.graph, directed=False), dtype=dtype)
        return self.from_sources(np.arange(self.n), dtype)


def residual_variance(D: np.ndarray, places: np.ndarray, others: np.ndarray, n_jobs: int | None = None) -> float:
    """1 − r² of the distances D (m, n) and those of `places` (m rows) to `others` (n rows, the m among them).

    r is Pearson's correlation over the pairs of different rows, which are looked at in slabs of a fixed size.
    """
    m, n = D.shape
    n_slabs = -(-m // SLAB)
    sums = np.empty((n_slabs, 5))
    size = float(D.max(initial=0.0)) or 1.0
    center = float(D[0].mean()) / size

    def slab(number: int) -> None:
        these = slice(number * SLAB, (number + 1) * SLAB)
        a = D[these].astype(np.float64) / size - center
        b = np.zeros_like(a)
        for column in range(places.shape[1]):
            gap = (places[these, column, None] - others[:, column]) / size
            b += gap * gap
        b = np.sqrt(b, out=b) - center
        sums[number] = a.sum(), b.sum(), (a * a).sum(), (b * b).sum(), (a * b).sum()

    fold_tree(n_slabs, slab, lambda left, right: None, threads_for(float(m) * n * places.shape[1], n_jobs))
    itself = m * np.array([-center, -center, center**2, center**2, center**2])
    a, b, aa, bb, ab = (tree_sum(sums) - itself) / (m * (n - 1))
    spread = (aa - a * a) * (bb - b * b)
    return float(1.0 - (ab - a * b) ** 2 / spread) if spread > 0 else 0.0
