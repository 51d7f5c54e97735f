"""Linkage where only neighbors in a graph may merge.

At each step the closest pair of clusters that are joined by an edge merges; the new cluster is a neighbor of all
neighbors of both. Ties go to the pair (b, a), a < b, that comes first in order. Distances between clusters are

    ward        sqrt(2|A||B| / (|A| + |B|)) ‖c_A − c_B‖      from the centers, whatever the graph
    complete    the largest, and
    average     the mean (each cluster counts by its size) of the distances that A's parts had to B: parts that are no
                neighbors of B do not count
    single      the smallest: Kruskal's minimum spanning tree of the graph

Heights of restricted merges may fall: a pair can be closer than the one before, which no edge joined.
"""

from __future__ import annotations

import warnings
from heapq import heapify, heappop, heappush

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from surefit._core.errors import InvalidData
from surefit.solvers.clustering.pair_distances import PairDistances


def complete_graph(connectivity: object, distances: PairDistances) -> tuple[sp.csr_array, int]:
    """(symmetric graph without loops and in one piece, how many pieces it had).

    Between two pieces the closest pair of rows is joined, with a warning.
    """
    graph = sp.csr_array(connectivity)
    if graph.shape != (distances.n, distances.n):
        raise InvalidData(f"Wrong shape for connectivity matrix: {graph.shape} when X has {distances.n} rows")
    graph = sp.csr_array(graph + graph.T)
    n_components, piece = connected_components(graph, directed=False)
    graph = graph.tocoo()
    kept = graph.row != graph.col
    first, second = [graph.row[kept]], [graph.col[kept]]
    if n_components > 1:
        warnings.warn(
            f"the number of connected components of the connectivity matrix is {n_components} > 1. Completing it to "
            "avoid stopping the tree early.",
            stacklevel=6,
        )
        members = [np.flatnonzero(piece == c) for c in range(n_components)]
        for c in range(n_components):
            for other in range(c):
                i, j = _closest(members[c], members[other], distances)
                first.append(np.array([i, j]))
                second.append(np.array([j, i]))
    ends = np.concatenate(first), np.concatenate(second)
    joined = sp.csr_array((np.ones(len(ends[0])), ends), shape=graph.shape)
    joined.sum_duplicates()
    return joined, n_components


