"""Checker of Ridge: f(w, b) = Σ ωᵢ (yᵢ − xᵢ·w − b)² + α ‖w‖² is least squares with the rows √α I below the data."""

from __future__ import annotations

from typing import Any

import numpy as np

from surefit.certificates.attributes import Attributes
from surefit.certificates.blocks import F64, Blocks
from surefit.certificates.checker import Findings, checker
from surefit.certificates.linear_model.linear_fit import linear_claims


@checker("coef_", "intercept_", "predict")
def check_ridge(model: Any, blocks: Blocks, tol: float) -> Findings:
    """As for LinearRegression; several penalties cost a pass each."""
    remedy = "lower the solver's tol, raise max_iter, or take another solver"
    claims, cost, _ = linear_claims(
        model, blocks, tol, lambda attrs, t: read_alpha(attrs, "alpha", t), "penalised sum of squares", remedy
    )
    return claims, cost


def read_alpha(attrs: Attributes, name: str, t: int) -> F64 | None:
    """The penalty, one per target, or None with the fault noted."""
    alpha = attrs.array(name, (), (1,), (t,))
    if alpha is not None and (alpha < 0).any():
        attrs.faults.append(f"{name} is negative")
        return None
    return None if alpha is None else np.broadcast_to(alpha.reshape(-1), (t,)).astype(np.float64)
