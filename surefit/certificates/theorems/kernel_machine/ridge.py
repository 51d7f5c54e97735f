"""How far f = Σ aᵢ k(xᵢ, ·) is from the least value of J(f) = Σ ωᵢ (yᵢ − f(xᵢ))² + α ‖f‖².

Theorem. Let δᵢ = yᵢ − f(xᵢ) − α aᵢ/ωᵢ, with aᵢ = 0 where ωᵢ = 0. Then min J ≥ J(f) − Σωδ². Proof. For every e of the
kernel's space J(f + e) = J(f) − 2Σωδe + Σωe² + α‖e‖², and −2δe + e² ≥ −δ². ∎
So with any other f' of the same form J(f) − J(f') ≤ J(f) − min J ≤ J(f) − J(f') + Σωδ'², and J(f) − min J ≤ Σωδ²: far
from the origin K a cancels, and the roundings of J, first order in those of K a, can hide a gap that Σωδ² still shows.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from surefit.certificates.blocks import F64
from surefit.certificates.claim import Claim, Grade, at_most, failed
from surefit.certificates.rounding import gamma
from surefit.certificates.theorems.kernel_machine.gram_products import LONG, LONG_UNIT, apply, long_rows
from surefit.certificates.theorems.kernel_machine.kernels import Kernel

EXCUSED = 10.0  # times what storing the coefficients and the entries of K costs in J
MOST_EXCUSED = 0.1
Proposal = Callable[[Any, F64], F64]  # (system, δ) ↦ a' − a


class System(NamedTuple):
    """Rows, targets (n, t), weights, and a penalty for each target."""

    kernel: Kernel
    X: F64
    y: F64
    omega: F64
    alpha: F64


class Value(NamedTuple):
    """Bounds per target: low ≤ J ≤ high, left_low ≤ Σωδ² ≤ left; δ itself."""

    low: F64
    high: F64
    left_low: F64
    left: F64
    storing: F64  # Σω(|K||a| + α|a|/ω)²: what a rounding of all a and K costs at most, over the square of its unit
    delta: F64


def value_of(system: System, a: F64) -> Value:
    """J and Σωδ² of the coefficients a (n, t), with every rounding added."""
    W, a = system.omega[:, None].astype(LONG), a.astype(LONG)
    X = long_rows(system.X)
    f, e_f, size = apply(system.kernel, X, X, a)
    own, many = system.alpha * a / np.where(W > 0, W, 1.0), gamma(len(a) + 8, LONG_UNIT)
    r = system.y - f
    e_r = e_f + 8 * LONG_UNIT * (np.abs(system.y) + size + np.abs(own))
    delta, penalty = r - own, system.alpha * (np.abs(a) * size).sum(axis=0)
    value, terms = (W * r * r).sum(axis=0) + system.alpha * (a * f).sum(axis=0), (W * r * r).sum(axis=0) + penalty
    off = (W * e_r * (2 * np.abs(r) + e_r)).sum(axis=0) + system.alpha * (np.abs(a) * e_f).sum(axis=0) + many * terms
    found = (
        np.maximum(value - off, 0.0),
        value + off,
        (W * np.maximum(np.abs(delta) - e_r, 0.0) ** 2).sum(axis=0) * (1 - many),
        (W * (np.abs(delta) + e_r) ** 2).sum(axis=0) * (1 + many),
        (W * (size + np.abs(own)) ** 2).sum(axis=0),
    )
    low, high, left_low, left, storing = (v.astype(np.float64) for v in found)
    return Value(low, high, left_low, left, storing, delta)


def ridge_claim(system: System, a: F64, unit: float, tol: float, propose: Proposal) -> Claim:
    """That of the target that fails, or is farthest off. `unit`: of the model's precision; `propose` is not trusted."""
    own = other = value_of(system, a)
    if not system.kernel.positive:
        return _worst([_solved(system, own, j, unit, tol) for j in range(a.shape[1])])
    if not (own.left <= tol * (own.low - own.left)).all() and np.isfinite(own.delta).all():
        other = value_of(system, a.astype(LONG) + propose(system, own.delta))
    least = np.maximum(np.maximum(own.low - own.left, other.low - other.left), 0.0)
    return _worst([_least(system, own, float(least[j]), float(other.high[j]), j, unit, tol) for j in range(a.shape[1])])


def _worst(claims: list[Claim]) -> Claim:
    return max(claims, key=lambda claim: (not claim.holds, claim.value or 0.0))


def _least(system: System, own: Value, least: float, other: float, j: int, unit: float, tol: float) -> Claim:
    """The distance of target j from the least value, relative to that."""
    low, high, all_of = float(own.low[j]), float(own.high[j]), float(system.omega @ system.y[:, j] ** 2)
    gap = min(float(own.left[j]), high - least)
    detail: dict[str, Any] = {"objective": high, "gap": gap, "lower_bound": least, "target": j}
    if high <= tol**2 * all_of or all_of == 0:  # a least value of rounding is nothing to compare with
        sentence = "The rows are fitted: the penalised sum of squares, relative to that of y."
        return at_most("optimal", sentence, Grade.OPTIMAL, high / (all_of or 1.0), tol**2, detail)
    value, lower = (gap / least if least > 0 else np.inf), max(0.0, low / other - 1) if other > 0 else 0.0
    excuse = min(MOST_EXCUSED, EXCUSED * unit**2 * float(own.storing[j]) / least) if least > 0 else 0.0
    failure = f"could be lower by up to {100 * value / (1 + value) if np.isfinite(value) else 100:.3g} %"
    failure += f", by {100 * lower / (1 + lower):.3g} % at least" if lower > tol + excuse else ""
    return at_most(
        "optimal",
        f"The penalised sum of squares is above the least possible of any function by a relative {value:.1e} at most.",
        Grade.OPTIMAL, value, tol, detail, excuse=excuse, lower=lower,
        failure=f"The penalised sum of squares {failure}: raise alpha, scale the data, or solve in float64.",
    )  # fmt: skip


def _solved(system: System, own: Value, j: int, unit: float, tol: float) -> Claim:
    """A kernel that may not be positive semi-definite has no least value: the linear system is all there is."""
    all_of = float(np.sqrt(system.omega @ system.y[:, j] ** 2))
    if not all_of > 0:
        return failed("system", "The target is zero in every row.")
    return at_most(
        "system",
        "dual_coef_ solves (K + α/ω) a = y: length of what is left, relative to y. (This kernel is not known to be "
        "positive semi-definite, so the system has no least value behind it.)",
        Grade.BOUNDED, float(np.sqrt(own.left[j])) / all_of, tol,
        excuse=min(MOST_EXCUSED, EXCUSED * unit * float(np.sqrt(own.storing[j])) / all_of),
        lower=float(np.sqrt(own.left_low[j])) / all_of,
        failure="dual_coef_ does not solve the linear system of kernel ridge regression, or rounding hides it.",
    )  # fmt: skip