def _closest(rows: np.ndarray, others: np.ndarray, distances: PairDistances) -> tuple[int, int]:
    """The pair with the smallest distance between two sets of rows; blockwise."""
    best, pair = np.inf, (int(rows[0]), int(others[0]))
    step = max(1, 2**22 // len(others))
    for lo in range(0, len(rows), step):
        block = distances.between(rows[lo : lo + step], others)
        at = int(block.argmin())
        if block.flat[at] < best:
            best, pair = float(block.flat[at]), (int(rows[lo + at // len(others)]), int(others[at % len(others)]))
    return pair


def restricted_linkage(
    graph: sp.csr_array, distances: PairDistances, method: str, n_merges: int
) -> tuple[np.ndarray, np.ndarray]:
    """(children, heights) of the first n_merges merges. The graph is in one piece."""
    if method == "single":
        return _kruskal(graph, distances, n_merges)
    if method == "ward":
        return _merge(graph, _WardCosts(np.asarray(distances.X, dtype=np.float64)), n_merges)
    coo = graph.tocoo()
    return _merge(graph, _EdgeCosts(coo, distances.paired(coo.row, coo.col), method), n_merges)


class _WardCosts:
    """Half the squared height of a merge, from sums and sizes."""

    def __init__(self, X: np.ndarray) -> None:
        n = X.shape[0]
        self.center = np.vstack([X, np.empty((n - 1, X.shape[1]))])
        self.size = np.concatenate([np.ones(n), np.empty(n - 1)])

    def edges(self, one: np.ndarray, others: np.ndarray) -> np.ndarray:
        share = self.size[one] * self.size[others] / (self.size[one] + self.size[others])
        return share * ((self.center[one] - self.center[others]) ** 2).sum(axis=1)

    def joined(self, a: int, b: int, new: int, neighbors: list[int]) -> list[float]:
        size = self.size[a] + self.size[b]
        self.size[new] = size
        self.center[new] = (self.size[a] * self.center[a] + self.size[b] * self.center[b]) / size
        return self.edges(np.full(len(neighbors), new), np.array(neighbors, dtype=np.intp)).tolist()

    def height(self, cost: float) -> float:
        return float(np.sqrt(2.0 * cost))


class _EdgeCosts:
    """The distance that an edge carries; those of a new cluster from those of its parts."""

    def __init__(self, graph: sp.coo_array, values: np.ndarray, method: str) -> None:
        n = graph.shape[0]
        self.to: list[dict[int, float]] = [{} for _ in range(n)]
        for i, j, value in zip(graph.row.tolist(), graph.col.tolist(), values.tolist(), strict=True):
            self.to[i][j] = value
        self.size = [1] * n
        self.complete = method == "complete"

    def edges(self, one: np.ndarray, others: np.ndarray) -> np.ndarray:
        return np.array([self.to[i][j] for i, j in zip(one.tolist(), others.tolist(), strict=True)])

    def joined(self, a: int, b: int, new: int, neighbors: list[int]) -> list[float]:
        n_a, n_b = self.size[a], self.size[b]
        out: list[float] = []
        for j in neighbors:
            da, db = self.to[a].get(j), self.to[b].get(j)
            if da is not None and db is not None:
                out.append(max(da, db) if self.complete else (n_a * da + n_b * db) / (n_a + n_b))
            else:
                out.append(self.to[a][j] if db is None else db)
            self.to[j][new] = out[-1]
        self.to.append(dict(zip(neighbors, out, strict=True)))
        self.to[a], self.to[b] = {}, {}
        self.size.append(n_a + n_b)
        return out

    def height(self, cost: float) -> float:
        return cost


def _merge(graph: sp.csr_array, costs: _WardCosts | _EdgeCosts, n_merges: int) -> tuple[np.ndarray, np.ndarray]:
    """Take the cheapest edge from a heap; edges of clusters that are gone are passed over when they come up."""
    n = graph.shape[0]
    near = [set(graph.indices[graph.indptr[i] : graph.indptr[i + 1]].tolist()) for i in range(n)]
    coo = graph.tocoo()
    lower = coo.col < coo.row
    i, j = coo.row[lower], coo.col[lower]
    heap = list(zip(costs.edges(i, j).tolist(), i.tolist(), j.tolist(), strict=True))
    heapify(heap)
    alive = [True] * n
    children: list[tuple[int, int]] = []
    heights: list[float] = []
    for new in range(n, n + n_merges):
        cost, b, a = heappop(heap)
        while not (alive[a] and alive[b]):
            cost, b, a = heappop(heap)
        children.append((a, b))
        heights.append(costs.height(cost))
        alive[a] = alive[b] = False
        alive.append(True)
        neighbors = sorted((near[a] | near[b]) - {a, b})
        for node, value in zip(neighbors, costs.joined(a, b, new, neighbors), strict=True):
            near[node] -= {a, b}
            near[node].add(new)
            heappush(heap, (value, new, node))
        near.append(set(neighbors))
        near[a], near[b] = set(), set()
    return np.array(children, dtype=np.intp).reshape(-1, 2), np.array(heights)


def _kruskal(graph: sp.csr_array, distances: PairDistances, n_merges: int) -> tuple[np.ndarray, np.ndarray]:
    """Edges in the order of (distance, i, j); one that joins two clusters is a merge."""
    coo = graph.tocoo()
    upper = coo.row < coo.col
    i, j = coo.row[upper], coo.col[upper]
    value = distances.paired(i, j)
    n = graph.shape[0]
    parent = list(range(2 * n - 1))

    def top(node: int) -> int:
        while parent[node] != node:
            parent[node] = node = parent[parent[node]]
        return node

    children: list[tuple[int, int]] = []
    heights: list[float] = []
    for at in np.lexsort((j, i, value)):
        ends = top(int(i[at])), top(int(j[at]))
        a, b = min(ends), max(ends)
        if a != b and len(children) < n_merges:
            parent[a] = parent[b] = n + len(children)
            children.append((a, b))
            heights.append(float(value[at]))
    return np.array(children, dtype=np.intp).reshape(-1, 2), np.array(heights)
