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
from surefit.certificates.theorems.kernel_machine.above_least import EXCUSED, MOST_EXCUSED, above_least, worst
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


def values(system: System, a: F64) -> tuple[F64, ...]:
    """low ≤ J ≤ high and Σωδ² ≤ left of the coefficients a (n, t); what storing them costs; and δ itself.

    A rounding of all a and K by a relative u changes Σωδ² by at most u² Σω(|K||a| + α|a|/ω)².
    """
    W, a, many = system.omega[:, None].astype(LONG), a.astype(LONG), gamma(len(a) + 8, LONG_UNIT)
    f, e_f, size = apply(system.kernel, system.X, system.X, a)
    own, r = system.alpha * a / np.where(W > 0, W, 1.0), system.y - f
    e_r = e_f + 8 * LONG_UNIT * (np.abs(system.y) + size + np.abs(own))
    J = (W * r * r).sum(axis=0) + system.alpha * (a * f).sum(axis=0)
    off = (W * e_r * (2 * np.abs(r) + e_r)).sum(axis=0) + system.alpha * (np.abs(a) * e_f).sum(axis=0)
    off += many * ((W * r * r).sum(axis=0) + system.alpha * (np.abs(a) * size).sum(axis=0))
    left, storing = ((W * part**2).sum(axis=0) * (1 + many) for part in (np.abs(r - own) + e_r, size + np.abs(own)))
    return np.maximum(J - off, 0.0), J + off, left, storing, r - own


def ridge_claim(system: System, a: F64, unit: float, tol: float, propose: Proposal) -> Claim:
    """That of the target that fails, or is farthest off. `unit`: of the model's precision; `propose` is not trusted."""
    (low, high, left, storing, delta), of_y = values(system, a), system.omega @ system.y**2
    if not system.kernel.positive:
        each = zip(*map(np.sqrt, (left, storing, of_y)), strict=True)
        return worst(solved(unit, tol, *numbers) for numbers in each)
    least, best = low - left, high
    if not (left <= tol * least).all() and np.isfinite(delta).all():
        other_low, best, other_left, *_ = values(system, a.astype(LONG) + propose(system, delta))
        least = np.maximum(least, other_low - other_left)
    gap, shown = np.minimum(left, high - np.maximum(least, 0.0)), np.maximum(low - best, 0.0)
    each = zip(high, least, shown, gap, unit**2 * storing, of_y, strict=True)
    return worst(above_least(tol, *map(float, numbers)) for numbers in each)


def solved(unit: float, tol: float, left: float, storing: float, of_y: float) -> Claim:
    """A kernel that may not be positive semi-definite has no least value: the linear system is all there is."""
    if not of_y > 0:
        return failed("system", "The target is zero in every row.")
    return at_most(
        "system",
        "dual_coef_ solves (K + α/ω) a = y: length of what is left, relative to y. (This kernel is not known to be "
        "positive semi-definite, so the system has no least value behind it.)",
        Grade.BOUNDED, left / of_y, tol, excuse=min(MOST_EXCUSED, EXCUSED * unit * float(storing / of_y)), lower=0.0,
        failure="dual_coef_ does not solve the linear system of kernel ridge regression, or rounding hides it.",
    )  # fmt: skip
