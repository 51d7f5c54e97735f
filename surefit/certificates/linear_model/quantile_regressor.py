"""Checker of QuantileRegressor and LADRegressor: a linear programme, and its dual vector proves the optimum.

P(w, b) = Σ ωᵢ ρ(yᵢ − xᵢ·w − b) + α Σω ‖w‖₁ ,  ρ(e) = max(q e, (q − 1) e).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from surefit.certificates.attributes import Attributes, bad_attributes, real
from surefit.certificates.blocks import F64, Blocks, dense
from surefit.certificates.checker import Findings, checker
from surefit.certificates.claim import Claim, Grade, at_most, failed
from surefit.certificates.linear_model.linear_regression import read_linear
from surefit.certificates.rounding import epsilon, gamma, power_of_two, typical
from surefit.certificates.theorems.classes import weights_of
from surefit.certificates.theorems.least_squares import Moments, affordable, column_norms, first_pass, two_dimensional
from surefit.certificates.theorems.piecewise_linear import (
    Gap,
    Part,
    Problem,
    Value,
    constructed,
    directions,
    factor,
    gap_of,
    given,
    value,
)
from surefit.certificates.theorems.twofold import dot

GAP = {False: 1e-8, True: 1e-5}  # relative gap accepted, in float64 and in float32
FEASIBLE = {False: 1e-9, True: 1e-5}  # what dual_ may miss of its constraints, relative
ROUNDINGS = 1000.0


@checker()
def check_quantile_regressor(model: Any, blocks: Blocks, tol: float) -> Findings:
    """Three or four passes with dual_; without, up to eight, and a factor of d + 1 columns where d ≤ 2000."""
    return _claims(model, blocks, 1.0, None)


@checker()
def check_lad_regressor(model: Any, blocks: Blocks, tol: float) -> Findings:
    """Least absolute deviations: the median."""
    return _claims(model, blocks, 0.0, 0.5)


def _claims(model: Any, blocks: Blocks, alpha: float, quantile: float | None) -> Findings:
    attrs = Attributes(model, "coef_")
    intercept = attrs.flag("fit_intercept", True)
    moments = first_pass(blocks)
    unit = power_of_two(moments.total)  # of the weights, whose products with slopes may underflow
    moments = replace(moments, total=moments.total / unit)
    if moments.n_targets != 1:
        return [failed("data", "Nothing can be checked: y has more than one column.")], "one pass"
    fit = read_linear(attrs, moments.n_targets, blocks.n_features, intercept)
    coef, b = fit if fit is not None else (None, None)
    q = real(attrs.parameter("quantile", 0.5)) if quantile is None else quantile
    alpha = real(attrs.parameter("alpha", alpha))
    if not 0 < q < 1:
        attrs.faults.append("quantile is not a number between 0 and 1")
    if not 0 <= alpha < np.inf:
        attrs.faults.append("alpha is not a number that is at least 0")
    dual = attrs.array("dual_", (blocks.n_rows,)) if attrs.has("dual_") else None
    if attrs.faults or coef is None or b is None:
        return [bad_attributes(attrs)], "one pass"
    eps = epsilon(moments.single, np.asarray(model.coef_))
    problem = _problem(blocks, moments, unit, q, alpha, intercept, eps)
    theta = np.append(coef[0], dot(_shift(moments, intercept), coef[0], float(b[0]))) if intercept else coef[0]
    at = value(problem, theta)
    if not (np.isfinite(at.scale) and np.isfinite(at.columns).all()):
        return [failed("finite", "The residuals overflow: coefficients of this size fit nothing.")], "two passes"
    floor = _floor(problem, at, theta, float(b[0]), eps)
    reach = _reach(problem, theta, at, moments, alpha)
    if dual is not None:
        dual = dual / unit
        gap = gap_of(problem, theta, at, given(dual))
        feasible, optimal = _feasible(problem, dual, gap, at, eps), _optimal(gap, reach(gap), at, moments, floor)
        if not optimal.holds and feasible.holds:
            gap = gap_of(problem, theta, at, given(dual), precise=True)
            optimal = _optimal(gap, reach(gap), at, moments, floor)
        return [feasible, optimal], "three or four passes over the rows, and one for a factor"
    gaps = (gap_of(problem, theta, at, deltas) for deltas in constructed(problem, theta, at))
    bounds = [(reach(gap), gap) for gap in gaps]
    if not bounds:
        reason = "Too many residuals are zero, and the model has no dual_: no lower bound was found."
        return [failed("optimal", reason)], "three passes over the rows"
    bound, gap = min(bounds, key=lambda pair: pair[0] if np.isfinite(pair[0]) else np.inf)
    return [_optimal(gap, bound, at, moments, floor)], "up to ten passes over the rows; the dual vector was rebuilt"


def _shift(moments: Moments, intercept: bool) -> F64:
    """Rows of arrays are measured from their mean, which the intercept absorbs and rounding notices."""
    return moments.x_mean if intercept and not moments.sparse else np.zeros_like(moments.x_mean)


def _problem(
    blocks: Blocks, moments: Moments, unit: float, q: float, alpha: float, intercept: bool, eps: float
) -> Problem:
    shift = _shift(moments, intercept)

    def parts() -> Iterator[Part]:
        for X, y, w in blocks:
            omega = weights_of(X, w) / unit
            A = X if moments.sparse else dense(X) - shift
            yield Part(A, None, two_dimensional(y)[:, 0], (q - 1.0) * omega, q * omega, X)

    penalty = np.full(blocks.n_features, alpha * moments.total)
    penalty = np.append(penalty, 0.0) if intercept else penalty
    lost = typical(blocks.n_features + 1, eps / 2)
    return Problem(parts, blocks.n_rows, blocks.n_features, intercept, penalty, shift, lost)


def _reach(problem: Problem, theta: F64, at: Value, moments: Moments, alpha: float) -> Callable[[Gap], float]:
    """From the dual point to a gap against every θ′ that is at least as good as θ.

    Σ s|a·(θ′ − θ)| + Σ λ|θ′ − θ| ≤ P(θ) + P(θ′) ≤ 2P, s the smaller slope of the row. With the factor R of the rows s·a
    and of diag(λ), r·(θ′ − θ) ≤ ‖R⁻ᵀr‖ ‖R(θ′ − θ)‖ ≤ 2P ‖R⁻ᵀr‖.
    With a penalty also: ‖w′‖₁ ≤ P/(αΣω), and b′ is a quantile of y − Xw′, hence at most max|y| + max|x| ‖w′‖₁.
    """
    far = np.full(theta.size, np.inf)
    if alpha > 0:
        norm = float(np.float64(at.objective) / (alpha * moments.total))
        far = np.abs(theta) + norm
        if problem.intercept:
            far[-1] = abs(float(theta[-1])) + at.largest_t + at.largest_a * norm
    if not affordable(problem.n_rows, problem.columns()):
        return lambda gap: gap.within(far) if alpha > 0 else np.inf
    R = factor(problem)
    if not np.isfinite(R).all():
        return lambda gap: np.inf
    norms = column_norms(R)
    norms = np.where(norms > 0, norms, 1.0)
    inverse, null, kept = directions(R / norms, norms)

    def bound(gap: Gap) -> float:
        left = gap.chosen(inverse, null)
        miss = gap.length(left, inverse, null) + float(np.linalg.norm(np.abs(inverse) @ gap.room))
        total = gap.slack + 2.0 * at.objective * miss
        if alpha == 0:  # directions that rounding cannot tell from none at all move no residual
            return total
        across = left / norms
        across = np.abs(across - kept.T @ (kept @ across)) if len(null) else np.zeros_like(across)
        return float(min(total + float(across @ (norms * far)), gap.within(far)))

    return bound


def _feasible(problem: Problem, dual: F64, gap: Gap, at: Value, eps: float) -> Claim:
    """The box, relative to the row's slopes; the equations, relative to Σ slope |x| of the column as it came."""
    outside, row = 0.0, 0
    for part in problem.parts():
        d = dual[row : row + part.t.size]
        width = part.hi - part.lo
        over = np.maximum(part.lo - d, d - part.hi)
        over = np.where(width > 0, over / np.where(width > 0, width, 1.0), np.where(d == 0, 0.0, np.inf))
        outside = max(outside, float(over.max(initial=0.0)))
        row += d.size
    size = np.where(at.raw > 0, at.raw, 1.0)
    missed = float((np.abs(gap.left) / size).max(initial=0.0))
    return at_most(
        "dual_feasible",
        "dual_ obeys the constraints of the dual programme: slopes of the loss, row by row, whose weighted sum of the "
        "columns is within the penalty; largest relative violation.",
        Grade.EXACT,
        float(np.maximum(outside, missed)),
        FEASIBLE[eps > 1e-10],
        {"outside": outside, "missed": missed},
    )


