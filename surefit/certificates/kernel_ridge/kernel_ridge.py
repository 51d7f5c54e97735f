"""Checker of KernelRidge: J(f) = Σ ω (y − f(x))² + α ‖f‖² over the functions f of the kernel's space."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from surefit.certificates.attributes import Attributes, bad_attributes
from surefit.certificates.blocks import F64, Blocks
from surefit.certificates.checker import Findings, checker
from surefit.certificates.claim import Claim, Grade, at_most, refuted
from surefit.certificates.predictions import numbers_claim, sample_rows
from surefit.certificates.rounding import UNIT, epsilon, gamma
from surefit.certificates.search.kernel_system import correction
from surefit.certificates.theorems.kernel_machine.gram_products import apply
from surefit.certificates.theorems.kernel_machine.groups import Groups, group_rows
from surefit.certificates.theorems.kernel_machine.kernels import Kernel
from surefit.certificates.theorems.kernel_machine.model_kernel import read_kernel
from surefit.certificates.theorems.kernel_machine.ridge_claim import ridge_claim
from surefit.certificates.theorems.kernel_machine.ridge_gap import ridge_gap


@checker("dual_coef_", "X_fit_", "gamma_", "predict")
def check_kernel_ridge(model: Any, blocks: Blocks, tol: float) -> Findings:
    """The Gram matrix of the distinct rows in blocks, once; twice where the fit is refused."""
    claims, cost, _ = ridge_claims(model, blocks, tol, "alpha")
    return claims, cost


def ridge_claims(
    model: Any, blocks: Blocks, tol: float, penalty: str
) -> tuple[list[Claim], str, tuple[Kernel, Groups, F64] | None]:
    """The claims on X_fit_, dual_coef_ and predict; the kernel, the distinct rows and the penalties they are about."""
    attrs = Attributes(model, "dual_coef_")
    kernel = read_kernel(attrs, blocks, gamma=1.0 / max(1, blocks.n_features), coef0=1.0, by_rows=True)
    groups = group_rows(blocks, kernel is not None and kernel.name == "precomputed")
    t, Z = groups.y.shape[1], attrs.array("X_fit_")
    if Z is not None and (Z.ndim != 2 or Z.shape[1] != blocks.n_features):
        attrs.faults.append(f"X_fit_ has shape {Z.shape}, expected rows of {blocks.n_features} columns")
    n = 0 if Z is None else len(Z)
    dual, alpha = (
        attrs.array("dual_coef_", *([(n,), (n, 1)] if t == 1 else [(n, t)])),
        attrs.array(penalty, (), (1,), (t,)),
    )
    if alpha is not None and (alpha < 0).any():
        attrs.faults.append(f"{penalty} is negative")
    if attrs.faults or kernel is None or Z is None or dual is None or alpha is None:
        return [bad_attributes(attrs)], "one pass", None
    dual, alpha, at = dual.reshape(n, t), np.broadcast_to(alpha.reshape(-1), (t,)), groups.of(Z)
    idle = dual.any(axis=1) & (np.append(groups.weight, -1.0)[at] <= 0)
    if idle.any():
        reason = f"{int(idle.sum())} rows of X_fit_ with a coefficient are no rows of the data, or have no weight."
        return [refuted("rows", reason)], "one pass", None
    a = np.zeros(groups.y.shape, np.longdouble)
    np.add.at(a, at[at >= 0], dual[at >= 0])
    single = epsilon(groups.single, np.asarray(model.dual_coef_)) / 2
    gap = ridge_gap(kernel, groups, a, alpha, tol, correction)
    claims = [
        at_most("rows", "Every row of X_fit_ that has a coefficient is a row of the data.", Grade.EXACT, 0, 0),
        ridge_claim(kernel, gap, groups, single, tol),
        predict_claim(model, blocks, kernel, Z, dual, single),
    ]
    return claims, f"{len(groups.X)}² entries of the Gram matrix in blocks", (kernel, groups, alpha)


def predict_claim(model: Any, blocks: Blocks, kernel: Kernel, Z: F64, dual: F64, unit: float) -> Claim:
    """predict gives Σ aⱼ k(x, zⱼ), up to the roundings of raw products in the model's precision."""
    X = sample_rows(blocks)
    rows = X.astype(np.float64)
    expected, error, size = apply(kernel, rows, Z, dual.astype(np.longdouble))
    raw = apply(replace(kernel, center=np.zeros(X.shape[1])), rows, Z, dual)[1] * (unit / UNIT)
    underflow = float(np.finfo(np.float32 if unit > UNIT else np.float64).tiny) * np.abs(dual).sum(axis=0)
    rounding = error + gamma(len(Z) + 8, unit) * size + raw + underflow
    shape = (len(X),) if np.ndim(model.dual_coef_) == 1 else expected.shape
    return numbers_claim(model, "predict", X, expected.astype(np.float64).reshape(shape), rounding.reshape(shape))
