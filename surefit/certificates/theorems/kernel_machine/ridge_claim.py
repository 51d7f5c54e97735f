"""What the gap of a kernel ridge fit says in words: for a kernel by its least value, else by its linear system."""

from __future__ import annotations

import numpy as np

from surefit.certificates.claim import Claim, Grade, at_most, failed
from surefit.certificates.theorems.kernel_machine.groups import Groups
from surefit.certificates.theorems.kernel_machine.kernels import Kernel
from surefit.certificates.theorems.kernel_machine.ridge_gap import RidgeGap

EXCUSED = 10.0  # times what storing the coefficients and the entries of K costs in J
MOST_EXCUSED = 0.1


def ridge_claim(kernel: Kernel, gap: RidgeGap, groups: Groups, unit: float, tol: float) -> Claim:
    """That of the target that fails, or is farthest off."""
    judge = optimal_claim if kernel.positive else system_claim
    found = [judge(gap, groups, j, unit, tol) for j in range(len(gap.low))]
    return max(found, key=lambda claim: (not claim.holds, claim.value or 0.0))


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
