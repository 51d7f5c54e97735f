"""Checker of LMSRegressor: how far gradient descent is from the least squares it aims at.

With A and r as in `least_squares`, f(w) − min f = ‖P r‖² exactly. Descent starts at w = 0, with the excess
f(0) − min f.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from surefit.certificates.attributes import Attributes, bad_attributes
from surefit.certificates.blocks import F64, Blocks
from surefit.certificates.checker import Findings, checker
from surefit.certificates.claim import Claim, Grade, at_most, failed
from surefit.certificates.linear_model.linear_regression import condition, cost_note, read_linear
from surefit.certificates.rounding import epsilon
from surefit.certificates.theorems.least_squares import first_pass, second_pass
from surefit.certificates.theorems.optimality import Optimality, optimality

CONVERGED = 1e-6  # relative gap of a fit by all rows at a time
START = 1e-3  # the part of the start's excess that counts like the least sum: where there is no noise
LEFT = 1e-2  # share of the start's excess that may be left by a fit row by row, which does not stand still


@checker()
def check_lms_regressor(model: Any, blocks: Blocks, tol: float) -> Findings:
    """Two passes over the data; one factorisation of d + 1 + t columns where d ≤ 2000."""
    attrs = Attributes(model, "coef_")
    centred = attrs.flag("fit_intercept", True)
    moments = first_pass(blocks)
    coef, intercept = read_linear(attrs, moments, blocks.n_features, centred)
    if coef is None or intercept is None:
        return [bad_attributes(attrs)], "one pass"
    eps = epsilon(moments.single, np.asarray(model.coef_))
    res = second_pass(blocks, moments, coef, intercept, centred)
    if not (np.isfinite(res.scale).all() and np.isfinite(res.gradient).all()):
        return [failed("finite", "The residuals overflow: coefficients of this size fit nothing.")], "two passes"
    opt = optimality(res, coef, np.zeros(len(coef)), eps, positive=False, n_rows=blocks.n_rows)
    if not opt.proved:
        return [failed("optimal", "There are too many columns to bound the distance.")], cost_note(False, blocks)
    least = np.maximum(opt.f - opt.gap, 0.0)
    excess = np.maximum(res.y_norm**2 - least, 0.0)
    claim = _stochastic(opt, least, excess) if one_row_at_a_time(attrs) else _batch(opt, least, excess)
    claims = [claim]
    view = opt.projections[0]
    if view is not None:
        claims.append(condition(view, coef.shape[1]))
    return claims, cost_note(view is not None, blocks)


def one_row_at_a_time(attrs: Attributes) -> bool:
    """Whether there were more updates (t_) than passes (n_iter_)."""
    t, passes = attrs.raw("t_"), attrs.raw("n_iter_")
    if t is None or passes is None or t.size != 1 or passes.size != 1:
        return False
    return bool(float(t.reshape(())) > 2 * float(passes.reshape(())) + 1)


def _batch(opt: Optimality, least: F64, excess: F64) -> Claim:
    """All rows at every step: descent converges, and is held to it."""
    scale = least + START * excess + opt.floor**2 / CONVERGED
    value = np.where(opt.gap > 0, opt.gap / np.where(scale > 0, scale, 1e-300), 0.0)
    j = int(np.argmax(value))
    return at_most(
        "optimal",
        f"No coefficients have a sum of squared residuals lower by more than a relative {value[j]:.1e} (of the least "
        f"sum, and {START:g} of what descent started with above it).",
        Grade.OPTIMAL,
        value[j],
        CONVERGED,
        _detail(opt, least, j),
    )


def _stochastic(opt: Optimality, least: F64, excess: F64) -> Claim:
    """A row at a time: with a constant rate the coefficients never stand still."""
    scale = excess + opt.floor**2 / LEFT
    left = np.where(opt.gap > 0, opt.gap / np.where(scale > 0, scale, 1e-300), 0.0)
    j = int(np.argmax(left))
    above = f"{float(opt.gap[j] / least[j]):.1e}" if least[j] > 0 else "any factor"
    return at_most(
        "near_optimum",
        f"The sum of squared residuals is above the least possible by a relative {above}; of the excess at "
        "coefficients of zero, this share is left.",
        Grade.BOUNDED,
        left[j],
        LEFT,
        _detail(opt, least, j),
    )


def _detail(opt: Optimality, least: F64, j: int) -> dict[str, float]:
    return {"objective": float(opt.f[j]), "gap": float(opt.gap[j]), "lower_bound": float(least[j])}
