"""The largest eigenvalue of a symmetric matrix, bounded from above by a Cholesky factor.

Theorem (Rump 2006). If Cholesky's algorithm, in any order of its sums, ends on the floating-point matrix B of order n,
then B + c I is positive semi-definite for c = γ/(1 − γ) tr B, γ = γₙ₊₁, underflow apart. *Proof.* The computed factor
has RᵀR = B + Δ with |Δ| ≤ γ |R|ᵀ|R|, and ‖|R|ᵀ|R|‖ ≤ tr RᵀR ≤ tr B/(1 − γ). ∎
So σ I − A ≥ −c I, and no eigenvalue of A is above σ + c.
"""

from __future__ import annotations

import numpy as np

from surefit.certificates.blocks import F64
from surefit.certificates.rounding import UNIT, gamma


def largest_at_most(A: F64, proposal: float) -> float:
    """A bound of the largest eigenvalue of the symmetric A, near the proposal where that is good; else infinite."""
    n = len(A)
    share = gamma(n + 1) / (1 - gamma(n + 1))
    size = float(np.abs(np.diagonal(A)).sum()) + n * abs(proposal) + 1e-290
    for more in (2.0, 100.0, 1e4):
        sigma = proposal + more * share * size
        B = -A
        B[np.diag_indices(n)] += sigma
        try:
            np.linalg.cholesky(B)
        except np.linalg.LinAlgError:
            continue
        return sigma + 1.01 * share * float(np.trace(B)) + 2 * UNIT * size
    return float("inf")
