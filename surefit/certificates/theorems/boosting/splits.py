"""Whether the splits of trees were the best on offer, for slopes g and curvatures h of the rows.

With G and H their sums over some rows, the best constant takes G² / (H + λ) from twice their second-order loss. What a
split *gains* is this of its left side, plus that of its right one, less that of the node. (With curvatures w and slopes
−w r, λ = 0, it lowers the squared error of r by so much.) Rows are given by their places in the order of a column, of
bins or of values, NaN for a missing one, which may go to either side; or by categories: those with enough weight in the
order of G / (H + 10), the first ones from either end, to the middle, go left.

A leaf that may be split has no split on offer that gains anything. A tree that was grown best first, until it had as
many leaves as it may, has split of the nodes open at a time the one that gains most: no leaf open then gains more.

Rounding: a side's G off by a and H by b moves G² / (H + λ) by at most 2 |v| a + v² b in first order, v = G / (H + λ):
twice that is taken.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.attributes import Attributes, real
from surefit.certificates.blocks import F64
from surefit.certificates.claim import Claim, refuted
from surefit.certificates.rounding import gamma
from surefit.certificates.theorems.boosting.steps import TINY, Indices
from surefit.certificates.theorems.boosting.trees import Tree
from surefit.certificates.theorems.worst import Worst

WORK = 1 << 23  # rows × columns of all trees that are looked at; places × columns × nodes in each, twice that
SUPPORT = 10.0  # categories of less weight are not ordered, and go right; also added to H in the order


def looked_at(n_trees: int, size: int) -> list[int]:
    """Trees spread evenly, the first and the last with them: as many as the work allows, three at least."""
    return np.linspace(0, n_trees - 1, int(np.clip(WORK / size, 3, 24))).astype(np.intp).tolist()


class Splits:
    """What was found in the trees that were looked at. Places (n, d) of rows and columns of categories are the same."""

    def __init__(self, attrs: Attributes, places: NDArray, by_sets: Any, n: int, least: float, pure: float) -> None:
        """Shares of rows are of n; a side has the curvature `least`; a leaf may end where splits gain less than the
        share `pure` of its curvature."""
        self.places, self.by_sets, self.least, self.pure = places, by_sets, least, pure
        self.missed, self.n_trees, self.faults = Worst(), 0, list[str]()
        read: Any = attrs.parameter
        self.width = int(np.nanmax(places, initial=-1.0)) + 2  # the last place is for missing values
        counts: list[Any] = [read("min_samples_leaf", 0), read("min_samples_split", 0)]
        self.min_count, self.min_split = (math.ceil(c * n) if isinstance(c, float) else real(c) for c in counts)
        self.l2, self.max_depth = real(read("l2_regularization", 0.0)), real(read("max_depth", math.inf))
        self.max_leaves, most = real(read("max_leaf_nodes", math.inf)), read("max_features", 1.0)
        self.drawn = not isinstance(most, float) or most < 1 or attrs.has("interaction_cst")
        self.cut_back = any(real(read(name, 0.0)) > 0 for name in ("ccp_alpha", "min_impurity_decrease"))

    def see(self, tree: Tree, rows: list[Indices], terms: F64, off: F64) -> None:
        """The rows of each node; by row (n, 3) slopes, curvatures, counts, and (n, 2) what a model has g, h off by."""
        m, inner, leaves, self.n_trees = len(rows), tree.inner, tree.leaves, self.n_trees + 1
        sums, size, off = (np.array([t[r].sum(axis=0) for r in rows]) for t in (terms, np.abs(terms[:, :2]), off))
        doubt = np.stack([gamma(len(terms) + 300) * size, off], axis=1)  # of the checker's own sums, of the model's
        scale = np.where(size[:, 0] == 0, 1.0, size[:, 0] ** 2 / np.maximum(sums[:, 1] + self.l2, TINY))
        scale[(scale < 1e-280) | (scale > 1e280)] = np.nan  # squares are lost
        depth, best, gain, error = np.zeros(m), np.full(m, -np.inf), np.zeros(m), np.zeros((m, 2))
        every = 1 + m * self.width * self.places.shape[1] // (2 * WORK)  # of so many nodes one is looked at
        exact = 1e-12 * bool((terms[:, 2] % 1).any())  # whole numbers add up without rounding
        for i, here in enumerate(rows):
            split, ends = tree.left[i] >= 0, depth[i] >= self.max_depth or sums[i, 2] < self.min_split
            features = tree.feature[[i]] if self.drawn else np.arange(self.places.shape[1])
            if not ends and i % every == 0 and (split or not (self.drawn or self.cut_back)):
                found = [self._gains(left, sums[i], off[i, 1], exact) for left in self._offers(here, features, terms)]
                best[i], v = np.max(found, axis=0)
                error[i] = doubt[i] @ [8 * v, 4 * v**2]
            if split:
                children = [tree.left[i], tree.right[i]]
                gain[i], _ = self._gains(sums[children[0]], sums[i], -off[i, 1], -exact)
                depth[children] = depth[i] + 1
                if ends or gain[i] == -np.inf:
                    self.faults.append(f"Node {i} is split in a way that the parameters do not allow.")
        error[leaves, 1] += self.pure * sums[leaves, 1]
        if len(leaves) > self.max_leaves:
            self.faults.append(f"A tree has {len(leaves)} leaves, more than the parameters allow.")
        elif len(leaves) == self.max_leaves:
            is_open, short = np.arange(m) == 0, np.zeros(1)
            for _ in inner:
                i = int(np.where(is_open & (tree.left >= 0), gain, -np.inf).argmax())
                short = np.append(short, best[is_open & (tree.left < 0)] - gain[i])
                is_open[[i, tree.left[i], tree.right[i]]] = False, True, True
            self.missed.see(float(short.max() / scale[0]), *(2 * error.max(axis=0) / scale[0]).tolist())
            best[leaves] = -np.inf
        for i in np.flatnonzero(best != -np.inf).tolist():
            self.missed.see(float(np.maximum(0.0, best[i] - gain[i]) / scale[i]), *(error[i] / scale[i]).tolist())

    def _gains(self, left: F64, total: F64, off: float, exact: float) -> tuple[float, float]:
        """What splits with left sides (…, 3) gain at most, −∞ if none is allowed, and the largest |v| of a side.

        A side is allowed if its curvature is above its limit by `off`, its count by the share `exact`.
        """
        sides = np.stack([left, total - left])
        v = sides[..., 0] / np.maximum(sides[..., 1] + self.l2, TINY)
        heavy = (sides[..., 2] >= self.min_count * (1 + exact)) & (sides[..., 1] >= self.least + off)
        enough = np.asarray(heavy.all(axis=0))
        gains = (sides[..., 0] * v).sum(axis=0) - total[0] ** 2 / max(total[1] + self.l2, TINY)
        return float(gains.max(where=enough, initial=-np.inf)), float(np.abs(v).max(where=enough, initial=0.0))

    def _offers(self, rows: Indices, features: Indices, terms: F64) -> Iterator[F64]:
        """The sums (columns, cuts, 3) of left sides."""
        width, by_sets = self.width, self.by_sets[features]
        parts = 1 + (max(len(rows), width) * len(features) >> 21)
        for some in [*np.array_split(features[~by_sets], parts), *features[by_sets][:, None]]:
            places = self.places[np.ix_(rows, some)]
            places = np.where(np.isnan(places), width - 1, places).astype(np.intp) + width * np.arange(len(some))
            sums = [np.bincount(places.ravel(), np.repeat(t, len(some)), width * len(some)) for t in terms[rows].T]
            table = np.stack(sums, axis=1).reshape(len(some), width, 3)
            if self.by_sets[some].any():
                yield from _of_categories(table[0])
            else:
                yield np.cumsum(table[:, :-1], axis=1)
                yield np.cumsum(table[:, :-1], axis=1) + table[:, -1:]

    def midway(self, tree: Tree, rows: list[Indices], X: NDArray, w: F64) -> None:
        """Thresholds are in the middle of the values of positive weight on either side."""
        for i in tree.inner:
            sides = (r[w[r] > 0] for r in (rows[tree.left[i]], rows[tree.right[i]]))
            low, high = (X[side, tree.feature[i]].astype(np.float64) for side in sides)
            low, high = low.max(), high.min()
            if not abs(tree.threshold[i] - (low / 2 + high / 2)) <= 4 * np.spacing(max(abs(low), abs(high))):
                self.faults.append(f"The threshold of node {i} is not midway between the values on either side.")

    def claim(self, tol: float, what: str) -> Claim:
        which = "of the feature taken (which ones were open to a node is not told)" if self.drawn else what
        which += " (which leaves were cut back is not checked)" if self.cut_back else ""
        at = f"At {self.missed.count} nodes of {self.n_trees} trees"
        sentence = f"{at} no split {which} gains more; largest relative gain missed."
        claim = self.missed.claim("splits", sentence, tol, "A better split was on offer in a node of a tree.")
        return refuted("splits", self.faults[0]) if self.faults else claim


def _of_categories(sums: F64) -> Iterator[F64]:
    """Where rounding decides whether a category has enough weight, what is on offer is not sure: none is."""
    weight = sums[:, 1] * sums[:, 2].sum() / max(sums[:, 1].sum(), TINY)
    used = sums[weight >= SUPPORT]
    used = used[np.argsort(used[:, 0] / (used[:, 1] + SUPPORT), kind="stable")]
    sure = not (np.abs(weight - SUPPORT) < 1e-6 * SUPPORT).any()
    half = (len(used) + 1) // 2 if len(used) > 1 and sure else 0
    yield np.cumsum(used[:half], axis=0)[None]
    yield np.cumsum(used[::-1][: max(half - 1, 0)], axis=0)[None]
