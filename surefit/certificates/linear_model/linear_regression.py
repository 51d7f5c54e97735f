"""Checker of LinearRegression: is this the least-squares fit, and where there are many, the shortest?"""

from __future__ import annotations

from typing import Any

import numpy as np

from surefit.certificates.blocks import F64, Blocks
from surefit.certificates.checker import Findings, checker
from surefit.certificates.claim import Claim, Grade, at_most
from surefit.certificates.linear_model.linear_fit import linear_claims, no_penalty
from surefit.certificates.rounding import gamma
from surefit.certificates.theorems.least_squares.least_squares_data import Data
from surefit.certificates.theorems.least_squares.least_squares_gap import Gap
from surefit.certificates.theorems.least_squares.orthonormal_columns import SAFE


@checker("coef_", "intercept_", "predict")
def check_linear_regression(model: Any, blocks: Blocks, tol: float) -> Findings:
    """Four passes over the data; a factor of d + 1 columns where it is not too large."""
    claims, cost, found = linear_claims(
        model, blocks, tol, no_penalty, "sum of squared residuals", "fit again on these rows, with a smaller tol"
    )
    if found is not None and not getattr(model, "positive", False):
        claims += minimum_norm(*found, tol)
    return claims, cost


def minimum_norm(data: Data, coef: F64, gap: Gap, tol: float) -> list[Claim]:
    """Of all best fits this is the shortest, where every column of D is an exact combination of the columns J.

    The other best fits are w + N v with N = [−Z; I], C_D = C_J Z. The shortest has Nᵀw = 0, and ‖w‖² exceeds its square
    by (Nᵀw)ᵀ(NᵀN)⁻¹Nᵀw ≤ ‖Nᵀw‖², for NᵀN = I + ZᵀZ. Z = T(UᵀU)⁻¹UᵀC_D; in the columns' own units s_D Z/s_J.
    """
    basis, sums, first = gap.basis, gap.sums, int(data.intercept)
    if not basis.D.size or basis.tau.any():
        return []
    inner = basis.J >= first
    ours, others = basis.J[inner] - first, basis.D - first
    T, scale = basis.T[inner] / data.scale[ours][:, None], data.scale[others]
    wT, Z = coef[:, ours] @ T, T @ sums.M.T * scale
    off = coef[:, others] - coef[:, ours] @ Z
    error = 4 * sums.eta * np.linalg.norm(wT, axis=1)[:, None] * sums.norms[basis.D] * scale
    error = error + gamma(4 * ours.size + 8) * (np.abs(coef[:, ours]) @ np.abs(T) @ np.abs(sums.M).T * scale)
    away, doubt, square = (np.linalg.norm(v, axis=1) for v in (off, error, coef))
    square = np.where(square > 0, square, 1.0) ** 2
    claim = at_most(
        "minimum_norm",
        f"Columns are dependent (rank {ours.size} of {coef.shape[1]}); of all best fits this is the shortest: "
        "relative excess of the squared length.",
        Grade.OPTIMAL,
        float((SAFE * (away + doubt) ** 2 / square).max()),
        tol,
        lower=float((np.maximum(away - doubt, 0.0) ** 2 / square).max() / (1 + SAFE * (Z**2).sum())),
        failure="There is a shorter vector of coefficients with the same fit.",
    )
    return [claim]
