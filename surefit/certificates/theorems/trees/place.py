"""The rows at one place of a tree that grows: whether it ends there, and the splits that it has on offer.

A split is a cut of a column: between two values of a feature, all missing values before or behind the others; of ranks
of categories; of the two sides of a threshold that was drawn. It is admissible where both sides have `min_rows` rows,
the weight `min_weight`, for Poisson a positive sum, and, for a feature with a monotonic constraint, means in order and
within the bounds that the splits above have set. What a rounding decides is not offered: it is left to the model.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.blocks import F64
from surefit.certificates.theorems.trees.categories import ordered
from surefit.certificates.theorems.trees.criteria import Node, node_of
from surefit.certificates.theorems.trees.draws import candidates, child_key, drawn_threshold, turn
from surefit.certificates.theorems.trees.growth import Growth

EQUAL = 1e-12  # weights, means and decreases that differ by this share are not told from each other
ENTRIES = 1 << 22  # numbers worked on at once


class Cuts(NamedTuple):
    """Cut [i, c] is after row i of the rows in the order of column c."""

    columns: F64
    feature: NDArray[np.intp]
    missing_left: NDArray[np.bool_]
    below: F64  # the value before the cut
    lowers: F64  # what it lowers the loss by; −∞ where it is not surely admissible
    raw: F64  # what it lowers the loss by, admissible or not
    margin: F64  # how far it is from breaking a rule: below −EQUAL it does
    guess: bool  # some subsets of categories were not compared

    def best(self, features: NDArray[np.intp]) -> F64:
        """The largest decrease by feature."""
        top = self.lowers.max(axis=0, initial=-np.inf)
        return np.array([top[self.feature == j].max(initial=-np.inf) for j in features])


@dataclass(frozen=True)
class Place:
    """X (m, d) with NaN for missing, Y (m, outputs), w > 0, and what the place says: key, depth, bounds of values."""

    growth: Growth
    X: F64
    Y: F64
    w: F64
    key: int
    depth: int = 0
    bounds: tuple[float, float] = (-np.inf, np.inf)

    @cached_property
    def node(self) -> Node:
        return node_of(self.growth.criterion, self.Y, self.w, self.growth.n_classes)

    def child(self, left: NDArray[np.bool_], j: int, right: bool) -> Place:
        """One side of a split by feature j; with a constraint values stay on their side of the middle of both means."""
        side, bounds, signs = ~left if right else left, self.bounds, self.growth.monotonic
        if signs is not None and signs[j]:
            level = self.Y[:, 0] == 1 if self.growth.n_classes else self.Y[:, 0]
            middle = float(sum(self.w[s] @ level[s] / self.w[s].sum() for s in (left, ~left)) / 2)
            bounds = (middle, bounds[1]) if right == (signs[j] > 0) else (bounds[0], middle)
        rows = (self.X[side], self.Y[side], self.w[side])
        return Place(self.growth, *rows, child_key(self.key, right), self.depth + 1, bounds)

    def ends(self) -> bool:
        """A parameter, or its purity, makes the place a leaf."""
        g, node = self.growth, self.node
        light = node.weight < 2 * g.min_weight * (1 + EQUAL)
        pure = node.loss <= max(2.0**-52 * node.weight if g.theirs else 0.0, node.noise)
        return bool(self.depth >= g.max_depth or len(self.w) < g.min_split or light or pure)

    def candidates(self, seen: bool = True) -> NDArray[np.intp]:
        """The features looked at; of draws that are not seen, all that vary."""
        gaps = np.isnan(self.X)
        low, high = np.where(gaps, np.inf, self.X).min(axis=0), np.where(gaps, -np.inf, self.X).max(axis=0)
        varies = (low < high) | ((low == high) & gaps.any(axis=0))
        return candidates(self.key, varies, self.growth.max_features if seen else len(varies))

    def cuts(self, features: NDArray[np.intp], left: NDArray[np.bool_] | None = None, own: int = 0) -> Cuts:
        """All splits by the features; at last, if `left` is given, the one of it and the others by the feature own."""
        V, feature, guess = self._columns(features)
        gaps = np.isnan(V)
        again, sides = gaps.any(axis=0), np.zeros((len(V), 0)) if left is None else (~left)[:, None].astype(float)
        columns = np.hstack([np.where(gaps, np.inf, V), np.where(gaps, -np.inf, V)[:, again], sides])
        feature = np.concatenate([feature, feature[again], np.full(sides.shape[1], own)]).astype(np.intp)
        step = max(1, ENTRIES // self.node.terms.size)
        parts = [self._cut(columns[:, k : k + step], feature[k : k + step]) for k in range(0, len(feature), step)]
        below, lowers, margin = (np.hstack([np.zeros((len(V) - 1, 0)), *part]) for part in zip(*parts, strict=True))
        sure = np.where(margin > EQUAL, lowers, -np.inf)
        return Cuts(columns, feature, np.arange(len(feature)) >= V.shape[1], below, sure, lowers, margin, guess)

    def _columns(self, features: NDArray[np.intp]) -> tuple[F64, NDArray[np.intp], bool]:
        """The columns to cut, the feature of each, and whether some are a heuristic."""
        g, X, guess = self.growth, self.X[:, features], False
        if not features.size or (g.categorical is None and not g.drawn):
            return X, features, guess
        parts = list[F64]()
        for j, x in zip(features.tolist(), X.T, strict=True):
            part = x[:, None]
            if g.categorical is not None and g.categorical[j]:
                part, heuristic = ordered(x, self.Y, self.w, g.criterion, g.n_classes)
                guess = guess or heuristic
            elif g.drawn:
                under = x <= drawn_threshold(self.key, j, float(np.nanmin(x)), float(np.nanmax(x)))
                part = np.where(np.isnan(x), x, np.where(under, x[under].max(), np.inf))[:, None]
            parts.append(part)
        return np.hstack(parts), np.repeat(features, [part.shape[1] for part in parts]), guess

    def _cut(self, columns: F64, feature: NDArray[np.intp]) -> tuple[F64, F64, F64]:
        """The value before each cut, what it lowers the loss by, and its margin."""
        g, m, order = self.growth, len(columns), np.argsort(columns, axis=0, kind="stable")
        before, after, lowers = self.node.cut(order)
        values, rows = np.take_along_axis(columns, order, axis=0), np.arange(1, m)[:, None]
        below, same = values[:-1], values[:-1]
        if g.theirs:  # in float32
            same = (below.astype(np.float32) + np.float32(1e-7)).astype(np.float64)
        margin = np.where((values[1:] > same) & (below > -np.inf), 1.0, -np.inf)
        margin = np.minimum(margin, np.minimum(rows, m - rows) - g.min_rows + 0.5)
        if g.min_weight > 0:
            share = np.minimum(before[..., 0], after[..., 0]) / self.node.terms[:, 0].sum()
            margin = np.minimum(margin, share - g.min_weight / self.node.weight)
        left, right = (self.node.level[0] + self.node.level[1] * S[..., -1] / S[..., 0] for S in (before, after))
        if g.criterion == "poisson":
            margin = np.where((left > 0) & (right > 0), margin, -np.inf)
        if g.monotonic is not None:
            up, unit = g.monotonic[feature], max(float(np.abs(self.Y).max()), 1e-300)
            low, high = np.where(up > 0, left, right), np.where(up > 0, right, left)
            inside = np.minimum(np.minimum(low - self.bounds[0], self.bounds[1] - high), high - low) / unit
            margin = np.where(up == 0, margin, np.minimum(margin, inside))
        return below, lowers, margin

    def turn(self, j: int) -> tuple[int, int]:
        """When feature j is looked at: sorts before what is looked at later."""
        return (turn(self.key, j) if self.growth.max_features < self.X.shape[1] else 0, j)
