"""The rows at one place of a tree that grows: whether it ends there, and the splits that it has on offer.

A split is a cut of a column: between two values of a feature, all missing values before or behind the others; of ranks
of categories; of the two sides of a threshold that was drawn. It is admissible where both sides have `min_rows` rows,
the weight `min_weight`, for Poisson a positive sum, and, for a feature with a monotonic constraint, means in order and
within the bounds that the splits above have set. What a rounding decides is not offered: it is left to the model.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.blocks import F64
from surefit.certificates.theorems.trees.categories import ordered
from surefit.certificates.theorems.trees.criteria import Node, node_of
from surefit.certificates.theorems.trees.draws import candidates, child_key, drawn_threshold
from surefit.certificates.theorems.trees.growth import Growth

EQUAL = 1e-12  # weights, means and decreases that differ by this share are not told from each other
ENTRIES = 1 << 22  # numbers worked on at once


@dataclass
class Place:
    """X (m, d) with NaN for missing, Y (m, outputs), w > 0, and what the place says."""

    growth: Growth
    X: F64
    Y: F64
    w: F64
    key: Any
    depth: int = 0
    bounds: tuple[float, float] = (-np.inf, np.inf)  # of values
    above: float = 0.0  # the gross rounding of the parent

    @cached_property
    def node(self) -> Node:
        return node_of(self.growth.criterion, self.Y, self.w, self.growth.n_classes)

    @property
    def value(self) -> F64:
        """What the node says: within its bounds the mean, or the share of the second of two classes."""
        share = np.clip(self.node.value[0, -1], *self.bounds)
        if not np.isfinite(self.bounds).any():
            return self.node.value
        return np.array([[1 - share, share]]) if self.growth.n_classes else np.array([[share]])

    def children(self, left: NDArray[np.bool_], j: int) -> list[Place]:
        """Both sides of a split by feature j; a constraint keeps values on their side of the middle of both means."""
        below, sign = (self.depth + 1, self.bounds, self.node.gross), self.growth.monotonic[j]
        sides = [Place(self.growth, self.X[s], self.Y[s], self.w[s], child_key(self.key, right), *below)
                 for s, right in ((left, False), (~left, True))]  # fmt: skip
        if sign:
            middle, ordered_sides = sum(float(side.node.value[0, -1]) for side in sides) / 2, sides[::sign]
            ordered_sides[0].bounds, ordered_sides[1].bounds = (self.bounds[0], middle), (middle, self.bounds[1])
        return sides

    def ends(self) -> bool:
        """A parameter, or its purity, makes the place a leaf."""
        g, node = self.growth, self.node
        light = node.weight < 2 * g.min_weight * (1 + EQUAL)
        pure = node.loss <= max(2.0**-52 * node.weight if g.theirs else 0.0, node.noise)
        return bool(self.depth >= g.max_depth or len(self.w) < g.min_split or light or pure)

    def candidates(self) -> NDArray[np.intp]:
        """The features looked at, in this order; of draws that are not seen, all that vary."""
        gaps = np.isnan(self.X)
        low, high = np.where(gaps, np.inf, self.X).min(axis=0), np.where(gaps, -np.inf, self.X).max(axis=0)
        varies = (low < high) | ((low == high) & gaps.any(axis=0))
        return candidates(self.key, varies, self.growth.max_features if self.growth.seen else len(varies))

    def best(self, features: NDArray[np.intp]) -> F64:
        """By feature the largest decrease on offer, −∞ for none."""
        V, owner = self._columns(features)
        gaps, top = np.isnan(V), np.full(len(features), -np.inf)
        again = gaps.any(axis=0)
        columns = np.hstack([np.where(gaps, np.inf, V), np.where(gaps, -np.inf, V)[:, again]])
        owner, step = np.concatenate([owner, owner[again]]), max(1, ENTRIES // self.node.terms.size)
        for some in (slice(k, k + step) for k in range(0, len(owner), step)):
            lowers, margin = self.judged(columns[:, some], features[owner[some]])
            sure = np.where(margin > EQUAL, lowers, -np.inf)
            np.maximum.at(top, owner[some], sure.max(axis=0, initial=-np.inf))
        return top

    def _columns(self, features: NDArray[np.intp]) -> tuple[F64, NDArray[np.intp]]:
        """The columns to cut, and the place of the feature of each."""
        g, X, parts = self.growth, self.X[:, features], list[F64]()
        if not g.drawn and not g.categorical[features].any():
            return X, np.arange(len(features))
        for j, x in zip(features.tolist(), X.T, strict=True):
            part = x[:, None]
            if g.categorical[j]:
                part = ordered(x, self.Y, self.w, g.criterion, g.n_classes)
            elif g.drawn:
                under = x <= drawn_threshold(self.key, j, float(np.nanmin(x)), float(np.nanmax(x)))
                part = np.where(np.isnan(x), x, np.where(under, x[under].max(), np.inf))[:, None]
            parts.append(part)
        return np.hstack(parts), np.repeat(np.arange(len(parts)), [part.shape[1] for part in parts])

    def judged(self, columns: F64, feature: NDArray[np.intp]) -> tuple[F64, F64]:
        """Of each cut after a row in the order of a column: what it lowers the loss by, and its margin.

        The margin is how far a cut is from breaking a rule: surely admissible above EQUAL, surely not below −EQUAL.
        """
        g, m, order = self.growth, len(columns), np.argsort(columns, axis=0, kind="stable")
        before, after, lowers = self.node.cut(order)
        values, rows = np.take_along_axis(columns, order, axis=0), np.arange(1, m)[:, None]
        same = values[:-1]
        if g.theirs:  # in float32
            same = (same.astype(np.float32) + np.float32(1e-7)).astype(np.float64)
        margin = np.where((values[1:] > same) & (values[:-1] > -np.inf), 1.0, -np.inf)
        margin = np.minimum(margin, np.minimum(rows, m - rows) - g.min_rows + 0.5)
        if g.min_weight > 0:
            share = np.minimum(before[..., 0], after[..., 0]) / self.node.terms[:, 0].sum()
            margin = np.minimum(margin, share - g.min_weight / self.node.weight)
        left, right = (self.node.level[0] + self.node.level[1] * S[..., -1] / S[..., 0] for S in (before, after))
        if g.criterion == "poisson":
            margin = np.where((left > 0) & (right > 0), margin, -np.inf)
        if g.monotonic[feature].any():
            up, unit = g.monotonic[feature], max(float(np.abs(self.Y).max()), 1e-300)
            low, high = np.where(up > 0, left, right), np.where(up > 0, right, left)
            inside = np.minimum(np.minimum(low - self.bounds[0], self.bounds[1] - high), high - low) / unit
            margin = np.where(up == 0, margin, np.minimum(margin, inside))
        return lowers, margin
