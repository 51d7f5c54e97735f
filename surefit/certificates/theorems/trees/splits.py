"""The splits on offer in a node: every threshold between two values of a feature, missing values on either side.

A split is admissible where both sides have `min_rows` rows and the weight `min_weight`, and, for a feature with a
monotonic constraint, the means of the sides are in order and within the bounds that the splits above have set.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.blocks import F64
from surefit.certificates.theorems.trees.criteria import Node


@dataclass(frozen=True)
class Rules:
    """What a split must respect. step: values that differ by no more count as equal (scikit-learn: 1e-7 in float32)."""

    min_rows: int = 1
    min_weight: float = 0.0
    step: float = 0.0
    positive: bool = False  # both sides have a positive sum of targets (Poisson)


@dataclass(frozen=True)
class Offers:
    """The splits of some features: cut [i, f] is between the rows i and i + 1 of an order by feature[f]."""

    feature: NDArray[np.intp]
    missing_left: bool
    decrease: F64  # −∞ where there is no admissible split
    lower: F64  # the values on either side of the cut; +∞ above where the other side is the missing values
    upper: F64


def varies(X: F64, step: float = 0.0) -> NDArray[np.bool_]:
    """Which columns are not constant: two values, or a value and a missing one."""
    missing = np.isnan(X)
    low, high = (f(np.where(missing, end, X), axis=0) for f, end in ((np.min, np.inf), (np.max, -np.inf)))
    return ~missing.all(axis=0) & ((high > _next(low, step)) | missing.any(axis=0))


def _next(x: F64, step: float) -> F64:
    """The largest number that counts as x: in float32 where there is a step."""
    return (x.astype(np.float32) + np.float32(step)).astype(np.float64) if step else x


def offers(X: F64, node: Node, w: F64, rules: Rules, features: NDArray[np.intp]) -> Iterator[Offers]:
    """All admissible splits of the columns `features` of a node's rows X (m, d) with weights w."""
    if len(X) < 2 or not len(features):
        return
    order = np.argsort(X[:, features], axis=0, kind="stable")  # missing values come last
    yield _cuts(X, node, w, rules, features, order, False)
    gaps = np.flatnonzero(np.isnan(X[:, features]).any(axis=0))
    if gaps.size:
        count = np.isnan(X[:, features[gaps]]).sum(axis=0)
        turned = (np.arange(len(X))[:, None] - count) % len(X)
        order = np.take_along_axis(order[:, gaps], turned, axis=0)
        yield _cuts(X, node, w, rules, features[gaps], order, True)


def _cuts(
    X: F64, node: Node, w: F64, rules: Rules, features: NDArray[np.intp], order: NDArray[np.intp], missing_left: bool
) -> Offers:
    values = X[order, features]
    lower, upper = values[:-1], values[1:]
    on_offer = upper > _next(lower, rules.step)
    if not missing_left:
        on_offer |= np.isnan(upper) & ~np.isnan(lower)
    on_offer &= _large_enough(w, rules, order)
    if rules.positive:
        sums = (np.cumsum(node.terms[order, 1:], axis=0), np.cumsum(node.terms[order[::-1], 1:], axis=0))
        on_offer &= ((sums[0][:-1] > 0) & (sums[1][-2::-1] > 0)).all(axis=-1)
    decrease = np.where(on_offer, node.decreases(order), -np.inf)
    return Offers(features, missing_left, decrease, lower, np.where(np.isnan(upper), np.inf, upper))


def _large_enough(w: F64, rules: Rules, order: NDArray[np.intp]) -> NDArray[np.bool_]:
    rows = np.arange(1, len(order))
    enough = (rows >= rules.min_rows) & (rows <= len(order) - rules.min_rows)
    if rules.min_weight <= 0:
        return np.broadcast_to(enough[:, None], (len(order) - 1, order.shape[1]))
    slack = 1e-12 * w.sum()  # a weight that is the least one up to rounding is left to the model
    before, after = np.cumsum(w[order], axis=0)[:-1], np.cumsum(w[order[::-1]], axis=0)[-2::-1]
    return enough[:, None] & (before >= rules.min_weight + slack) & (after >= rules.min_weight + slack)


def best_decrease(X: F64, node: Node, w: F64, rules: Rules, features: NDArray[np.intp]) -> float:
    """The largest decrease on offer; −∞ where no split is admissible."""
    return max((float(o.decrease.max(initial=-np.inf)) for o in offers(X, node, w, rules, features)), default=-np.inf)
