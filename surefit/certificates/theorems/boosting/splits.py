"""Whether the splits of trees were the best on offer, for slopes g and curvatures h of the rows.

With G and H their sums over some rows, the best constant takes G² / (H + λ) from twice their second-order loss. What a
split *gains* is this of its two sides, less that of the node; with curvatures w and slopes −w r, λ = 0, it lowers the
squared error of r by so much. On offer are all cuts between edges of all columns, missing values on either side.

A tree grown best first until it is full opens nodes in falling order of the least gain on their path: so no leaf has a
path, its own best split included, whose least gain is above that of all splits. If it is not full, no leaf gains.
G off by a and H by b moves G² / (H + λ) by 2 |v| a + v² b in first order, v = G / (H + λ): twice that is taken.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.attributes import Attributes, real
from surefit.certificates.blocks import F64
from surefit.certificates.claim import Claim
from surefit.certificates.rounding import gamma
from surefit.certificates.theorems.boosting.steps import TINY, Indices
from surefit.certificates.theorems.boosting.trees import Tree
from surefit.certificates.theorems.worst import Worst

WORK = 1 << 21  # rows × columns of all trees that are looked at; of all nodes of each four times that


class Splits:
    """What was found in the trees that are looked at: spread evenly, as many as the work allows, three at least."""

    def __init__(self, attrs: Attributes, X: NDArray, edges: list[F64], n: int, least: float, n_trees: int) -> None:
        """Shares of rows are of n; a side has the curvature `least`."""
        self.missing = 1 + max(map(len, edges))
        self.places = np.full(X.shape, self.missing, np.min_scalar_type(self.missing))  # how many edges are below
        for j, x in enumerate(X.T):
            self.places[~np.isnan(x), j] = np.searchsorted(edges[j], x[~np.isnan(x)])
        self.chosen = set(np.linspace(0, n_trees - 1, int(np.clip(WORK / X.size, 3, 24))).astype(np.intp).tolist())
        self.missed, read = Worst(), attrs.parameter
        counts: list[Any] = [read("min_samples_leaf", 0), read("min_samples_split", 0)]
        min_count, self.min_split = (math.ceil(c * n) if isinstance(c, float) else real(c) for c in counts)
        self.limits, self.l2 = np.array([least, min_count]), real(read("l2_regularization", 0.0))
        self.max_depth, self.max_leaves = (real(read(name, math.inf)) for name in ("max_depth", "max_leaf_nodes"))
        share, rare = read("max_features", 1.0), ("interaction_cst", "ccp_alpha", "min_impurity_decrease")
        self.own = isinstance(share, int) or share != 1.0 or any(bool(read(name, 0)) for name in rare)

    def see(self, tree: Tree, rows: list[Indices], terms: F64, off: F64, pure: float = 0.0) -> None:
        """in: the rows of each node; by row (n, 3) slopes, curvatures, counts, and (n, 2) what a model has g, h off by;
        the share of its curvature that a leaf need not gain."""
        m, unsure, ours = len(rows), 1e-12 * bool((terms[:, 2] % 1).any()), gamma(len(terms) + 300)
        sums, size, off = (np.array([t[r].sum(axis=0) for r in rows]) for t in (terms, np.abs(terms[:, :2]), off))
        scale = np.maximum(size[:, :1] ** 2 / np.maximum(sums[:, 1:2] + self.l2, TINY), TINY)
        path, depth, error = np.full(m, np.inf), np.zeros(m), np.zeros((m, 2))
        best, gain = np.full(m, -np.inf), np.zeros(m)
        every = 1 + sum(map(len, rows)) * self.places.shape[1] // (4 * WORK)  # of so many nodes one is looked at
        for i, here in enumerate(rows):
            split, ends = tree.left[i] >= 0, depth[i] >= self.max_depth or sums[i, 2] < self.min_split
            slack = np.array([off[i, 1], unsure * self.limits[1]])
            if i % every == 0 and not ends and (split or not self.own):
                columns = tree.feature[[i]] if self.own else np.arange(self.places.shape[1])
                found = [self._gains(left, sums[i], slack) for left in self._offers(here, columns, terms)]
                best[i], v = np.max(found, axis=0)
                error[i] = np.stack([ours * size[i], off[i]]) @ [8 * v, 4 * v**2]  # of this sum, of the model
            if split:
                down = [tree.left[i], tree.right[i]]
                gain[i] = -np.inf if ends else self._gains(sums[down[:1]], sums[i], -slack)[0]
                depth[down], path[down] = depth[i] + 1, min(path[i], gain[i])
        if len(tree.leaves) > self.max_leaves or gain.min() == -np.inf:  # what the parameters do not allow
            self.missed.see(math.inf)
        missed = best - gain
        error[tree.leaves, 1] += pure * sums[tree.leaves, 1]
        if len(tree.leaves) == self.max_leaves:
            missed[tree.leaves] = np.minimum(best, path)[tree.leaves] - gain[tree.inner].min()
            scale[tree.leaves], error[tree.leaves] = scale[0], 2 * error.max(axis=0)
        for i in np.flatnonzero(best > -np.inf).tolist():
            self.missed.see(float(np.maximum(0.0, missed[i]) / scale[i, 0]), *(error[i] / scale[i]).tolist())

    def _gains(self, left: F64, total: F64, slack: F64) -> tuple[float, float]:
        """What splits with left sides (cuts, 3) gain at most, and the largest |v| of a side: where curvature and count
        of both sides are above their limits by the slack; else −∞, and 0."""
        sides = np.stack([left, total - left])
        v = sides[..., 0] / np.maximum(sides[..., 1] + self.l2, TINY)
        allowed = (sides[..., 1:] >= self.limits + slack).all(axis=(0, 2))
        gains = (sides[..., 0] * v).sum(axis=0) - total[0] ** 2 / max(total[1] + self.l2, TINY)
        return float(gains.max(where=allowed, initial=-np.inf)), float(np.abs(v).max(where=allowed, initial=0.0))

    def _offers(self, here: Indices, columns: Indices, terms: F64) -> Iterator[F64]:
        """The sums (cuts, 3) of left sides."""
        for some in np.array_split(columns, 1 + (len(here) * len(columns) >> 19)):
            places = self.places[np.ix_(here, some)]
            order = places.argsort(axis=0, kind="stable")
            places, ordered = np.take_along_axis(places, order, axis=0), terms[here][order]
            left, cuts, missing = ordered.cumsum(axis=0)[:-1], places[:-1] < places[1:], places == self.missing
            yield left[cuts]
            if missing.any():
                yield (left + (ordered * missing[:, :, None]).sum(axis=0))[cuts]

    def midway(self, tree: Tree, rows: list[Indices], X: NDArray, w: F64) -> None:
        """Thresholds are in the middle of the values of positive weight on either side."""
        for i in tree.inner:
            sides = (X[r[w[r] > 0], tree.feature[i]] for r in (rows[tree.left[i]], rows[tree.right[i]]))
            low, high = (float(extreme(x)) for extreme, x in zip((np.max, np.min), sides, strict=True))
            if not abs(tree.threshold[i] - (low / 2 + high / 2)) <= 4 * np.spacing(max(abs(low), abs(high))):
                self.missed.see(math.inf)

    def claim(self, tol: float) -> Claim:
        which = "of the feature taken (what else was open to a node, and why leaves are none, is not told)"
        at = f"At {self.missed.count} nodes of {len(self.chosen)} trees no split {which if self.own else 'on offer'} "
        failure = "A better split was on offer in a node of a tree, or what was taken is not one of these."
        return self.missed.claim("splits", f"{at}gains more; largest relative gain missed.", tol, failure)
