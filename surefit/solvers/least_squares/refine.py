"""One pass that measures how far coefficients are from the least-squares answer, and the loop that closes the gap.

For the model  y ≈ b + Σⱼ (xⱼ − cⱼ) wⱼ  a pass computes, at the current (w, b),

    rᵢ = yᵢ − b − Σⱼ (xᵢⱼ − cⱼ) wⱼ        gⱼ = Σᵢ ωᵢ (xᵢⱼ − cⱼ) rᵢ        g₀ = Σᵢ ωᵢ rᵢ        Σᵢ ωᵢ rᵢ²

and the correction is (XᵀX)⁻¹ g with the factor at hand. The factor may be poor: each round multiplies the error by
about (condition number × rounding). What decides the digits reached is r and g, so for data of moderate size they are
computed in twice the working precision (`Twofold`), and the answer is then right to the last digits of the data.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

import numpy as np
import scipy.sparse as sp

from surefit._native import twofold_gap
from surefit.engine.sources.block import Block
from surefit.engine.sources.source import Source
from surefit.engine.step import Step
from surefit.solvers.least_squares.tsqr import Shift, dense_rows, shifted_rows
from surefit.solvers.numerics import twofold
from surefit.solvers.numerics.twofold import Twofold

TWOFOLD_ELEMENTS = 2**22
"""Up to this many numbers in X, residuals may be computed in twice the precision."""
_MOST_ROUNDS = 12
Solve: TypeAlias = Callable[[np.ndarray], np.ndarray]


class Answer(NamedTuple):
    """Coefficients for shifted data, in twice the precision: w is (targets, features), b is (targets,)."""

    w: Twofold
    b: Twofold


class Gap(NamedTuple):
    """What a pass finds: the gradient by feature and by intercept, and the weighted residual sum of squares."""

    g: Twofold
    g0: Twofold
    residual_ss: np.ndarray


class GapStep(Step):
    """State: (Shift, Answer)."""

    def map_leaf(self, state: tuple[Shift, Answer], leaf: Block) -> Gap:
        return _precise_gap(*state, leaf)

    def combine(self, left: Gap, right: Gap) -> Gap:
        return Gap(twofold.add(left.g, right.g), twofold.add(left.g0, right.g0), left.residual_ss + right.residual_ss)


class PlainGapStep(Step):
    """The same in working precision, without an intercept in the answer. State: (Shift, w)."""

    def map_leaf(self, state: tuple[Shift, np.ndarray], leaf: Block) -> tuple[np.ndarray, ...]:
        shift, w = state
        d = leaf.X.shape[1]
        if sp.issparse(leaf.X):
            return _sparse_gap(shift, w, leaf)
        rows = shifted_rows(shift._replace(intercept=False), leaf)
        A = rows[:, :d]
        r = rows[:, d:]
        r -= A @ w.T
        g0 = r.sum(axis=0) if leaf.w is None else np.sqrt(leaf.w) @ r
        return r.T @ A, g0, np.einsum("ik,ik->k", r, r)

    def combine(self, left: tuple[np.ndarray, ...], right: tuple[np.ndarray, ...]) -> tuple[np.ndarray, ...]:
        return tuple(a + b for a, b in zip(left, right, strict=True))


def _sparse_gap(shift: Shift, w: np.ndarray, leaf: Block) -> tuple[np.ndarray, ...]:
    """g, g₀ and Σ ω r² from the stored entries alone: (X − 1cᵀ)·s is never formed."""
    d = leaf.X.shape[1]
    center, scale = shift.center * shift.scale, shift.scale
    scaled = w * scale[:d]
    y = leaf.targets
    r = (y * scale[d:] - center[d:]) - (leaf.X @ scaled.T - center[:d] @ w.T)
    weighted = r if leaf.w is None else leaf.w[:, None] * r
    g0 = weighted.sum(axis=0)
    g = (leaf.X.T @ weighted).T * scale[:d] - np.multiply.outer(g0, center[:d])
    return g, g0, np.einsum("ik,ik->k", weighted, r)


def _precise_gap(shift: Shift, answer: Answer, leaf: Block) -> Gap:
    X, Y = (np.ascontiguousarray(part, dtype=np.float64) for part in (dense_rows(leaf.X), leaf.targets))
    omega = None if leaf.w is None else np.ascontiguousarray(leaf.w, dtype=np.float64)
    w, w_low = (np.ascontiguousarray(part) for part in answer.w)
    g, g_low, g0, g0_low, residual_ss = twofold_gap(
        X, Y, omega, shift.center, shift.scale, w, w_low, answer.b.high, answer.b.low
    )
    return Gap(Twofold(g, g_low), Twofold(g0, g0_low), residual_ss)


def correct(
    data: Source, shift: Shift, weight: float, w: np.ndarray, solve: Solve, alpha: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """One correction in working precision: w, b, and the residual sum of squares (for α = 0).

    b is what the rounding of the mean leaves over. The sum of squares falls by g·step; no pass is needed to know it.
    """
    g, g0, residual_ss = data.fold(PlainGapStep(), (shift, w))
    x_scale = shift.scale[: w.shape[1]]
    step = solve(g - alpha[:, None] * (w * x_scale * x_scale) if alpha.any() else g)
    b = g0 / weight if shift.intercept else np.zeros(len(w))
    if not _relative(step, w) < 0.5:  # not a correction (or not finite): the answer stands
        return w, b, residual_ss
    return w + step, b, residual_ss - (g * step).sum(axis=1)


def refine(
    data: Source, shift: Shift, weight: float, w: np.ndarray, solve: Solve, alpha: np.ndarray
) -> tuple[Answer, np.ndarray]:
    """Correct w in twice the precision, until the corrections are below rounding or stop shrinking.

    `solve` maps a gradient (targets, features) to (XᵀX + α)⁻¹ gradient, in shifted units; α is the ridge penalty of
    each target in the data's own. Returns the answer and its residual sum of squares.
    """
    answer, before = Answer(twofold.exact(w), twofold.zeros(len(w))), np.inf
    gap = data.fold(GapStep(), (shift, answer))
    for _ in range(_MOST_ROUNDS):
        step = solve(_penalised(gap.g, answer.w, shift, alpha))
        size = _relative(step, answer.w.high)
        if not size < 0.5 * before:  # no longer shrinking (or not finite): the last answer stands
            break
        b_step = gap.g0.value / weight if shift.intercept else np.zeros(len(w))
        answer = Answer(twofold.add(answer.w, twofold.exact(step)), twofold.add(answer.b, twofold.exact(b_step)))
        gap = data.fold(GapStep(), (shift, answer))
        # The next correction shrinks as this one did: when that is below rounding, it is not asked for.
        done = size * (size / before) if before < np.inf else size
        if done <= np.finfo(float).eps / 8:
            break
        before = size
    return answer, gap.residual_ss


def _penalised(g: Twofold, w: Twofold, shift: Shift, alpha: np.ndarray) -> np.ndarray:
    """g − α s² w: the gradient of half the penalised sum, for columns scaled by s."""
    if not alpha.any():
        return g.value
    x_scale = shift.scale[: w.high.shape[1]]
    scaled = Twofold(-w.high * x_scale * x_scale, -w.low * x_scale * x_scale)
    pull = twofold.multiply(scaled, twofold.exact(np.broadcast_to(alpha[:, None], scaled.high.shape)))
    return twofold.add(g, pull).value


def _relative(step: np.ndarray, w: np.ndarray) -> float:
    """The largest correction of a coefficient, relative to the largest coefficient of its target."""
    largest = np.abs(w).max(axis=1, initial=0.0)
    size = np.abs(step).max(axis=1, initial=0.0)
    return float((size / np.where(largest > 0, largest, 1.0)).max(initial=0.0))


def unshift(answer: Answer, shift: Shift) -> tuple[np.ndarray, np.ndarray]:
    """Coefficients and intercept of the data as it came; the intercept is summed in twice the precision."""
    d = answer.w.high.shape[1]
    x_scale, y_scale = shift.scale[:d], shift.scale[d:]
    w = Twofold(answer.w.high * x_scale / y_scale[:, None], answer.w.low * x_scale / y_scale[:, None])
    if not shift.intercept:
        return w.value, np.zeros(len(y_scale))
    terms = twofold.multiply(w, twofold.exact(np.broadcast_to(-shift.center[:d], w.high.shape)))
    sums = twofold.sum_rows(Twofold(terms.high.T, terms.low.T)) if d else twofold.zeros(len(y_scale))
    b = Twofold(answer.b.high / y_scale, answer.b.low / y_scale)
    total = twofold.add(twofold.add(sums, b), twofold.exact(shift.center[d:]))
    return w.value, total.value
