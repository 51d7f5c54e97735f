"""Errors of kernel ridge fits on rows that were left out of them, in closed form, with every rounding bounded.

A = S + α I, S = √W K √W, G = A⁻¹, ã = G √ω y. Rows that are equal in x and y are one row.
Theorem. The fit without row i has √ωᵢ (yᵢ − f(xᵢ)) = ãᵢ/Gᵢᵢ. *Proof.* Let z be ã − (ãᵢ/Gᵢᵢ) G eᵢ: zᵢ = 0, and A z is
√ω y but for row i, where it is less by ãᵢ/Gᵢᵢ. So z solves the system without row i, and row i of A z is √ωᵢ f(xᵢ). ∎
Theorem. For any matrix B, |Gᵢᵢ − Bᵢᵢ| ≤ √(Gᵢᵢ/α) ‖(AB − I)eᵢ‖, and for any vector v, |ãᵢ − vᵢ| ≤ √(Gᵢᵢ/α) ‖√ω y − A v‖.
Proof. G − B = −G(AB − I), and ‖Geᵢ‖² ≤ Gᵢᵢ‖G‖ ≤ Gᵢᵢ/α as K is positive semi-definite. ∎
"""

from __future__ import annotations

from typing import Any

import numpy as np

from surefit.certificates.blocks import F64
from surefit.certificates.rounding import gamma

LONG_WORK = 5e8  # products up to which A B is formed in long double
SAFE = 1.01


def left_out(S: F64, e_S: float, y: F64, alpha: float, B: F64) -> tuple[F64, F64]:
    """√ω times the error of every row (n, t), and a bound of what that is off by. y is √ω y, B is proposed for G."""
    n = len(S)
    kind: Any = np.longdouble if float(n) ** 3 <= LONG_WORK else np.float64
    many = gamma(n + 8, float(np.finfo(kind).eps) / 2)
    size, length = float(np.linalg.norm(S)) + alpha, np.linalg.norm(B, axis=0)
    product = S.astype(kind) @ B.astype(kind) + kind(alpha) * B
    product[np.diag_indices(n)] -= 1
    rho = SAFE * (np.sqrt((product * product).sum(axis=0)) + (e_S + many * size) * length).astype(np.float64) + many
    v: Any = B.astype(np.longdouble) @ y
    left = y - (S.astype(np.longdouble) @ v + np.longdouble(alpha) * v)
    long = gamma(n + 8, float(np.finfo(np.longdouble).eps) / 2)
    norms = [np.sqrt((a * a).sum(axis=0)) for a in (left, v, y)]
    rest = SAFE * (norms[0] + (e_S + 2 * long * size) * norms[1] + long * norms[2]).astype(np.float64)
    b, c = np.maximum(np.diagonal(B), 0.0), rho / np.sqrt(alpha)
    low, high = ((np.sqrt(c * c + 4 * b) + sign * c) / 2 for sign in (-1.0, 1.0))  # of √Gᵢᵢ
    off_a, off_G = (high / np.sqrt(alpha))[:, None] * rest, (high * c)[:, None]
    value = (v / np.where(b > 0, b, np.nan)[:, None]).astype(np.float64)
    return value, SAFE * (off_a + np.abs(value) * off_G) / (low**2)[:, None] + 4 * gamma(4) * np.abs(value)
