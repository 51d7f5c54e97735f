"""Checker of QuantileRegressor and LADRegressor: a linear program, and a point of its dual proves the optimum.

P(w, b) = Σ ωᵢ ρ(yᵢ − xᵢ·w − b) + α Σω ‖w‖₁ ,  ρ(e) = max(q e, (q − 1) e).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from surefit.certificates.attributes import Attributes, bad_attributes, real
from surefit.certificates.blocks import F64, Blocks
from surefit.certificates.checker import Findings, checker
from surefit.certificates.claim import Claim, Grade, at_most
from surefit.certificates.predictions import numbers_claim, sample_rows
from surefit.certificates.search.program_in_memory import InMemory
from surefit.certificates.theorems.long_rows import LONG, Long, Slice, center_of, slices
from surefit.certificates.theorems.piecewise_linear import Program, Proof, loss_at, prove, sizes_of

ROUNDINGS = 4.0  # of the coefficients in their own precision, that are excused
COVERED = ("coef_", "intercept_", "dual_", "predict")


@checker(*COVERED)
def check_quantile_regressor(model: Any, blocks: Blocks, tol: float) -> Findings:
    """Up to seven passes over the rows in long double; a search in memory where `dual_` does not prove it."""
    return _findings(model, blocks, tol, 1.0, None)


@checker(*COVERED)
def check_lad_regressor(model: Any, blocks: Blocks, tol: float) -> Findings:
    """Least absolute deviations: the median."""
    return _findings(model, blocks, tol, 0.0, 0.5)


def _findings(model: Any, blocks: Blocks, tol: float, alpha: float, quantile: float | None) -> Findings:
    attrs, d = Attributes(model, "coef_"), blocks.n_features
    intercept = attrs.flag("fit_intercept", True)
    q = real(attrs.parameter("quantile", 0.5)) if quantile is None else quantile
    alpha = real(attrs.parameter("alpha", alpha))
    w, b = attrs.array("coef_", (d,), (1, d)), attrs.number("intercept_")
    dual = attrs.array("dual_", (blocks.n_rows,)) if attrs.has("dual_") else None
    if not 0 < q < 1:
        attrs.faults.append("quantile is not a number between 0 and 1")
    if not 0 <= alpha < np.inf:
        attrs.faults.append("alpha is not a number that is at least 0")
    if b and not intercept:
        attrs.faults.append("intercept_ is not zero although fit_intercept is false")
    if attrs.faults or w is None or b is None:
        return [bad_attributes(attrs)], "no pass"
    w, center_total = w.reshape(-1), center_of(blocks)
    center, total, _, spread = center_total
    program = _program(blocks, q, alpha, intercept, center, total)
    single = np.float32 in (np.asarray(model.coef_).dtype, np.asarray(model.intercept_).dtype)
    unit = float(np.finfo(np.float32 if single else np.float64).eps) / 2
    claims = _optimal(program, w, b, dual, tol, unit, total, spread)
    return [*claims, _predictions(model, blocks, w, b)], "up to seven passes over the rows in long double"


def _program(blocks: Blocks, q: float, alpha: float, intercept: bool, center: F64, total: Long) -> Program:
    def terms(part: Slice) -> tuple[F64, F64, Long, Long]:
        w = part.w.astype(LONG)
        return np.ones(w.size), part.y, (LONG(q) - 1) * w, LONG(q) * w

    sizes = sizes_of(blocks, center, total, intercept)
    return Program(blocks, terms, intercept, LONG(alpha) * total, center, sizes)


def _optimal(
    p: Program, w: F64, b: float, dual: F64 | None, tol: float, unit: float, total: Long, spread: float
) -> list[Claim]:
    """dual_ first; where it proves nothing (or there is none), a point of the dual that is sought."""
    memory, claims, lower = InMemory(p, slices), [], 0.0
    proof = None
    if dual is not None:
        delta = dual.astype(LONG)
        proof = prove(p, w, b, delta, memory.basis(delta), tol, spread)
        claims.append(_dual_claim(p, delta, proof, tol, unit))
    if proof is None or not proof.gap <= tol * (proof.bound.least - proof.gap):
        delta, *better = memory.dual(w, b)
        other = prove(p, w, b, delta, memory.basis(delta), tol, spread)
        proof = other if proof is None or other.gap < proof.gap else proof
        best = loss_at(p, *better)
        lower = float((proof.bound.least - best) / best) if best > 0 else 0.0
    return [*claims, _optimal_claim(proof, tol, unit, lower, total, spread)]


def _relative(proof: Proof, unit: float) -> tuple[float, float]:
    """The gap, and what rounding of the coefficients excuses, relative to the lower bound of the optimum."""
    least = proof.bound.least - proof.gap
    if not least > 0:
        return np.inf, 0.0
    return float(proof.gap / least), float(ROUNDINGS * unit * proof.bound.stored / least)


def _optimal_claim(proof: Proof, tol: float, unit: float, lower: float, total: Long, spread: float) -> Claim:
    m = proof.bound
    value, excuse = _relative(proof, unit)
    what, rest = "a relative", ""
    if m.loss <= ROUNDINGS * unit * m.stored:  # nothing is below zero
        scale = total * LONG(spread) if spread > 0 else m.stored
        what, lower = "a share of the targets' deviations of", 0.0
        value, excuse = float(m.loss / scale), float(ROUNDINGS * unit * m.stored / scale)
    elif proof.dependent:
        rest = f", {proof.dependent} dependent columns with coefficients up to a million typical sizes"
    is_lower = f"is lower by a relative {lower:.1e} or more" if lower > 0 else "may be lower"
    return at_most(
        "optimal",
        f"No coefficients have a sum of pinball losses (and penalty) lower by more than {what} {value:.1e}{rest}.",
        Grade.OPTIMAL,
        value,
        tol,
        {
            "objective": float((m.loss + m.least) / 2 / total),
            "gap": float(proof.gap / total),
            "lower_bound": float(np.maximum(m.least - proof.gap, LONG(0)) / total),
            "dependent_columns": proof.dependent,
        },
        excuse=excuse,
        lower=lower,
        failure=f"The least sum of pinball losses (and penalty) {is_lower}, by at most {what} {value:.1e}: fit again with "
        "another solver or a smaller tolerance, or bring columns to a common scale.",
    )


def _dual_claim(p: Program, delta: Long, proof: Proof, tol: float, unit: float) -> Claim:
    """dual_ is inside its boxes, and its lower bound is the minimum."""
    outside = LONG(0)
    for part in slices(p.blocks):
        _, _, lo, hi = p.terms(part)
        mine = delta[part.first : part.first + lo.size]
        over = np.maximum(np.maximum(lo - mine, mine - hi), 0)
        outside = np.maximum(outside, (over / np.where(hi > lo, hi - lo, LONG(1e-300))).max(initial=LONG(0)))
    value, excuse = _relative(proof, unit)
    if proof.bound.loss <= ROUNDINGS * unit * proof.bound.stored:
        value = 0.0
    return at_most(
        "dual",
        "dual_ holds slopes of the loss, row by row, that prove the optimum; relative distance from that.",
        Grade.OPTIMAL,
        float(np.maximum(outside, value)),
        tol,
        excuse=excuse,
        lower=0.0,
        failure="dual_ is outside its boxes, or proves a lower bound that is far from the sum of losses.",
    )


def _predictions(model: Any, blocks: Blocks, w: F64, b: float) -> Claim:
    rows = sample_rows(blocks)
    single = np.float32 in (rows.dtype, np.asarray(model.coef_).dtype)
    X, eps = rows.astype(np.float64), float(np.finfo(np.float32 if single else np.float64).eps)
    return numbers_claim(model, "predict", rows, X @ w + b, (w.size + 2) * eps * (np.abs(X) @ np.abs(w) + abs(b)))
