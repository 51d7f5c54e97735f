"""Averaged subgradient descent for the support vector machine, all rows at once:

    f(θ) = λ/2 ‖θ‖² + Σ ω max(0, 1 − σ x̃·θ) / Σ ω ,      x̃ = (x, 1) , θ = (w, b) ;  x̃ = x without an intercept

    θ₀ = 0        θ_{t+1} = θ_t − g_t / (λ (t + 1))        g_t = λ θ_t − s_t ,   s_t = Σ ω σ x̃ [σ x̃·θ_t < 1] / Σ ω

and the answer is the mean of θ₀ … θ_{T−1}. f is λ-strongly convex, so with ‖g_t‖ ≤ L (the telescoped sum of the
distances to the minimum)

    f(mean) − min f ≤ L² (1 + ln T) / (2 λ T) .

θ_t is the mean of s₀/λ … s_{t−1}/λ. With M = max ‖x̃‖ therefore ‖θ_t‖ ≤ R = M/λ, and L = M + λ R = 2 M will do.

The share of the weight with σ x̃·θ_t < 1, averaged over t, is the sum of a point of the dual, and the mean of s_t what
the rows add up to under it:  min f ≥ mean share − ‖mean s‖²/(2λ). That is the gap in fact, which is often far smaller.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from surefit.engine.leaves import fold_tree
from surefit.engine.sources.block import Block
from surefit.engine.sources.source import Source
from surefit.engine.step import Step
from surefit.solvers.hinge.clipped_pass import Labels, clipped_pass, leaf_sum, signs_and_costs

STEEP = 1e300
"""Times a slack, beyond every weight: r is ω where there is a slack and zero where there is none."""


class SubgradientPass(NamedTuple):
    weight: float
    """Σ ω"""
    loss: float
    """Σ ω max(0, 1 − σ x̃·θ)"""
    share: float
    """Σ ω [σ x̃·θ < 1]"""
    pull: np.ndarray
    """(d + 1,) Σ ω σ (x, 1) over the same rows"""


class SubgradientStep(Step):
    """`SubgradientPass` at a point (labels, θ)."""

    def map(self, state: tuple[Labels, np.ndarray], block: Block, n_threads: int) -> SubgradientPass:
        labels, theta = state
        sign, weight = signs_and_costs(block, labels)
        rows = clipped_pass(block, theta, sign, np.where(weight > 0, STEEP, 0.0), n_threads, top=weight)
        terms = np.column_stack([weight, weight * np.maximum(rows.slack, 0.0), rows.residual])
        total, loss, share = leaf_sum(terms, block).tolist()
        return SubgradientPass(total, loss, share, rows.sums)

    def combine(self, left: SubgradientPass, right: SubgradientPass) -> SubgradientPass:
        return SubgradientPass(
            left.weight + right.weight, left.loss + right.loss, left.share + right.share, left.pull + right.pull
        )


class LongestRowStep(Step):
    """The largest ‖x‖² among the rows of positive weight."""

    def map(self, state: None, block: Block, n_threads: int) -> float:
        return fold_tree(block.n_leaves, lambda i: _longest(block.leaf(i)), max, n_threads)

    def combine(self, left: float, right: float) -> float:
        return max(left, right)


def _longest(leaf: Block) -> float:
    X = leaf.X.astype(np.float64, copy=False)
    squares = np.asarray(X.multiply(X).sum(axis=1)).ravel() if sp.issparse(X) else np.einsum("ij,ij->i", X, X)
    return float(squares.max() if leaf.w is None else squares[leaf.w > 0].max(initial=0.0))


class Averaged(NamedTuple):
    theta: np.ndarray
    """(d + 1,): w, then b."""
    value: float
    gap: float
    """A bound for f(θ) − min f that was computed."""
    bound: float
    """The theorem's."""
    n_iter: int
    history: list[float]
    """f(θ_t) for t = 0 … T − 1."""


def averaged_subgradient(
    data: Source,
    labels: Labels,
    lam: float,
    n_steps: int,
    fit_intercept: bool,
    after_step: Callable[[np.ndarray, float], bool] = lambda theta, value: False,
) -> Averaged:
    """`n_steps` passes; fewer where `after_step` (told the mean so far and f there it is) asks to stop."""
    width = data.n_features + fit_intercept
    theta, sums = np.zeros(data.n_features + 1), np.zeros(data.n_features + 1)
    pulls, share, history = np.zeros(width), 0.0, []
    for t in range(n_steps):
        passed: SubgradientPass = data.fold(SubgradientStep(), (labels, theta))
        history.append(0.5 * lam * float(theta @ theta) + passed.loss / passed.weight)
        sums += theta
        pull = passed.pull[:width] / passed.weight
        pulls += pull
        share += passed.share / passed.weight
        theta = theta.copy()
        theta[:width] -= (lam * theta[:width] - pull) / (lam * (t + 1))
        if after_step(sums / (t + 1), history[-1]):
            break
    T = len(history)
    mean = sums / T
    last: SubgradientPass = data.fold(SubgradientStep(), (labels, mean))
    value = 0.5 * lam * float(mean @ mean) + last.loss / last.weight
    lower = share / T - float((pulls / T) @ (pulls / T)) / (2.0 * lam)
    square = data.fold(LongestRowStep()) + fit_intercept
    bound = 4.0 * square * (1.0 + math.log(T)) / (2.0 * lam * T)
    return Averaged(mean, value, max(value - max(lower, 0.0), 0.0), bound, T, history)
