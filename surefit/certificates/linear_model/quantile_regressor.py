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
from surefit.certificates.rounding import epsilon
from surefit.certificates.search.linear.program_in_memory import InMemory
from surefit.certificates.theorems.linear_program.long_rows import LONG, Long, Slice, slices
from surefit.certificates.theorems.linear_program.piecewise_linear import Program, Proof, read_program
from surefit.certificates.theorems.linear_program.program_claim import Question, optimal, relative

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
    w = w.reshape(-1)
    p = _program(blocks, q, alpha, intercept)
    unit = epsilon(False, np.asarray(model.coef_), np.asarray(model.intercept_)) / 2
    question = Question(w, b, tol, unit, "sum of pinball losses (and penalty)")
    claim, given = optimal(p, question, None if dual is None else dual.astype(LONG), InMemory(p))
    claims = [claim] if dual is None or given is None else [_dual_claim(p, dual.astype(LONG), given, question), claim]
    return [*claims, _predictions(model, blocks, w, b)], "up to seven passes over the rows in long double"


def _program(blocks: Blocks, q: float, alpha: float, intercept: bool) -> Program:
    def terms(part: Slice) -> tuple[F64, F64, Long, Long]:
        w = part.w.astype(LONG)
        return np.ones(w.size), part.y, (LONG(q) - 1) * w, LONG(q) * w

    return read_program(blocks, terms, intercept, alpha)


def _dual_claim(p: Program, delta: Long, proof: Proof, q: Question) -> Claim:
    """dual_ is inside its boxes, and its lower bound is the minimum."""
    outside = LONG(0)
    for part in slices(p.blocks):
        _, _, lo, hi = p.terms(part)
        mine = delta[part.first : part.first + lo.size]
        over = np.maximum(np.maximum(lo - mine, mine - hi), 0)
        outside = np.maximum(outside, (over / np.where(hi > lo, hi - lo, LONG(1e-300))).max(initial=LONG(0)))
    value, excuse, _ = relative(proof, p, q)
    return at_most(
        "dual",
        "dual_ holds slopes of the loss, row by row, that prove the optimum; relative distance from that.",
        Grade.OPTIMAL,
        float(np.maximum(outside, value)),
        q.tol,
        excuse=excuse,
        lower=float(outside),
        failure="dual_ is outside its boxes, or proves a lower bound that is far from the sum of losses.",
    )


def _predictions(model: Any, blocks: Blocks, w: F64, b: float) -> Claim:
    rows = sample_rows(blocks)
    X, eps = rows.astype(np.float64), epsilon(rows.dtype == np.float32, np.asarray(model.coef_))
    return numbers_claim(model, "predict", rows, X @ w + b, (w.size + 2) * eps * (np.abs(X) @ np.abs(w) + abs(b)))
