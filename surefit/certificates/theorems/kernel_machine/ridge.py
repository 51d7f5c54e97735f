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
from surefit.certificates.theorems.kernel_machine.above_least import (
    EXCUSED,
    MOST_EXCUSED,
    Distance,
    above_least,
    worst,
)
from surefit.certificates.theorems.kernel_machine.gram_products import LONG, LONG_UNIT, apply
from surefit.certificates.theorems.kernel_machine.kernels import Kernel

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
    W, a, many = system.omega[:, None].astype(LONG), a.astype(LONG), gamma(len(a) + 8, LONG_UNIT)
    f, e_f, size = apply(system.kernel, system.X, system.X, a)
    own, r = system.alpha * a / np.where(W > 0, W, 1.0), system.y - f
    e_r = e_f + 8 * LONG_UNIT * (np.abs(system.y) + size + np.abs(own))
    delta, squares, norm = r - own, (W * r * r).sum(axis=0), system.alpha * (a * f).sum(axis=0)
    off = (W * e_r * (2 * np.abs(r) + e_r)).sum(axis=0) + system.alpha * (np.abs(a) * e_f).sum(axis=0)
    off += many * (squares + system.alpha * (np.abs(a) * size).sum(axis=0))
    found = (
        np.maximum(squares + norm - off, 0.0),
        squares + norm + off,
        (W * np.maximum(np.abs(delta) - e_r, 0.0) ** 2).sum(axis=0) * (1 - many),
        (W * (np.abs(delta) + e_r) ** 2).sum(axis=0) * (1 + many),
        (W * (size + np.abs(own)) ** 2).sum(axis=0),
    )
    return Value(*(v.astype(np.float64) for v in found), delta)


def ridge_claim(system: System, a: F64, unit: float, tol: float, propose: Proposal) -> Claim:
    """That of the target that fails, or is farthest off. `unit`: of the model's precision; `propose` is not trusted."""
    own = other = value_of(system, a)
    if not system.kernel.positive:
        return worst(_solved(system, own, j, unit, tol) for j in range(a.shape[1]))
    if not (own.left <= tol * (own.low - own.left)).all() and np.isfinite(own.delta).all():
        other = value_of(system, a.astype(LONG) + propose(system, own.delta))
    least = np.maximum(np.maximum(own.low - own.left, other.low - other.left), 0.0)
    gap, shown = np.minimum(own.left, own.high - least), np.maximum(own.low - other.high, 0.0)
    of_y, parts = system.omega @ system.y**2, (own.high, least, shown, gap, unit**2 * own.storing)
    each = zip(*parts, of_y, strict=True)
    return worst(above_least(Distance(*map(float, numbers)), j, tol) for j, numbers in enumerate(each))


def _solved(system: System, own: Value, j: int, unit: float, tol: float) -> Claim:
    """A kernel that may not be positive semi-definite has no least value: the linear system is all there is."""
    of_y = float(np.sqrt(system.omega @ system.y[:, j] ** 2))
    if not of_y > 0:
        return failed("system", "The target is zero in every row.")
    return at_most(
        "system",
        "dual_coef_ solves (K + α/ω) a = y: length of what is left, relative to y. (This kernel is not known to be "
        "positive semi-definite, so the system has no least value behind it.)",
        Grade.BOUNDED, float(np.sqrt(own.left[j])) / of_y, tol,
        excuse=min(MOST_EXCUSED, EXCUSED * unit * float(np.sqrt(own.storing[j])) / of_y),
        lower=float(np.sqrt(own.left_low[j])) / of_y,
        failure="dual_coef_ does not solve the linear system of kernel ridge regression, or rounding hides it.",
    )  # fmt: skip
