"""The rows at one place of a tree that grows: whether it ends there, and the splits that it has on offer."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.blocks import F64
from surefit.certificates.theorems.trees.criteria import Node, node_of
from surefit.certificates.theorems.trees.draws import candidates, child_key, drawn_threshold, turn
from surefit.certificates.theorems.trees.growth import Growth
from surefit.certificates.theorems.trees.splits import FREE, Offers, offers, varies

TIE = 1e-12  # decreases that differ by no more than this share of the loss are equal


class OnOffer(NamedTuple):
    """The splits on offer, the largest decrease by feature, and whether some subsets were not compared."""

    splits: list[Offers]
    best: F64
    guess: bool


@dataclass(frozen=True)
class Place:
    """X (m, d) with NaN for missing, Y (m, outputs), w > 0, and what the place says: key, depth, bounds of values."""

    growth: Growth
    X: F64
    Y: F64
    w: F64
    key: int
    depth: int = 0
    bounds: tuple[float, float] = FREE

    @cached_property
    def node(self) -> Node:
        return node_of(self.growth.criterion, self.Y, self.w, self.growth.n_classes)

    @cached_property
    def level(self) -> F64 | None:
        """What monotonic constraints compare: the target, or whether it is the second class."""
        if self.growth.rules.monotonic is None and not self.growth.rules.positive:
            return None
        return (self.Y[:, 0] == 1).astype(np.float64) if self.growth.n_classes else self.Y[:, 0]

    def child(self, left: NDArray[np.bool_], j: int, right: bool) -> Place:
        """One side of a split by feature j; with a constraint values stay on their side of the middle of both means."""
        side, bounds, signs = ~left if right else left, self.bounds, self.growth.rules.monotonic
        if signs is not None and signs[j] and self.level is not None:
            middle = float(sum(self.w[s] @ self.level[s] / self.w[s].sum() for s in (left, ~left)) / 2)
            bounds = (middle, bounds[1]) if right == (signs[j] > 0) else (bounds[0], middle)
        rows = (self.X[side], self.Y[side], self.w[side])
        return Place(self.growth, *rows, child_key(self.key, right), self.depth + 1, bounds)

    def ends(self) -> bool:
        """A parameter, or its purity, makes the place a leaf."""
        m, node, rules = len(self.w), self.node, self.growth.rules
        small = m < self.growth.min_split or m < 2 * rules.min_rows
        light = node.weight < 2 * rules.min_weight * (1 + TIE)
        pure = node.loss <= max(self.growth.least_impurity * node.weight, node.noise)
        return bool(self.depth >= self.growth.max_depth or small or light or pure)

    def candidates(self, seen: bool = True) -> NDArray[np.intp]:
        """The features looked at; of draws that are not seen, all that vary."""
        some = varies(self.X, self.growth.rules.step)
        return candidates(self.key, some, self.growth.max_features if seen else len(some))

    def offers(self, features: NDArray[np.intp]) -> OnOffer:
        """All splits by the features; where thresholds are drawn each has one."""
        g, X, real, guess = self.growth, self.X[:, features], features, False
        if g.orders is not None and g.categorical is not None:
            X, place, guess = g.orders(X, self.Y, self.w, g.categorical[features], g.criterion, g.n_classes)
            real = features[place]
        rules = g.rules if g.rules.monotonic is None else replace(g.rules, monotonic=g.rules.monotonic[real])
        found, best = list[Offers](), np.full(len(features), -np.inf)
        for o in offers(X, self.node, self.w, rules, np.arange(len(real)), self.level, self.bounds):
            if g.drawn:
                ends = [(int(real[j]), float(np.nanmin(X[:, j])), float(np.nanmax(X[:, j]))) for j in o.feature]
                below = o.lower <= np.array([drawn_threshold(self.key, *end) for end in ends])
                o.decrease[~below | np.vstack([below[1:], np.zeros_like(below[:1])])] = -np.inf
            found.append(replace(o, feature=real[o.feature]))
            np.maximum.at(best, np.searchsorted(features, real[o.feature]), o.decrease.max(axis=0))
        return OnOffer(found, best, guess)

    def turn(self, j: int) -> tuple[int, int]:
        """When feature j is looked at: sorts before what is looked at later."""
        return (turn(self.key, j) if self.growth.max_features < self.X.shape[1] else 0, j)

    def in_turn(self, found: OnOffer, least: float) -> list[tuple[tuple[int, int], float, bool]]:
        """The splits that lower the loss by so much, in their order: feature, value below, missing values right."""
        chosen = [(o, *at) for o in found.splits for at in np.argwhere(o.decrease >= least)]
        return sorted((self.turn(int(o.feature[b])), float(o.lower[a, b]), o.missing_left) for o, a, b in chosen)
