"""Checker of KernelRidge: J(f) = Σ ω (y − f(x))² + α ‖f‖² over the functions f of the kernel's space."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from surefit.certificates.attributes import Attributes, bad_attributes
from surefit.certificates.blocks import F64, Blocks
from surefit.certificates.checker import Findings, checker
from surefit.certificates.claim import Claim, Grade, at_most, failed, refuted
from surefit.certificates.predictions import numbers_claim, sample_rows
from surefit.certificates.rounding import UNIT, epsilon, gamma
from surefit.certificates.search.kernel_system import correction
from surefit.certificates.theorems.kernel_machine.kernels import Kernel, read_kernel
from surefit.certificates.theorems.kernel_machine.ridge_gap import Groups, RidgeGap, apply, group_rows, ridge_gap

EXCUSED = 10.0  # times what storing the coefficients and the entries of K costs in J
MOST_EXCUSED = 0.1


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
    judge = optimal_claim if kernel.positive else system_claim
    found = [judge(gap, groups, j, single, tol) for j in range(t)]
    claims = [
        at_most("rows", "Every row of X_fit_ that has a coefficient is a row of the data.", Grade.EXACT, 0, 0),
        max(found, key=lambda claim: (not claim.holds, claim.value or 0.0)),
        predict_claim(model, blocks, kernel, Z, dual, single),
    ]
    return claims, f"{len(groups.X)}² entries of the Gram matrix in blocks", (kernel, groups, alpha)


def optimal_claim(gap: RidgeGap, groups: Groups, j: int, unit: float, tol: float) -> Claim:
    """The distance of target j from the least value, relative to that."""
    low, high, gap_low, gap_high = (float(v[j]) for v in (gap.low, gap.high, gap.gap_low, gap.gap_high))
    detail = {"objective": high, "gap": gap_high, "gap_at_least": gap_low, "lower_bound": max(0.0, low - gap_high)}
    all_of, remedy = float(groups.square[j]), "raise alpha, scale the data, or solve in float64"
    if high <= tol**2 * all_of:  # a least value of rounding is nothing to compare with
        sentence = "The rows are fitted: the penalised sum of squares, relative to that of y."
        return at_most("optimal", sentence, Grade.OPTIMAL, high / all_of if all_of > 0 else 0.0, tol**2, detail)
    value, lower = (gap_high / (low - gap_high) if low > gap_high else np.inf), gap_low / (high - gap_low)
    excuse = min(MOST_EXCUSED, EXCUSED * unit**2 * float(gap.storing[j]) / (low - gap_high)) if low > gap_high else 0.0
    failure = f"could be lower by up to {100 * value / (1 + value) if np.isfinite(value) else 100:.3g} %"
    failure += f", by {100 * lower / (1 + lower):.3g} % at least" if lower > tol + excuse else ""
    return at_most(
        "optimal",
        f"The penalised sum of squares is above the least possible of any function by a relative {value:.1e} at most.",
        Grade.OPTIMAL, value, tol, {**detail, "target": j}, excuse=excuse, lower=lower,
        failure=f"The penalised sum of squares {failure}: {remedy}.",
    )  # fmt: skip


def system_claim(gap: RidgeGap, groups: Groups, j: int, unit: float, tol: float) -> Claim:
    """A kernel that may not be positive semi-definite has no least value: the linear system is all there is."""
    all_of = float(np.sqrt(groups.square[j]))
    if not all_of > 0:
        return failed("system", "The target is zero in every row.")
    return at_most(
        "system",
        "dual_coef_ solves (K + α/ω) a = y: length of what is left, relative to y. (This kernel is not known to be "
        "positive semi-definite, so the system has no least value behind it.)",
        Grade.BOUNDED, float(np.sqrt(gap.left_high[j])) / all_of, tol,
        excuse=min(MOST_EXCUSED, EXCUSED * unit * float(np.sqrt(gap.storing[j])) / all_of),
        lower=float(np.sqrt(gap.left_low[j])) / all_of,
        failure="dual_coef_ does not solve the linear system of kernel ridge regression, or rounding hides it.",
    )  # fmt: skip


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
