"""How far θ is from the least value of J(θ) = Σ ωᵢ (yᵢ − ψᵢ·θ)² + Σ sⱼ θⱼ², for rows ψ of few features.

Theorem. Let r = y − ψ·θ, h = Σ ω r ψ − sθ and A = Σ ω ψψᵀ + diag(s). For any matrix R with ‖RᵀAR − I‖ ≤ η < 1,

    ‖Rᵀh‖²/(1 + η) ≤ J(θ) − min J ≤ ‖Rᵀh‖²/(1 − η).

Proof. J(θ + e) = J(θ) − 2h·e + eᵀAe has the least value J(θ) − hᵀA⁻¹h, and A⁻¹ = R(RᵀAR)⁻¹Rᵀ. ∎ R is proposed.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from surefit.certificates.blocks import F64
from surefit.certificates.rounding import gamma
from surefit.certificates.theorems.kernel_machine.gram_products import LONG, LONG_UNIT
from surefit.certificates.theorems.kernel_machine.kernels import Entries


class Part(NamedTuple):
    """Some rows."""

    psi: Entries  # (m, p) in long double
    y: F64  # (m, t)
    w: F64  # (m,)


def distances(
    parts: Iterable[Part], n: int, s: F64, theta: F64, R: F64, unit: float, intercept: bool
) -> list[list[float]]:
    """For every column of θ (p, t) what `above_least` asks for: one pass over n rows, with every rounding added.

    With an `intercept`, which is the first feature, y counts from its mean.
    """
    p, t, many = len(s), theta.shape[1], gamma(n + len(s) + 16, LONG_UNIT)
    theta, R, s = theta.astype(LONG), R.astype(LONG), s[:, None].astype(LONG)
    N, g, off_g = R.T @ (s * R), -R.T @ (s * theta), many * np.abs(R).T @ (s * np.abs(theta))
    size_N, size_G, size_off, weight = np.trace(N) + p, LONG(0), LONG(0), LONG(0)
    J, off_J, of_y, of_1, storing = (s * theta**2).sum(axis=0), *(np.zeros(t, LONG) for _ in range(4))
    for (psi, E), y, w in parts:
        w, size, absolute = w[:, None].astype(LONG), np.abs(psi) @ np.abs(theta), np.abs(psi) @ np.abs(R)
        G, off_G = psi @ R, E @ np.abs(R) + many * absolute
        r, off_r = y - psi @ theta, E @ np.abs(theta) + many * (np.abs(y) + size)
        N, g, J = N + G.T @ (w * G), g + G.T @ (w * r), J + (w * r * r).sum(axis=0)
        off_g += np.abs(G).T @ (w * (off_r + many * np.abs(r))) + off_G.T @ (w * (np.abs(r) + off_r))
        off_J += (w * off_r * (2 * np.abs(r) + off_r)).sum(axis=0)
        size_G, size_off = size_G + (w * G * G).sum(), size_off + (w * off_G * off_G).sum()
        of_y, of_1 = of_y + (w * y * y).sum(axis=0), of_1 + (w * y).sum(axis=0)
        storing, weight = storing + (w * size**2).sum(axis=0), weight + w.sum()
    eta = np.linalg.norm((N - np.eye(p)).astype(float)) + 2 * np.sqrt(size_G * size_off) + size_off
    eta = 1.01 * float(eta + many * (size_G + size_N))
    gap = ((np.abs(g) + off_g) ** 2).sum(axis=0) / (1 - eta) if eta < 1 else np.full(t, np.inf)
    shown = (np.maximum(np.abs(g) - off_g, 0) ** 2).sum(axis=0) / (1 + eta)
    off_J += many * J
    of_y = np.maximum(of_y - of_1**2 / weight, 0) if intercept else of_y
    each = zip(J + off_J, J - off_J - 1.01 * gap, shown / 1.01, 1.01 * gap, unit**2 * storing, of_y, strict=True)
    return [[float(number) for number in numbers] for numbers in each]
