"""Checker of KernelRidge: J(f) = Σ ω (y − f(x))² + α ‖f‖² over the functions f of the kernel's space."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from surefit.certificates.attributes import Attributes, bad_attributes
from surefit.certificates.blocks import F64, BadData, Blocks, dense, looked_over
from surefit.certificates.checker import Findings, checker
from surefit.certificates.claim import Claim, Grade, at_most
from surefit.certificates.predictions import numbers_claim, sample_rows
from surefit.certificates.rounding import UNIT, epsilon, gamma
from surefit.certificates.search.machines.kernel_system import correction
from surefit.certificates.theorems.kernel_machine.gram_products import LONG, apply
from surefit.certificates.theorems.kernel_machine.kernels import Kernel
from surefit.certificates.theorems.kernel_machine.model_kernel import read_kernel
from surefit.certificates.theorems.kernel_machine.ridge import System, ridge_claim

MOST = 1 << 30  # entries of the rows in memory


@checker("dual_coef_", "X_fit_", "gamma_", "predict")
def check_kernel_ridge(model: Any, blocks: Blocks, tol: float) -> Findings:
    """The Gram matrix in blocks, once; twice where the fit is refused."""
    claims, cost, _ = ridge_claims(model, blocks, tol, "alpha")
    return claims, cost


def ridge_claims(model: Any, blocks: Blocks, tol: float, penalty: str) -> tuple[list[Claim], str, System | None]:
    """The claims on X_fit_, dual_coef_ and predict; and what they are about."""
    attrs, n, d = Attributes(model, "dual_coef_"), blocks.n_rows, blocks.n_features
    if n * d > MOST:
        raise BadData(f"{n} × {d} entries are too many to hold")
    kernel = read_kernel(attrs, blocks, gamma=1.0 / max(1, d), coef0=1.0)
    parts = [
        (dense(X), np.asarray(y, dtype=np.float64).reshape(len(w), -1), w, X.dtype == np.float32)
        for X, y, w in looked_over(blocks, needs_y=True)
    ]
    X, y, omega, single = (np.concatenate([np.atleast_1d(part[i]) for part in parts]) for i in range(4))
    t, Z = y.shape[1], attrs.array("X_fit_", (n, d))
    dual = attrs.array("dual_coef_", *([(n,), (n, 1)] if t == 1 else [(n, t)]))
    alpha = attrs.array(penalty, (), (1,), (t,))
    if alpha is not None and (alpha < 0).any():
        attrs.faults.append(f"{penalty} is negative")
    if attrs.faults or kernel is None or Z is None or dual is None or alpha is None:
        return [bad_attributes(attrs)], "one pass", None
    a, alpha = dual.reshape(n, t), np.broadcast_to(alpha.reshape(-1), (t,))
    wrong = int(((Z != X).any(axis=1) | (a.any(axis=1) & (omega == 0))).sum())
    unit = epsilon(bool(single.any()), np.asarray(model.dual_coef_)) / 2
    claims = [at_most(
        "rows", "X_fit_ is the rows of the data, and those without weight have no coefficient; rows where not.",
        Grade.EXACT, wrong, 0, failure=f"{wrong} rows of X_fit_ are not those of the data, or have a coefficient and "
        "no weight.",
    )]  # fmt: skip
    if wrong:
        return claims, "one pass", None
    system = System(kernel, X, y, omega, alpha)
    claims += [ridge_claim(system, a, unit, tol, correction), predict_claim(model, blocks, kernel, Z, a, unit)]
    return claims, f"{n}² entries of the Gram matrix in blocks", system


def predict_claim(model: Any, blocks: Blocks, kernel: Kernel, Z: F64, a: F64, unit: float) -> Claim:
    """predict gives Σ aⱼ k(x, zⱼ), up to the roundings of raw products in the model's precision."""
    X = sample_rows(blocks)
    rows = X.astype(np.float64)
    expected, error, size = apply(kernel, rows, Z, a.astype(LONG))
    raw = apply(replace(kernel, center=np.zeros(X.shape[1])), rows, Z, a)[1] * (unit / UNIT)
    underflow = float(np.finfo(np.float32 if unit > UNIT else np.float64).tiny) * np.abs(a).sum(axis=0)
    rounding = error + gamma(len(Z) + 8, unit) * size + raw + underflow
    shape = (len(X),) if np.ndim(model.dual_coef_) == 1 else expected.shape
    return numbers_claim(model, "predict", X, expected.astype(np.float64).reshape(shape), rounding.reshape(shape))
