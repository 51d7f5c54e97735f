"""The splits on offer in a node of histogram boosting, and the best of them.

With G and H the sums of gradients and curvatures of a side and v = −G / (H + λ), clipped to the bounds that monotonic
constraints have left it, a node is split so that −G v of the left side plus that of the right one is largest: without
bounds twice what the best constants take from the second-order loss. Rows are given by their bins, in the order of
values, NaN for a missing one; or by categories, which are ordered by G / (H + 10) first.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.blocks import F64
from surefit.certificates.rounding import gamma

TINY = float(np.finfo(float).tiny)
SUPPORT = 10.0  # categories of less weight are not ordered, and go right; also added to H in the order

Bounds = tuple[float, float]
FREE: Bounds = (-math.inf, math.inf)


@dataclass
class Rule:
    """What a node may be split by: least count and curvature of a side, monotonic features, features with sets."""

    min_count: float = 1.0
    min_curvature: float = 0.0
    l2: float = 0.0
    monotonic: NDArray = field(default_factory=lambda: np.zeros(0, dtype=int))
    by_sets: NDArray = field(default_factory=lambda: np.zeros(0, dtype=bool))

    def value(self, G: F64, H: F64, bounds: Bounds = FREE) -> F64:
        return np.clip(np.where(H + self.l2 > 0, -G / np.maximum(H + self.l2, TINY), 0.0), *bounds)

    def score(self, G: F64, H: F64, bounds: Bounds = FREE) -> F64:
        return -G * self.value(G, H, bounds)


@dataclass
class Node:
    """The rows of a node: bins (m, d), columns of gradients, curvatures and counts, what sums of g, h are off by."""

    bins: NDArray
    sums: F64
    dG: float = 0.0
    dH: float = 0.0
    bounds: Bounds = FREE


def best_score(node: Node, rule: Rule, features: NDArray) -> tuple[float, float]:
    """The largest S(left) + S(right) of the splits that are surely allowed (−inf without one), and the largest |v|."""
    best, largest = -math.inf, 0.0
    for j, left in _sides(node, rule, features):
        score, size = judged(node, rule, left, j, 1.0)
        best, largest = max(best, float(score.max(initial=-math.inf))), max(largest, size)
    return best, largest


def judged(node: Node, rule: Rule, left: F64, j: NDArray, sure: float) -> tuple[F64, float]:
    """S(left) + S(right) for left sides (…, 3) by the features j, −inf where not allowed, and the largest |v|.

    `sure` = 1: a side whose sums are too small by no more than they may be off is not allowed; −1: it is.
    """
    right = node.sums.sum(axis=0) - left
    least = np.minimum(left, right)
    ok = (least[..., 1] >= rule.min_curvature + sure * node.dH) & (least[..., 2] >= rule.min_count * (1 + sure * 1e-12))
    (low, a), (high, b) = ((rule.value(s[..., 0], s[..., 1], node.bounds), s[..., 0]) for s in (left, right))
    if len(rule.monotonic):
        ok &= rule.monotonic[j] * (high - low) >= 0
    size = max(float(np.abs(np.where(ok, v, 0.0)).max(initial=0.0)) for v in (low, high))
    return np.where(ok, -a * low - b * high, -math.inf), size


def _sides(node: Node, rule: Rule, features: NDArray) -> Iterator[tuple[NDArray, F64]]:
    """Features and the sums of the left sides of all splits by them: missing values right, then left; sets."""
    sets = rule.by_sets[features] if len(rule.by_sets) else np.zeros(len(features), dtype=bool)
    bins = np.where(np.isnan(node.bins), -1, node.bins).astype(np.intp)
    width = int(bins.max(initial=-1)) + 2  # the last place is for missing values
    for numbers, lefts in ((features[~sets], _cuts), (features[sets], _prefixes)):
        step = max(1, (1 << 20) // max(len(node.bins), 256))
        for low in range(0, len(numbers), step):
            chosen = numbers[low : low + step]
            places = bins[:, chosen] % width + width * np.arange(len(chosen))
            weights = (np.repeat(column, len(chosen)) for column in node.sums.T)
            table = [np.bincount(places.ravel(), weights=v, minlength=width * len(chosen)) for v in weights]
            yield from lefts(chosen, np.stack(table, axis=1).reshape(len(chosen), width, 3))


def _cuts(features: NDArray, table: F64) -> Iterator[tuple[NDArray, F64]]:
    sums = np.cumsum(table[:, :-1], axis=1)
    yield features[:, None], sums
    gaps = table[:, -1].any(axis=1)
    yield features[gaps, None], sums[gaps] + table[gaps, -1:]


def _prefixes(features: NDArray, tables: F64) -> Iterator[tuple[NDArray, F64]]:
    """Categories with enough weight in the order of G / (H + 10); the first ones from either end, to the middle.

    Where rounding decides whether a category has enough, what is on offer is not sure: the feature is passed over.
    """
    for j, sums in zip(features, tables, strict=True):
        weight = sums[:, 1] * sums[:, 2].sum() / max(sums[:, 1].sum(), TINY)
        if (np.abs(weight - SUPPORT) < 1e-6 * SUPPORT).any():
            continue
        used = sums[weight >= SUPPORT]
        used = used[np.argsort(used[:, 0] / (used[:, 1] + SUPPORT), kind="stable")]
        half = (len(used) + 1) // 2 if len(used) > 1 else 0
        yield j, np.cumsum(used[:half], axis=0)
        yield j, np.cumsum(used[::-1][: max(half - 1, 0)], axis=0)


def doubt(node: Node, largest: float) -> tuple[float, float]:
    """How far S(left) + S(right) may be off: by the checker's own sums, and by what the node's numbers are off by.

    A side's G off by a and H by b moves −G v by at most 2 |v| a + v² b in first order: twice that is taken.
    """
    own, (G, H, _) = gamma(len(node.sums) + 300), np.abs(node.sums).sum(axis=0)
    ours, theirs = (4 * largest * a + 2 * largest**2 * b for a, b in ((own * G, own * H), (node.dG, node.dH)))
    return float(ours), float(theirs)
