"""No minimum for hard margins, with the combination that proves it."""

from __future__ import annotations

import math

import numpy as np

from surefit.certificates.blocks import F64
from surefit.certificates.claim import Claim, Grade, at_most, refuted
from surefit.certificates.svm.kernel_machine import Machine
from surefit.certificates.theorems.kernel_machine.duality import Task
from surefit.certificates.theorems.kernel_machine.gram_products import apply


def farkas_claim(m: Machine, task: Task, phi: F64, name: str) -> Claim:
    """Weights φ ≥ 0 of the rows with g = Σ φ t k(x, ·) and e = Σ φ t next to zero: no function separates the classes.

    Where t(f + b) ≥ μ on every row, μ ≤ Σ φ t(f(x) + b) = ⟨f, g⟩ + b e ≤ √(‖g‖²/s² + e²) √(s²‖f‖² + b²) for any s: here
    s² = |β|ᵀ|K||β|, β the sums of φ t over equal rows. Where these are all zero, g is.
    """
    if not ((phi >= 0).all() and abs(phi.sum() - 1) <= 1e-9 and not phi[task.upper <= 0].any()):
        return refuted("farkas", f"farkas_ does not hold weights that add up to one{name}: this proves nothing.")
    places, signed = np.flatnonzero(phi), (phi * task.target)[phi > 0]
    rows, first, group = np.unique(m.X[places], axis=0, return_index=True, return_inverse=True)
    beta = np.array([math.fsum(signed[group.reshape(-1) == i]) for i in range(len(rows))])
    f, error, size = (part[:, 0] for part in apply(m.kernel, rows, rows, beta[:, None], places[first]))
    square = max(0.0, float(beta @ f)) + float(np.abs(beta) @ (error + 1e-15 * size))
    exact, s = not beta.any(), float(np.abs(beta) @ size) or 1.0
    return at_most(
        "farkas",
        f"No function separates the classes{name}: with the weights of farkas_ the signed rows add up to zero. None "
        "has every row on its side by more than this share of its size.",
        Grade.NO_SOLUTION if exact else Grade.BOUNDED,
        0.0 if exact else float(np.sqrt(square / s + math.fsum(beta) ** 2)), 1e-6,
        {"rows": len(places), "exact": exact}, lower=0.0,
        failure=f"The signed rows, with the weights of farkas_, do not add up to zero{name}: this proves nothing.",
    )  # fmt: skip