class Floor(NamedTuple):
    """The relative gap accepted, and the absolute one that floating point cannot avoid."""

    limit: float
    size: float


def _floor(problem: Problem, at: Value, theta: F64, b: float, eps: float) -> Floor:
    """Roundings of the rows about their mean, of predictions in the user's coordinates, and of the intercept, which is
    stored to half a unit in its last place."""
    size = (ROUNDINGS * eps + gamma(at.columns.size + 3)) * at.scale
    stored = 0.5 * eps * abs(b) * float(at.columns[-1]) if problem.intercept else 0.0
    return Floor(GAP[eps > 1e-10], size + problem.rounding * float(at.raw @ np.abs(theta)) + stored)


def _optimal(gap: Gap, bound: float, at: Value, moments: Moments, floor: Floor) -> Claim:
    limit = floor.limit
    scale = at.objective + floor.size / limit
    if not np.isfinite(bound):
        return failed("optimal", "No lower bound was found: without a penalty there is none with this many columns.")
    relative = 0.0 if scale == 0 else bound / scale
    return at_most(
        "optimal",
        "No coefficients have a sum of pinball losses (and penalty) lower by more than a relative "
        f"{relative:.1e}, or by more than their own predictions lose in rounding.",
        Grade.OPTIMAL,
        relative,
        limit,
        {
            "objective": at.objective / moments.total,
            "gap": bound / moments.total,
            "lower_bound": max(0.0, at.objective - bound) / moments.total,
            "slack": gap.slack / moments.total,
        },
    )
