"""All eigenvalues of a symmetric matrix, from any proposed basis.

Theorem. Let Q be n × n, QᵀQ = I + O with ‖O‖ ≤ o < 1, and AQ = QΛ + R. Then the eigenvalues of A, in order, lie within
(2 o max|Λ| + ‖R‖)/(1 − o) of those of Λ. Proof. Q = WH with W orthogonal and H symmetric, H² = I + O, so ‖H − I‖ ≤ o.
WᵀAW − Λ = ((H − I)Λ − Λ(H − I) + WᵀR)H⁻¹, and by Weyl no eigenvalue moves by more than the norm of that. ∎
"""

from __future__ import annotations

import numpy as np

from surefit.certificates.blocks import F64
from surefit.certificates.rounding import gamma

MOST_ORDER = 2000  # beyond, all eigenvectors are not searched for


def all_eigenvalues(A: F64, error: float, lam: F64, Q: F64) -> tuple[F64, float]:
    """The proposed numbers in rising order and how far the eigenvalues may be from them.

    error  how far (in norm) A may be from the matrix that is meant
    """
    n = len(A)
    far, size, length = float(np.abs(lam).max(initial=0.0)), float(np.linalg.norm(A)), float(np.linalg.norm(Q))
    o = float(np.linalg.norm(Q.T @ Q - np.eye(n))) + gamma(n + 4) * length**2
    rest = float(np.linalg.norm(A @ Q - Q * lam)) + gamma(n + 4) * (size + far) * length
    return np.sort(lam), (2 * o * far + rest) / (1 - o) * 1.01 + error if o < 0.5 else np.inf
