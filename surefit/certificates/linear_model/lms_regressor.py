"""Checker of LMSRegressor: how far gradient descent is from the least squares it aims at, however it went there."""

from __future__ import annotations

from typing import Any

import numpy as np

from surefit.certificates.blocks import Blocks
from surefit.certificates.checker import Findings, checker
from surefit.certificates.linear_model.linear_fit import linear_claims
from surefit.certificates.theorems.least_squares.dependent_columns import exact_combinations


@checker("coef_", "intercept_", "predict")
def check_lms_regressor(model: Any, blocks: Blocks, tol: float) -> Findings:
    """As for LinearRegression."""
    remedy = "raise max_iter, lower tol, or take method='batch'"
    claims, cost, _ = linear_claims(
        model, blocks, tol, lambda _, t: np.zeros(t), "sum of squared residuals", remedy, exact_combinations
    )
    return claims, cost
