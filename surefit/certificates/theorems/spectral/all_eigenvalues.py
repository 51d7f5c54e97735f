"""All eigenvalues of a symmetric matrix, from any proposed basis.

Theorem. Let Q be n × n, QᵀQ = I + O with ‖O‖ ≤ o < 1, and AQ = QΛ + R. Then the eigenvalues of A, in order, lie within
(2 o max|Λ| + ‖R‖)/(1 − o) of those of Λ. Proof. Q = WH with W orthogonal and H symmetric, H² = I + O, so ‖H − I‖ ≤ o.
WᵀAW − Λ = ((H − I)Λ − Λ(H − I) + WᵀR)H⁻¹, and by Weyl no eigenvalue moves by more than the norm of that. ∎
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from surefit.certificates.blocks import F64
from surefit.certificates.rounding import gamma

MOST_ORDER = 1500


def all_eigenvalues(A: F64, error: float, propose: Callable[[F64], tuple[F64, F64]]) -> tuple[F64, float] | None:
    """Numbers in rising order and how far the eigenvalues may be from them; None where the matrix is too large.

    error    how far (in norm) A may be from the matrix that is meant
    propose  gives eigenvalues and a basis; not trusted
    """
    n = len(A)
    if n > MOST_ORDER or not np.isfinite(A).all():
        return None
    lam, Q = propose(A)
    far, size, length = float(np.abs(lam).max(initial=0.0)), float(np.linalg.norm(A)), float(np.linalg.norm(Q))
    o = float(np.linalg.norm(Q.T @ Q - np.eye(n))) + gamma(n + 4) * length**2
    rest = float(np.linalg.norm(A @ Q - Q * lam)) + gamma(n + 4) * (size + far) * length
    return (np.sort(lam), (2 * o * far + rest) / (1 - o) * 1.01 + error) if o < 0.5 else None
