"""Checker of LinearRegression: is this the least-squares fit, and where there are many, the shortest?"""

from __future__ import annotations

from typing import Any

import numpy as np

from surefit.certificates.blocks import F64, Blocks
from surefit.certificates.checker import Findings, checker
from surefit.certificates.claim import Claim, Grade, at_most
from surefit.certificates.linear_model.linear_fit import linear_claims
from surefit.certificates.rounding import gamma
from surefit.certificates.theorems.least_squares.dependent_columns import exact_combinations
from surefit.certificates.theorems.least_squares.least_squares_data import Data
from surefit.certificates.theorems.least_squares.least_squares_gap import Gap
from surefit.certificates.theorems.least_squares.projection import SAFE

MOST_SINGULAR = 1000  # columns, for a condition number


@checker("coef_", "intercept_", "predict")
def check_linear_regression(model: Any, blocks: Blocks, tol: float) -> Findings:
    """Four passes over the data; a factor of d + 1 columns where it is not too large."""
    what, remedy = "sum of squared residuals", "fit again on these rows, with a smaller tol"
    claims, cost, found = linear_claims(model, blocks, tol, lambda _, t: np.zeros(t), what, remedy, exact_combinations)
    if found is not None and not getattr(model, "positive", False):
        claims += [*minimum_norm(*found, tol), *condition(found[0], found[2])]
    return claims, cost


def minimum_norm(data: Data, coef: F64, gap: Gap, tol: float) -> list[Claim]:
    """Of all best fits this is the shortest, where every column of D is an exact combination of the columns J.

    The other best fits are w + N v with N = [−Z; I], C_D = C_J Z. The shortest has Nᵀw = 0, and ‖w‖² exceeds its square
    by (Nᵀw)ᵀ(NᵀN)⁻¹Nᵀw ≤ ‖Nᵀw‖², for NᵀN = I + ZᵀZ. Z = T(UᵀU)⁻¹UᵀC_D; in the columns' own units s_D Z/s_J.
    """
    sums, first = gap.sums, int(data.intercept)
    if not sums.D.size or not (gap.exact | (sums.norms[sums.D] == 0)).all():
        return []
    inner = sums.J >= first
    ours, others = sums.J[inner] - first, sums.D - first
    T, scale = sums.T[inner] / data.scale[ours][:, None], data.scale[others]
    wT, Z = coef[:, ours] @ T, T @ sums.M.T * scale
    off = coef[:, others] - coef[:, ours] @ Z
    error = 4 * sums.eta * np.linalg.norm(wT, axis=1)[:, None] * sums.norms[sums.D] * scale
    error = error + gamma(4 * ours.size + 8) * (np.abs(coef[:, ours]) @ np.abs(T) @ np.abs(sums.M).T * scale)
    away, doubt, square = (np.linalg.norm(v, axis=1) for v in (off, error, coef))
    square = np.where(square > 0, square, 1.0) ** 2
    lower = float((np.maximum(away - doubt, 0.0) ** 2 / square).max() / (1 + SAFE * (Z**2).sum()))
    claim = at_most(
        "minimum_norm",
        f"Columns are dependent (rank {ours.size} of {coef.shape[1]}); of all best fits this is the shortest: "
        "relative excess of the squared length.",
        Grade.OPTIMAL,
        float((SAFE * (away + doubt) ** 2 / square).max()),
        tol,
        lower=lower,
        failure=f"There {'is' if lower > tol else 'may be'} a shorter vector of coefficients with the same fit.",
    )
    return [claim]


def condition(data: Data, gap: Gap) -> list[Claim]:
    """Information: the condition number of the independent columns, centered and scaled to norm one: that of T."""
    sums = gap.sums
    inner = sums.J >= int(data.intercept)
    rank = int(inner.sum())
    if not 0 < rank <= MOST_SINGULAR or not np.isfinite(sums.eta):
        return []
    value = float(np.linalg.cond(sums.norms[sums.J[inner]][:, None] * sums.T[np.ix_(inner, inner)]))
    sentence = (
        f"Condition number of the centered and scaled columns (rank {rank} of {data.scale.size}): up to "
        f"{np.log10(value):.0f} of the 16 digits of the data are missing in the coefficients."
    )
    return [Claim("condition", sentence, Grade.BOUNDED, value, None, True, {"rank": rank})]
