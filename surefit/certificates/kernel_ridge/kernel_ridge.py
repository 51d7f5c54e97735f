"""Checker of KernelRidge: J(f) = Σ ω (y − f(x))² + α ‖f‖² over the functions f of the kernel's space."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from surefit.certificates.attributes import Attributes, bad_attributes
from surefit.certificates.blocks import F64, Blocks
from surefit.certificates.checker import Findings, checker
from surefit.certificates.claim import Claim, Grade, at_most
from surefit.certificates.predictions import numbers_claim, sample_rows
from surefit.certificates.rounding import epsilon
from surefit.certificates.search.machines.kernel_system import correction
from surefit.certificates.theorems.kernel_machine.all_rows import read_data
from surefit.certificates.theorems.kernel_machine.gram_products import apply
from surefit.certificates.theorems.kernel_machine.kernels import Kernel
from surefit.certificates.theorems.kernel_machine.model_kernel import read_kernel
from surefit.certificates.theorems.kernel_machine.ridge import System, ridge_claim

Found = tuple[list[Claim], str, System | None]  # claims, what they cost, and what they are about


@checker("dual_coef_", "X_fit_", "gamma_", "predict")
def check_kernel_ridge(model: Any, blocks: Blocks, tol: float) -> Findings:
    """The Gram matrix in blocks, once; twice where the fit is refused."""
    claims, cost, _ = ridge_claims(model, blocks, tol, "alpha")
    return claims, cost


def ridge_claims(model: Any, blocks: Blocks, tol: float, penalty: str, gamma: float | None = None) -> Found:
    """The claims on X_fit_, dual_coef_ and predict. `gamma` where the model's own is None."""
    attrs, (X, y, omega, single) = Attributes(model, "dual_coef_"), read_data(blocks)
    (n, d), t = X.shape, y.shape[1]
    kernel, Z = read_kernel(attrs, X, gamma=gamma or 1.0 / max(1, d), coef0=1.0), attrs.array("X_fit_", (n, d))
    dual = attrs.array("dual_coef_", *([(n,), (n, 1)] if t == 1 else [(n, t)]))
    alpha = attrs.array(penalty, (), (1,), (t,))
    if alpha is not None and (alpha < 0).any():
        attrs.faults.append(f"{penalty} is negative")
    if attrs.faults or Z is None or dual is None or alpha is None:
        return [bad_attributes(attrs)], "one pass", None
    a, alpha = dual.reshape(n, t), np.broadcast_to(alpha.reshape(-1), (t,))
    unit = epsilon(single, np.asarray(model.dual_coef_)) / 2
    wrong = int(((Z != X).any(axis=1) | (a.any(axis=1) & (omega == 0))).sum())
    said = "X_fit_ is the rows of the data, and those without weight have no coefficient; rows where not."
    claims = [at_most("rows", said, Grade.EXACT, wrong, 0)]
    if wrong:
        return claims, "one pass", None
    system = System(kernel, X, y, omega, alpha)
    claims += [ridge_claim(system, a, unit, tol, correction), predict_claim(model, blocks, kernel, Z, a, unit)]
    return claims, f"{n}² entries of the Gram matrix in blocks", system


def predict_claim(model: Any, blocks: Blocks, kernel: Kernel, Z: F64, a: F64, unit: float) -> Claim:
    """predict gives Σ aⱼ k(x, zⱼ), up to the roundings of the model's precision."""
    X = sample_rows(blocks)
    expected, rounding, _ = apply(replace(kernel, raw=unit), X.astype(np.float64), Z, a)
    shape = (len(X),) if np.ndim(model.dual_coef_) == 1 else expected.shape
    return numbers_claim(model, "predict", X, expected.astype(np.float64).reshape(shape), rounding.reshape(shape))
