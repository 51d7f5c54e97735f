"""Checker of RecursiveLeastSquares: ridge regression on all rows seen, each faded by what came after it.

A unit of weight fades all before it by λ, so a row of weight ω counts ω' = (1 − λ^ω)/(1 − λ) (ω, where λ = 1) times λ
to the weight of all later rows, and the penalty is α λ^Σω: f(w, b) = Σ λ^(later) ω' (y − x·w − b)² + α λ^Σω ‖w‖².
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from surefit.certificates.attributes import Attributes, real
from surefit.certificates.blocks import Blocks
from surefit.certificates.checker import Findings, checker
from surefit.certificates.claim import Claim, Grade, at_most, refuted
from surefit.certificates.linear_model.linear_fit import linear_claims
from surefit.certificates.rounding import UNIT, epsilon
from surefit.certificates.theorems.least_squares.faded import FadedBlocks, faded_penalty
from surefit.certificates.theorems.least_squares.least_squares_data import Data
from surefit.certificates.theorems.least_squares.least_squares_gap import Gap
from surefit.certificates.theorems.least_squares.projection import SAFE

EXCUSED, MOST_EXCUSED = 10.0, 0.1
FADED = 16 * UNIT  # a relative error of the faded weights: of J and of its least value


@checker("coef_", "intercept_", "covariance_", "n_samples_seen_", "predict")
def check_recursive_least_squares(model: Any, blocks: Blocks, tol: float) -> Findings:
    """Ridge's passes, and one for the weights."""
    fading = real(getattr(model, "forgetting", 1.0))
    if not 0 < fading <= 1:
        return [refuted("attributes", f"forgetting={fading} is not in (0, 1].")], "nothing"
    faded = FadedBlocks(blocks, fading)
    claims, cost, found = linear_claims(
        model, faded, tol, lambda attrs, t: faded_penalty(attrs, faded, t), "faded sum of squares and penalty",
        "fit the rows again, from the first to the last",
    )  # fmt: skip
    claims = [replace(c, value=c.value + FADED) if c.name == "optimal" and c.value is not None else c for c in claims]
    seen = real(getattr(model, "n_samples_seen_", None))
    failure = f"n_samples_seen_ is {seen:g}, these are {blocks.n_rows} rows."
    claims.append(at_most("seen", "These are the rows seen; difference in number.", Grade.EXACT,
                          abs(seen - blocks.n_rows), 0, failure=failure))  # fmt: skip
    if found is not None:
        claims.append(_covariance(Attributes(model, "coef_"), found[0], found[2], tol))
    return claims, f"{cost}, one for the weights"


def _covariance(attrs: Attributes, data: Data, gap: Gap, tol: float) -> Claim:
    """P = (CᵀC)⁻¹ without the intercept's row. U = CT has ‖UᵀU − I‖ ≤ η, so (CᵀC)⁻¹ = T(UᵀU)⁻¹Tᵀ is TTᵀ up to η/(1 − η)
    times the lengths of two rows of T. Each entry is measured against √(PᵢᵢPⱼⱼ), which these lengths are."""
    sums, first, d = gap.sums, int(data.intercept), data.scale.size
    if sums.D.size or not np.isfinite(sums.eta):
        reason = "covariance_ is not checked: columns depend on others too closely, or are too many."
        return Claim("covariance", reason, Grade.UNPROVED, None, None, True)
    P = attrs.array("covariance_", (d, d))
    if P is None:
        return refuted("covariance", f"{attrs.faults[-1]}.")
    T = sums.T[np.argsort(sums.J)][first:]
    length = np.linalg.norm(T, axis=1)
    off = np.abs(P * data.scale[:, None] * data.scale - T @ T.T) / np.outer(length, length)
    eps = epsilon(False, np.asarray(attrs.model.covariance_))
    condition = float(np.linalg.norm(sums.norms[first:, None] * T, 2))
    return at_most(
        "covariance",
        "covariance_ is the inverse of the faded sums of products and the penalty; largest difference of an entry, "
        "relative to the deviations of its two coefficients.",
        Grade.EXACT, float(off.max(initial=0.0)), tol,
        error=SAFE * (sums.eta / (1 - sums.eta) + (d + 8) * UNIT),
        excuse=min(MOST_EXCUSED, EXCUSED * eps * condition),
        failure=f"covariance_ is off by up to {off.max(initial=0.0):.2g} of the deviations of its coefficients.",
    )  # fmt: skip
