"""The splits on offer in a node: every threshold between two values of a feature, missing values on either side.

A split is admissible where both sides have `min_rows` rows and the weight `min_weight`, and, for a feature with a
monotonic constraint, the means of the sides are in order and within the bounds that the splits above have set.
What depends on a rounding (a weight or a mean that equals its bound) is not offered: it is left to the model.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.blocks import F64
from surefit.certificates.theorems.trees.criteria import Node

EQUAL = 1e-12  # weights and means that differ by this share are not told from each other
FREE = (-np.inf, np.inf)


@dataclass(frozen=True)
class Rules:
    """What a split must respect. step: values that differ by no more count as equal (scikit-learn: 1e-7 in float32)."""

    min_rows: int = 1
    min_weight: float = 0.0
    step: float = 0.0
    positive: bool = False  # both sides have a positive sum of targets (Poisson)
    monotonic: NDArray[np.intp] | None = None  # by feature: the mean on the right is no smaller (1), no larger (−1)


@dataclass(frozen=True)
class Offers:
    """The splits of some features: cut [i, f] is between the rows i and i + 1 of an order by feature[f]."""

    feature: NDArray[np.intp]
    missing_left: bool
    decrease: F64  # −∞ where there is no admissible split
    lower: F64  # the value below the cut


def varies(X: F64, step: float = 0.0) -> NDArray[np.bool_]:
    """Which columns are not constant: two values, or a value and a missing one."""
    missing = np.isnan(X)
    low, high = (f(np.where(missing, end, X), axis=0) for f, end in ((np.min, np.inf), (np.max, -np.inf)))
    return ~missing.all(axis=0) & ((high > _next(low, step)) | missing.any(axis=0))


def _next(x: F64, step: float) -> F64:
    """The largest number that counts as x: in float32 where there is a step."""
    return (x.astype(np.float32) + np.float32(step)).astype(np.float64) if step else x


def offers(
    X: F64, node: Node, w: F64, rules: Rules, features: NDArray[np.intp], level: F64 | None = None,
    bounds: tuple[float, float] = FREE,
) -> Iterator[Offers]:  # fmt: skip
    """All admissible splits by the columns `features` of a node's rows X (m, d) with weights w.

    level and bounds matter for monotonic constraints and sums that must be positive: the target, where it has a mean.
    """
    if len(X) < 2 or not len(features):
        return
    order = np.argsort(X[:, features], axis=0, kind="stable")  # missing values come last
    turns = [(features, order, False)]
    gaps = np.flatnonzero(np.isnan(X[:, features]).any(axis=0))
    if gaps.size:  # once more, missing values first
        count = np.isnan(X[:, features[gaps]]).sum(axis=0)
        turned = (np.arange(len(X))[:, None] - count) % len(X)
        turns.append((features[gaps], np.take_along_axis(order[:, gaps], turned, axis=0), True))
    for some, order, missing_left in turns:
        lower, upper = X[order[:-1], some], X[order[1:], some]
        cut = (upper > _next(lower, rules.step)) | (np.isnan(upper) & ~np.isnan(lower))
        cut &= admissible(w, rules, some, order, level, bounds)
        yield Offers(some, missing_left, np.where(cut, node.decreases(order), -np.inf), lower)


def admissible(
    w: F64, rules: Rules, features: NDArray[np.intp], order: NDArray[np.intp], level: F64 | None,
    bounds: tuple[float, float], sure: float = 1.0,
) -> NDArray[np.bool_]:  # fmt: skip
    """(m − 1, f): the cuts of the orders that keep to the rules; those that rounding decides with sure = −1 only."""
    rows = np.arange(1, len(order))[:, None]
    ok = (np.minimum(rows, len(order) - rows) >= rules.min_rows) & np.ones(len(features), dtype=bool)
    if rules.min_weight <= 0 and level is None:
        return ok
    weights = _both_sides(w[order])
    if rules.min_weight > 0:
        ok &= np.minimum(*weights) >= rules.min_weight + sure * EQUAL * w.sum()
    if level is not None:
        sums = _both_sides((w * level)[order])
        if rules.positive:
            ok &= np.minimum(*sums) > max(sure, 0.0) * EQUAL * (w @ level)
        if rules.monotonic is not None:
            sign, slack = rules.monotonic[features], sure * EQUAL * float(np.abs(level).max())
            left, right = (a / b for a, b in zip(sums, weights, strict=True))
            low, high = np.where(sign > 0, left, right), np.where(sign > 0, right, left)
            inside = (low >= bounds[0] + slack) & (high >= low + slack) & (high <= bounds[1] - slack)
            ok &= inside | (sign == 0)
    return ok


def _both_sides(terms: F64) -> tuple[F64, F64]:
    """Sums of the rows before and after each cut, each from its own end."""
    return np.cumsum(terms, axis=0)[:-1], np.cumsum(terms[::-1], axis=0)[-2::-1]
