"""A tree of histogram boosting replayed: its leaf values, and whether a better split was on offer in any node.

With G and H the sums of gradients and curvatures of a side and v = −G / (H + λ), clipped to the bounds that monotonic
constraints have left it, a node is split so that −G v of the left side plus that of the right one is largest: without
bounds twice what the best constants take from the second-order loss. Rows are given by their bins, in the order of
values, NaN for a missing one; or by categories: those with enough weight in the order of G / (H + 10), the first ones
from either end, to the middle, go left.

Grown best first: of the nodes that may be split, the one whose split gains most is next, until `max_leaves` leaves. So
among the nodes open at any time no leaf has a split on offer that gains more than the node that is split next.

Rounding: a side's G off by a and H by b moves −G v by at most 2 |v| a + v² b in first order: twice that is taken.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.blocks import F64
from surefit.certificates.rounding import UNIT, gamma
from surefit.certificates.theorems.trees.nodes import Nodes
from surefit.certificates.theorems.trees.replay import best_first
from surefit.certificates.theorems.worst import Worst

TINY = float(np.finfo(float).tiny)
SUPPORT = 10.0  # categories of less weight are not ordered, and go right; also added to H in the order


@dataclass
class Rule:
    """What a node may be split by."""

    min_count: float  # of a side
    min_curvature: float
    l2: float
    monotonic: NDArray  # by feature: 1, 0, −1
    by_sets: NDArray
    drawn: bool  # which features are open to a node is not told: it is held against its own
    max_depth: float
    max_leaves: float

    def value(self, G: F64, H: F64, bounds: F64) -> F64:
        return np.clip(np.where(H + self.l2 > 0, -G / np.maximum(H + self.l2, TINY), 0.0), *bounds)


class Replay:
    """One tree on rows by their bins (n, d); columns of gradients, curvatures, counts; what g and h may be off by."""

    def __init__(self, nodes: Nodes, rule: Rule, bins: NDArray, terms: F64, off: F64) -> None:
        self.nodes, self.rule, self.bins, self.terms = nodes, rule, bins, terms
        self.rows, inner = [np.arange(len(bins))] * len(nodes), np.flatnonzero(nodes.inner).tolist()
        for i in inner:
            left = nodes.goes_left(i, bins[self.rows[i], nodes.feature[i]])
            self.rows[nodes.left[i]], self.rows[nodes.right[i]] = self.rows[i][left], self.rows[i][~left]
        self.sums, size, off = (np.array([t[r].sum(axis=0) for r in self.rows])
                                for t in (terms, np.abs(terms[:, :2]), off))  # fmt: skip
        counts = np.array([gamma(len(r) + 300) for r in self.rows])[:, None]
        self.sizes, self.doubt = size[:, 0], np.stack([counts * size, off], axis=1)  # the checker's, the model's
        self.count_doubt = 1e-12 * bool((terms[:, 2] % 1).any())  # relative; whole numbers add up exactly
        self.bounds = np.tile([-math.inf, math.inf], (len(nodes), 1))  # those of its children's values
        self.values = np.full(len(nodes), rule.value(self.sums[0, 0], self.sums[0, 1], self.bounds[0]))
        for i in inner:
            pair, way = [nodes.left[i], nodes.right[i]], rule.monotonic[nodes.feature[i]]
            self.values[pair] = rule.value(self.sums[pair, 0], self.sums[pair, 1], self.bounds[i])
            self.bounds[pair] = self.bounds[i]
            if way:
                self.bounds[pair, [1, 0] if way > 0 else [0, 1]] = self.values[pair].mean()

    def leaf_values(self, rate: float, worst: Worst) -> None:
        """|v − rate · value| of every leaf relative to rate · Σ|g| / (H + λ): what one row in all is to the sum.

        A tree without a split takes no step.
        """
        if len(self.nodes) == 1:
            return worst.see(float(self.nodes.value[0, 0, 0] != 0.0))
        for leaf in np.flatnonzero(~self.nodes.inner):
            H, v, size = self.sums[leaf, 1] + self.rule.l2, self.values[leaf], max(self.sizes[leaf], TINY)
            own, off = (dG + abs(v) * dH for dG, dH in self.doubt[leaf])
            unit, off = max(rate * size / max(H, TINY), TINY), off + 16 * UNIT * abs(v) * H
            worst.see(abs(self.nodes.value[leaf, 0, 0] - rate * v) / unit, own / size, off / size)

    def splits(self, worst: Worst) -> list[str]:
        """Every node's own split against the best on offer, relative to (Σ|g|)² / (H + λ). What is wrong outright."""
        nodes, rule, inner, m = self.nodes, self.rule, self.nodes.inner, len(self.nodes)
        depth, n_leaves, every = np.zeros(m), np.count_nonzero(~inner), np.arange(self.bins.shape[1])
        scale = np.maximum(self.sizes**2 / np.maximum(self.sums[:, 1] + rule.l2, TINY), TINY)
        gain, doubt = np.full(m, -math.inf), np.zeros((m, 2))
        if n_leaves > rule.max_leaves:
            return [f"a tree has {n_leaves} leaves, more than the parameters allow"]
        for i in np.flatnonzero(inner).tolist():
            depth[[nodes.left[i], nodes.right[i]]] = depth[i] + 1
        for i in range(m):
            open_ = nodes.feature[[i]][: int(inner[i])] if rule.drawn else every
            best, largest = self._best(i, open_ if depth[i] < rule.max_depth else every[:0])
            own, as_leaf = best, -self.sums[i, 0] * self.values[i]
            if inner[i]:
                own = float(self._judged(i, nodes.feature[i], self.sums[nodes.left[i]], -1.0)[0])
                if own == -math.inf or depth[i] >= rule.max_depth:
                    return [f"node {i} is split in a way that the parameters do not allow"]
            gain[i], doubt[i] = own - as_leaf, self.doubt[i] @ [4 * largest, 2 * largest**2]
            missed = max(0.0, best - own if inner[i] else gain[i] if n_leaves < rule.max_leaves else 0.0)
            worst.see(missed / scale[i], *(2 * doubt[i] / scale[i] if missed or inner[i] else (0.0, 0.0)))
        for i, leaf in best_first(nodes, gain) if n_leaves == rule.max_leaves else ():
            worst.see(max(0.0, gain[leaf] - gain[i]) / scale[0], *(2 * (doubt[i] + doubt[leaf]) / scale[0]))
        return []

    def _best(self, i: int, features: NDArray) -> tuple[float, float]:
        """The largest score of the splits that are surely allowed (−inf without one), and the largest |v|."""
        best, largest, rows, sets = -math.inf, 0.0, self.rows[i], self.rule.by_sets[features]
        step, numbers = max(1, (1 << 20) // max(len(rows), 256)), features[~sets]
        for some in [*(numbers[k : k + step] for k in range(0, len(numbers), step)), *features[sets][:, None]]:
            bins = self.bins[np.ix_(rows, some)]
            width = int(np.nanmax(bins, initial=-1.0)) + 2  # the last place is for missing values
            places = np.where(np.isnan(bins), width - 1, bins).astype(np.intp) + width * np.arange(len(some))
            weights = (np.repeat(t, len(some)) for t in self.terms[rows].T)
            table = [np.bincount(places.ravel(), weights=w, minlength=width * len(some)) for w in weights]
            sums = np.stack(table, axis=1).reshape(len(some), width, 3)
            for left in self._prefixes(sums[0]) if self.rule.by_sets[some[0]] else _cuts(sums):
                score, size = self._judged(i, some[:, None], left, 1.0)
                best, largest = max(best, float(score.max(initial=-math.inf))), max(largest, size)
        return best, largest

    def _judged(self, i: int, j: NDArray, left: F64, sure: float) -> tuple[F64, float]:
        """−G v of both sides for left sides (…, 3) of splits by features j, −inf if not allowed; the largest |v|.

        `sure` = 1: a side whose sums are too small by no more than they may be off is not allowed; −1: it is.
        """
        rule, right = self.rule, self.sums[i] - left
        least = np.minimum(left, right)
        ok = least[..., 1] >= rule.min_curvature + sure * self.doubt[i, 1, 1]
        ok &= least[..., 2] >= rule.min_count * (1 + sure * self.count_doubt)
        low, high = (rule.value(s[..., 0], s[..., 1], self.bounds[i]) for s in (left, right))
        ok &= rule.monotonic[j] * (high - low) >= 0
        size = float(np.where(ok, np.maximum(np.abs(low), np.abs(high)), 0.0).max(initial=0.0))
        return np.where(ok, -left[..., 0] * low - right[..., 0] * high, -math.inf), size

    def _prefixes(self, sums: F64) -> Iterator[F64]:
        """Where rounding decides whether a category has enough weight, what is on offer is not sure: none is."""
        weight = sums[:, 1] * sums[:, 2].sum() / max(sums[:, 1].sum(), TINY)
        if not (np.abs(weight - SUPPORT) < 1e-6 * SUPPORT).any():
            used = sums[weight >= SUPPORT]
            used = used[np.argsort(used[:, 0] / (used[:, 1] + SUPPORT), kind="stable")]
            half = (len(used) + 1) // 2 if len(used) > 1 else 0
            yield np.cumsum(used[:half], axis=0)[None]
            yield np.cumsum(used[::-1][: max(half - 1, 0)], axis=0)[None]


def _cuts(sums: F64) -> Iterator[F64]:
    """Missing values on the right, then on the left."""
    before = np.cumsum(sums[:, :-1], axis=1)
    yield before
    if sums[:, -1].any():
        yield before + sums[:, -1:]
