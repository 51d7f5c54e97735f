"""No minimum for hard margins, with the combination that proves it."""

from __future__ import annotations

import math

import numpy as np

from surefit.certificates.blocks import F64
from surefit.certificates.claim import Claim, Grade, at_most, refuted
from surefit.certificates.svm.kernel_machine import Machine
from surefit.certificates.theorems.kernel_machine.duality import Function, Task, sq_norm
from surefit.certificates.theorems.kernel_machine.expansion import expansion, rows_at, stacked


def farkas_claim(m: Machine, task: Task, phi: F64, name: str) -> Claim:
    """Weights φ ≥ 0 of the rows with g = Σ φ t k(x, ·) and e = Σ φ t next to zero: no function separates the classes.

    Where t(f + b) ≥ μ on every row, μ ≤ Σ φ t(f(x) + b) = ⟨f, g⟩ + b e ≤ √(‖g‖² + s²e²) √(‖f‖² + b²/s²), with
    s² = Σ φ k(x, x). Equal rows whose φ t add up to zero make g = 0 without rounding.
    """
    if not ((phi >= 0).all() and abs(phi.sum() - 1) <= 1e-9 and not phi[task.upper <= 0].any()):
        return refuted("farkas", f"farkas_ does not hold weights that add up to one{name}: this proves nothing.")
    places, beta = np.flatnonzero(phi), (phi * task.target)[phi > 0]
    centers = rows_at(m.blocks, places)
    e = expansion(m.kernel, iter([stacked(centers)]), centers, places, beta[:, None])
    f = Function(beta, 0.0, e.value[:, 0], e.error[:, 0], e.moved[:, 0])
    (q, off), size = sq_norm(f), float(sum(p * m.diagonal(int(j)) for p, j in zip(phi[places], places, strict=True)))
    equal = np.unique(stacked(centers), axis=0, return_inverse=True)[1].reshape(-1)
    exact = all(math.fsum(beta[equal == i]) == 0 for i in range(equal.max() + 1))
    nu = (
        0.0
        if exact
        else float(np.sqrt((max(float(q), 0.0) + off) / size + math.fsum(beta) ** 2))
        if size > 0
        else np.inf
    )
    return at_most(
        "farkas",
        f"No function separates the classes{name}: with the weights of farkas_ the signed rows add up to zero. None "
        "has every row on its side by more than this share of its size.",
        Grade.NO_SOLUTION if exact else Grade.BOUNDED,
        nu,
        1e-6,
        {"rows": len(places), "exact": exact},
        lower=0.0,
        failure=f"The signed rows, with the weights of farkas_, do not add up to zero{name}: this proves nothing.",
    )
