"""Checker of Ridge: f(w, b) = Σ ωᵢ (yᵢ − xᵢ·w − b)² + α ‖w‖² is strongly convex, so its gradient bounds the gap."""

from __future__ import annotations

from typing import Any

import numpy as np

from surefit.certificates.attributes import Attributes, bad_attributes
from surefit.certificates.blocks import F64, Blocks
from surefit.certificates.checker import Findings, checker
from surefit.certificates.claim import Claim, failed
from surefit.certificates.linear_model.linear_regression import (
    condition,
    cost_note,
    feasible,
    optimal_claims,
    read_linear,
)
from surefit.certificates.rounding import epsilon
from surefit.certificates.theorems.least_squares import Moments, first_pass, second_pass
from surefit.certificates.theorems.optimality import optimality


@checker()
def check_ridge(model: Any, blocks: Blocks, tol: float) -> Findings:
    """Two passes over the data; one factorisation of d + 1 + t columns where d ≤ 2000, none beyond."""
    attrs = Attributes(model, "coef_")
    moments = first_pass(blocks)
    alpha = read_alpha(attrs, "alpha", moments.n_targets)
    claims, formed = stationary_claims(model, attrs, blocks, moments, alpha)
    return claims, cost_note(formed, blocks)


def read_alpha(attrs: Attributes, name: str, t: int) -> F64 | None:
    """The penalty, one per target, or None with the fault noted."""
    alpha = attrs.array(name, (), (1,), (t,))
    if alpha is not None and (alpha < 0).any():
        attrs.faults.append(f"{name} is negative")
        return None
    return None if alpha is None else np.broadcast_to(alpha.reshape(-1), (t,)).astype(np.float64)


def stationary_claims(
    model: Any, attrs: Attributes, blocks: Blocks, moments: Moments, alpha: F64 | None
) -> tuple[list[Claim], bool]:
    """The claims on coef_ and intercept_ at the penalty alpha; whether a factor was formed."""
    centred, positive = attrs.flag("fit_intercept", True), attrs.flag("positive", False)
    coef, intercept = read_linear(attrs, moments, blocks.n_features, centred)
    if coef is None or intercept is None or alpha is None:
        return [bad_attributes(attrs)], False
    eps = epsilon(moments.single, np.asarray(model.coef_))
    res = second_pass(blocks, moments, coef, intercept, centred)
    if not (np.isfinite(res.scale).all() and np.isfinite(res.gradient).all()):
        return [failed("finite", "The residuals overflow: coefficients of this size fit nothing.")], False
    opt = optimality(res, coef, alpha, eps, positive=positive, n_rows=blocks.n_rows)
    claims = [feasible(coef)] if positive else []
    claims += optimal_claims(opt, "penalised sum of squares", positive)
    view = opt.projections[0]
    if view is not None:
        claims.append(condition(view, coef.shape[1], penalty=float(alpha[0])))
    return claims, view is not None
