"""A tree of histogram boosting replayed: its leaf values, and whether a better split was on offer in any node.

Grown best first: of the nodes that may be split, the one whose split gains most is next, until `max_leaves` leaves. So
among the nodes open at any time no leaf has a split on offer that gains more than the node that is split next.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.blocks import F64
from surefit.certificates.rounding import gamma
from surefit.certificates.theorems.boosting.offers import FREE, TINY, Bounds, Node, Rule, best_score, doubt, judged
from surefit.certificates.theorems.trees.nodes import Nodes
from surefit.certificates.theorems.worst import Worst


@dataclass
class Data:
    """Rows by their bins (n, d), with gradients, curvatures and counts in columns, and what g, h may be off by."""

    bins: NDArray
    sums: F64
    dg: F64
    dh: F64

    def node(self, rows: NDArray, bounds: Bounds) -> Node:
        return Node(self.bins[rows], self.sums[rows], float(self.dg[rows].sum()), float(self.dh[rows].sum()), bounds)


def rows_of(nodes: Nodes, bins: NDArray) -> list[NDArray]:
    """The rows of every node; thresholds are numbers of bins."""
    rows: list[NDArray] = [np.zeros(0, dtype=np.intp)] * len(nodes)
    rows[0] = np.arange(len(bins))
    for node in np.flatnonzero(nodes.inner).tolist():
        left = nodes.goes_left(node, bins[rows[node], nodes.feature[node]])
        rows[nodes.left[node]], rows[nodes.right[node]] = rows[node][left], rows[node][~left]
    return rows


@dataclass
class Replay:
    """One tree on its data: the sums of every node, the bounds of its value and the value that it should have."""

    nodes: Nodes
    rule: Rule
    data: Data
    rows: list[NDArray]
    sums: F64 = field(init=False)
    size: F64 = field(init=False)  # Σ |g|
    bounds: list[Bounds] = field(init=False)

    def __post_init__(self) -> None:
        self.sums = np.array([self.data.sums[r].sum(axis=0) for r in self.rows])
        self.size = np.array([np.abs(self.data.sums[r, 0]).sum() for r in self.rows])
        self.bounds = [FREE] * len(self.nodes)
        for node in np.flatnonzero(self.nodes.inner).tolist() if len(self.rule.monotonic) else ():
            low, high = self.bounds[node]
            left, right = int(self.nodes.left[node]), int(self.nodes.right[node])
            self.bounds[left] = self.bounds[right] = (low, high)
            way = self.rule.monotonic[self.nodes.feature[node]]
            if way:
                middle = (self.value(left, node) + self.value(right, node)) / 2
                sides = ((low, middle), (middle, high))
                self.bounds[left], self.bounds[right] = sides if way > 0 else sides[::-1]

    def value(self, node: int, parent: int) -> float:
        """−G / (H + λ), within the bounds that the parent's children have."""
        return float(self.rule.value(self.sums[node, 0], self.sums[node, 1], self.bounds[parent]))

    def parents(self) -> NDArray:
        parent = np.zeros(len(self.nodes), dtype=np.intp)
        inner = np.flatnonzero(self.nodes.inner)
        parent[self.nodes.left[inner]] = parent[self.nodes.right[inner]] = inner
        return parent

    def leaf_values(self, rate: float, worst: Worst) -> None:
        """|v − rate · value| of every leaf relative to rate · Σ|g| / (H + λ): what one row in all is to the sum."""
        parent = self.parents()
        for leaf in np.flatnonzero(~self.nodes.inner).tolist():
            rows, H = self.rows[leaf], self.sums[leaf, 1] + self.rule.l2
            v = self.value(leaf, parent[leaf]) if leaf else self.value(0, 0)
            unit = max(rate * self.size[leaf] / max(H, TINY), TINY)
            own = gamma(len(rows) + 16) * (self.size[leaf] + abs(v) * H)
            off = self.data.dg[rows].sum() + abs(v) * self.data.dh[rows].sum() + 8 * np.finfo(float).eps * abs(v) * H
            worst.see(abs(self.nodes.value[leaf, 0, 0] - rate * v) / unit, own / max(self.size[leaf], TINY),
                      off / max(self.size[leaf], TINY))  # fmt: skip

    def splits(self, worst: Worst, allowed: list[NDArray], max_depth: float, max_leaves: float) -> str | None:
        """Every node's own split against the best on offer, relative to (Σ|g|)² / (H + λ). What is wrong outright."""
        m, depth, parent = len(self.nodes), self.nodes.depth(), self.parents()
        n_leaves = np.count_nonzero(~self.nodes.inner)
        if n_leaves > max_leaves:
            return f"a tree has {n_leaves} leaves, more than the parameters allow"
        full = n_leaves == max_leaves
        scale = np.maximum(self.size**2 / np.maximum(self.sums[:, 1] + self.rule.l2, TINY), TINY)
        gain, own, off = np.full(m, -math.inf), np.zeros(m), np.zeros(m)
        for i in range(m):
            node = self.data.node(self.rows[i], self.bounds[i])
            best, largest = best_score(node, self.rule, allowed[i])
            own[i], off[i] = doubt(node, largest)
            taken = -self.sums[i, 0] * self.value(i, parent[i])  # as a leaf
            if depth[i] < max_depth:
                gain[i] = best - taken
            if self.nodes.inner[i]:
                left = self.sums[self.nodes.left[i]][None, :]
                chosen = judged(node, self.rule, left, self.nodes.feature[[i]], -1.0)[0][0]
                if chosen == -math.inf or self.nodes.feature[i] not in allowed[i] or depth[i] >= max_depth:
                    return f"node {i} is split in a way that the parameters do not allow"
                worst.see(max(0.0, best - chosen) / scale[i], 2 * own[i] / scale[i], 2 * off[i] / scale[i])
                gain[i] = chosen - taken
            elif not full:
                worst.see(max(0.0, gain[i]) / scale[i], 2 * own[i] / scale[i], 2 * off[i] / scale[i])
        open_, inner = {0}, self.nodes.inner
        while full and any(inner[i] for i in open_):  # best first
            i = max((i for i in open_ if inner[i]), key=lambda i: gain[i])
            leaf = max((i for i in open_ if not inner[i]), key=lambda i: gain[i], default=i)
            a, b = (2 * (x[i] + x[leaf]) / scale[0] for x in (own, off))
            worst.see(max(0.0, gain[leaf] - gain[i]) / scale[0], a, b)
            open_ = open_ - {i} | {int(self.nodes.left[i]), int(self.nodes.right[i])}
        return None
