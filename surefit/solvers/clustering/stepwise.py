"""Step-wise optimal agglomeration: from a clustering, merge the pair that leaves the lowest cost, again and again.

A cost is described by what it needs to know of k clusters and of pairs of them, so that a step costs O(k):

    kmeans    Σ_c Σ_{i∈c} ‖xᵢ − μ_c‖²                    a merge adds |A||B|/(|A|+|B|) ‖μ_A − μ_B‖²
    within    Σ_c 1/(2|c|) Σ_{i,j∈c} d(i, j)             from the sums of distances S_AB = Σ_{i∈A, j∈B} d(i, j)
    between   Σ_c Σ_{i∈c, j∉c} s(i, j)                   a merge takes off 2 Σ_{i∈A, j∈B} s(i, j)

Of pairs that leave the same cost the first in the order of the clusters' places is merged; a merged cluster takes the
place of the first of its parts.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Protocol

import numpy as np

from surefit._core.memory import refuse_beyond_memory


class Cost(Protocol):
    """What a cost function knows about the clusters that are left."""

    def rises(self, a: int) -> np.ndarray:
        """By how much the cost changes when cluster a merges with each of the k first clusters (itself: anything)."""

    def merge(self, a: int, b: int) -> None:
        """Cluster b becomes part of a."""

    def total(self, alive: np.ndarray) -> float:
        """The cost of the clusters that are left."""


class CenterCost:
    """Squared distances to the means."""

    def __init__(self, X: np.ndarray, codes: np.ndarray, k: int) -> None:
        X = np.asarray(X, dtype=np.float64)
        X = X - X.mean(axis=0)
        self.size = np.bincount(codes, minlength=k).astype(np.float64)
        self.mean = np.stack([np.bincount(codes, column, k) for column in X.T], axis=1) / self.size[:, None]
        spread = ((X - self.mean[codes]) ** 2).sum(axis=1)
        self.cost = np.bincount(codes, spread, k)

    def rises(self, a: int) -> np.ndarray:
        share = self.size[a] * self.size / (self.size[a] + self.size)
        return share * ((self.mean - self.mean[a]) ** 2).sum(axis=1)

    def merge(self, a: int, b: int) -> None:
        self.cost[a] += self.cost[b] + self.rises(a)[b]
        self.mean[a] += (self.mean[b] - self.mean[a]) * (self.size[b] / (self.size[a] + self.size[b]))
        self.size[a] += self.size[b]

    def total(self, alive: np.ndarray) -> float:
        return math.fsum(self.cost[alive])


class PairCost:
    """Sums of a quantity over pairs of rows: S[A, B] over i in A, j in B."""

    def __init__(self, sums: np.ndarray, size: np.ndarray) -> None:
        self.sums, self.size = sums, size.astype(np.float64)

    def merge(self, a: int, b: int) -> None:
        self.sums[a] += self.sums[b]
        self.sums[:, a] += self.sums[:, b]
        self.size[a] += self.size[b]


class WithinCost(PairCost):
    """Distances inside clusters."""

    def rises(self, a: int) -> np.ndarray:
        own = np.diagonal(self.sums)
        joint = (own[a] + own + 2 * self.sums[a]) / (2 * (self.size[a] + self.size))
        return joint - own[a] / (2 * self.size[a]) - own / (2 * self.size)

    def total(self, alive: np.ndarray) -> float:
        return math.fsum(np.diagonal(self.sums)[alive] / (2 * self.size[alive]))


class BetweenCost(PairCost):
    """Similarities across clusters."""

    def rises(self, a: int) -> np.ndarray:
        return -2.0 * self.sums[a]

    def total(self, alive: np.ndarray) -> float:
        left = self.sums[np.ix_(alive, alive)]
        return math.fsum(left[~np.eye(len(left), dtype=bool)])


def pair_sums(block: Callable[[slice], np.ndarray], codes: np.ndarray, k: int) -> np.ndarray:
    """S[A, B] from blocks of rows of the n×n matrix, one after another."""
    n = len(codes)
    refuse_pairs(k)
    sums = np.zeros((k, k))
    step = max(1, 2**22 // n)
    order = np.argsort(codes, kind="stable")
    starts = np.searchsorted(codes[order], np.arange(k))
    for lo in range(0, n, step):
        rows = slice(lo, min(lo + step, n))
        to_clusters = np.add.reduceat(block(rows)[:, order], starts, axis=1)
        np.add.at(sums, codes[rows], to_clusters)
    return (sums + sums.T) / 2


def refuse_pairs(k: int) -> None:
    refuse_beyond_memory(
        16.0 * k * k,
        f"The costs of all pairs of {k:,} clusters",
        "Begin with fewer clusters (initial_labels of KMeans).",
    )


def agglomerate(cost: Cost, k: int, n_clusters: int) -> tuple[np.ndarray, np.ndarray]:
    """(merges, costs): names of the two clusters of each merge, and the cost before the first and after each.

    The best partner after its own place is kept for every cluster; a merge changes one row and one column of the
    table of rises, and only clusters whose best partner took part look for another.
    """
    refuse_pairs(k)
    table = np.stack([cost.rises(a) for a in range(k)]) if k > 1 else np.zeros((1, 1))
    table[np.tril_indices(k)] = np.inf
    best = table.argmin(axis=1)
    least = table[np.arange(k), best]
    alive = np.arange(k)
    names = np.arange(k)
    merges, costs = [], [cost.total(alive)]
    for new in range(k, 2 * k - n_clusters):
        a = int(alive[np.argmin(least[alive])])
        b = int(best[a])
        merges.append((min(names[a], names[b]), max(names[a], names[b])))
        cost.merge(a, b)
        names[a] = new
        alive = alive[alive != b]
        table[b], table[:, b], least[b] = np.inf, np.inf, np.inf
        rises = cost.rises(a)
        before, after = alive[alive < a], alive[alive > a]
        table[a, after], table[before, a] = rises[after], rises[before]
        stale = np.append(before[(best[before] == a) | (best[before] == b)], a)
        stale = np.append(stale, alive[(alive > a) & (best[alive] == b)])
        best[stale] = table[stale].argmin(axis=1)
        least[stale] = table[stale, best[stale]]
        nearer = before[(rises[before] < least[before]) | ((rises[before] == least[before]) & (a < best[before]))]
        best[nearer], least[nearer] = a, rises[nearer]
        costs.append(cost.total(alive))
    return np.array(merges, dtype=np.intp).reshape(-1, 2), np.array(costs)


def agglomerate_by_function(
    cost: Callable[[np.ndarray], float], codes: np.ndarray, k: int, n_clusters: int
) -> tuple[np.ndarray, np.ndarray]:
    """The same for any cost of an assignment of rows: every pair of every step is tried, O(k²) calls each."""
    names = codes.copy()
    merges, costs = [], [float(cost(names))]
    for new in range(k, 2 * k - n_clusters):
        left = np.unique(names)
        best: tuple[float, int, int] | None = None
        for i, a in enumerate(left):
            for b in left[i + 1 :]:
                value = float(cost(np.where(names == b, a, names)))
                if best is None or value < best[0]:
                    best = (value, int(a), int(b))
        assert best is not None, "two clusters are left"
        value, a, b = best
        names[(names == a) | (names == b)] = new
        merges.append((a, b))
        costs.append(value)
    return np.array(merges, dtype=np.intp).reshape(-1, 2), np.array(costs)


def names_after(codes: np.ndarray, merges: np.ndarray, k: int, n_merges: int) -> np.ndarray:
    """The name of the cluster of each row after the first n_merges merges."""
    name = np.arange(k + n_merges)
    for t in range(n_merges - 1, -1, -1):
        name[merges[t]] = name[k + t]
    return name[codes]
