"""The dual of a support vector machine in signed coordinates, its bias and its duality gap.

With β_i = s_i a_i the problem  min ½ aᵀQa + p·a,  Q_ij = s_i s_j K_ij,  Σ s_i a_i = 0,  0 ≤ a_i ≤ U_i  reads

    min over β of  D(β) = ½ βᵀKβ + q·β ,     Σ β = 0 ,   low ≤ β ≤ high ,      q_i = s_i p_i ,  F = Kβ + q ,

with [low, high] = [0, U] where s = 1 and [−U, 0] where s = −1. Its dual is the support vector machine itself: for the
function f = Σ β_j K(·, x_j) and any bias b it costs  P(b) = ½ βᵀKβ + Σ U_i max(0, −s_i (F_i + b)) ≥ −D(β), and

    P(b) + D(β) = Σ (β_i − low_i) max(0, F_i + b) + (high_i − β_i) max(0, −F_i − b) ,

a sum without cancellation, convex and piecewise linear in b. It is least at a quantile of −F with weights U.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

SAME = 1e-14
"""Gaps that differ by this share of D are one: then the bias is the middle of those that are as good, which does not
depend on whether a variable is at its bound or a rounding error away from it."""


@dataclass(frozen=True)
class Box:
    """The linear term q and the bounds of the signed variables β, one for each row of K that `index` names."""

    index: np.ndarray
    q: np.ndarray
    low: np.ndarray
    high: np.ndarray

    def free(self, beta: np.ndarray) -> np.ndarray:
        """Places strictly between their bounds."""
        return np.flatnonzero((beta > self.low) & (beta < self.high))

    def clipped(self, beta: np.ndarray) -> np.ndarray:
        return np.minimum(np.maximum(beta, self.low), self.high)


@dataclass(frozen=True)
class Gap:
    """P − (−D) with the best bias found, relative to the larger of the two values."""

    bias: float
    value: float
    gap: float
    rel_gap: float


def duality_gap(box: Box, beta: np.ndarray, F: np.ndarray) -> Gap:
    below, above = beta - box.low, box.high - beta
    value = 0.5 * float(beta @ (F + box.q))
    bias = _quantile(F, below, above)
    gap = _complementarity(F + bias, below, above)
    if gap > SAME * abs(value):
        other = _mean_of_free(F, below, above)
        its_gap = _complementarity(F + other, below, above)
        if gap > its_gap + SAME * abs(value):
            bias, gap = other, its_gap
    return summary(bias, value, gap)


def rough_gap(box: Box, beta: np.ndarray, F: np.ndarray) -> Gap:
    """As `duality_gap`, without looking for the best bias: no sorting."""
    below, above = beta - box.low, box.high - beta
    bias = _mean_of_free(F, below, above)
    return summary(bias, 0.5 * float(beta @ (F + box.q)), _complementarity(F + bias, below, above))


def summary(bias: float, value: float, gap: float) -> Gap:
    size = max(abs(value), abs(gap - value))
    return Gap(bias, value, gap, gap / size if gap > 0 else 0.0)


def _mean_of_free(F: np.ndarray, below: np.ndarray, above: np.ndarray) -> float:
    """−F on average where neither bound is met; 0 where there is no such variable."""
    free = np.minimum(below, above) > 0
    return -float(F @ free) / max(int(np.count_nonzero(free)), 1)


def _complementarity(h: np.ndarray, below: np.ndarray, above: np.ndarray) -> float:
    positive = np.maximum(h, 0.0)
    return float(below @ positive + above @ (positive - h))


def _quantile(F: np.ndarray, below: np.ndarray, above: np.ndarray) -> float:
    """−v where the slope Σ_{F<v} above − Σ_{F>v} below turns positive; the middle where it is zero over an interval."""
    order = np.argsort(F, kind="stable")
    passed = np.cumsum((below + above)[order])
    total, rounding = float(below.sum()), 1e-13 * float(passed[-1])
    first = int(np.searchsorted(passed, total - rounding))
    last = int(np.searchsorted(passed, total + rounding, side="right"))
    first, last = min(first, len(F) - 1), min(last, len(F) - 1)
    return -0.5 * float(F[order[first]] + F[order[last]])


def violation(box: Box, beta: np.ndarray, F: np.ndarray) -> float:
    """The largest F of what may fall less the smallest of what may grow; at most zero at a minimum."""
    grows, falls = F[beta < box.high], F[beta > box.low]
    return float(falls.max() - grows.min()) if len(grows) and len(falls) else 0.0
