"""Checker of LMSRegressor: how far gradient descent is from the least squares it aims at.

With A and r as in `least_squares`, f(w) − min f = ‖P r‖² exactly. Descent starts at w = 0: what is reported is the
share of the start's excess that is left, (f(w) − min f) / (f(0) − min f).
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from .attributes import Attributes
from .blocks import Blocks
from .certificate import Certificate
from .claim import Claim, Grade, at_most, failed
from .least_squares import BadData, first_pass, second_pass
from .linear_regression import condition, cost_note, read_linear
from .optimality import optimality
from .rounding import epsilon

LEFT = 1e-2  # share of the start's excess that may be left: a stochastic method does not stand still


def check_lms_regressor(model: Any, blocks: Blocks) -> Certificate:
    """Two passes over the data; one factorisation of d + 1 + t columns where d ≤ 2000."""
    start = time.perf_counter()
    with np.errstate(all="ignore"):
        claims, cost = _claims(model, blocks)
    seconds = time.perf_counter() - start
    return Certificate(claims, type(model).__name__, blocks.n_rows, blocks.n_features, seconds, cost)


def _claims(model: Any, blocks: Blocks) -> tuple[list[Claim], str]:
    attrs = Attributes(model, "coef_")
    centred = attrs.flag("fit_intercept", True)
    try:
        moments = first_pass(blocks)
    except BadData as fault:
        return [failed("data", f"Nothing can be checked: {fault}.")], "one pass"
    coef, intercept = read_linear(attrs, moments, blocks.n_features, centred)
    if coef is None or intercept is None:
        return [failed("attributes", f"{'; '.join(attrs.faults)}.")], "one pass"
    eps = epsilon(moments.single, np.asarray(model.coef_))
    res = second_pass(blocks, moments, coef, intercept, centred)
    if not (np.isfinite(res.scale).all() and np.isfinite(res.gradient).all()):
        return [failed("finite", "The residuals overflow: coefficients of this size fit nothing.")], "two passes"
    opt = optimality(res, coef, np.zeros(len(coef)), eps, positive=False, n_rows=blocks.n_rows)
    if not opt.proved:
        return [failed("near_optimum", "There are too many columns to bound the distance.")], cost_note(False, blocks)
    least = np.maximum(opt.f - opt.gap, 0.0)
    excess = np.maximum(res.y_norm**2 - least, 0.0) + opt.floor**2 / LEFT
    left = np.where(opt.gap > 0, opt.gap / np.where(excess > 0, excess, 1e-300), 0.0)
    j = int(np.argmax(left))
    above = float(opt.gap[j] / least[j]) if least[j] > 0 else np.inf
    claims = [
        at_most(
            "near_optimum",
            f"The sum of squared residuals is above the least possible by a relative {above:.1e}; of the excess at "
            "coefficients of zero, this share is left.",
            Grade.BOUNDED,
            left[j],
            LEFT,
            {"objective": float(opt.f[j]), "gap": float(opt.gap[j]), "lower_bound": float(least[j])},
        )
    ]
    view = opt.projections[0]
    if view is not None:
        claims.append(condition(view, coef.shape[1]))
    return claims, cost_note(view is not None, blocks)
