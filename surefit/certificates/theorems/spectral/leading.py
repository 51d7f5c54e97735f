"""Components of data too large for a spectrum: residuals in one pass, and a search for a larger variance outside.

For a unit vector v let ρ = ‖Cv − λv‖. Some eigenvalue of C lies within ρ of λ, and what v holds of directions whose
variance differs from λ by a relative g is at most ρ/(gλ).
"""

from __future__ import annotations

import numpy as np

from surefit.certificates.blocks import F64, Blocks
from surefit.certificates.claim import Claim, Grade, at_most
from surefit.certificates.rounding import gamma
from surefit.certificates.theorems.spectral.centered import Center, centered

STARTS, STEPS, DELTA = 8, 6, 0.01


def covariance_times(blocks: Blocks, center: Center, B: F64) -> tuple[F64, float]:
    """C B for B of shape (d, k), and tr C, in one pass without C."""
    out, total = np.zeros(B.shape), 0.0
    for A, omega in centered(blocks, center.mean):
        out += A.T @ ((A @ B) * omega[:, None])
        total += float(omega @ np.einsum("ij,ij->i", A, A))
    return out / (center.weight - 1), total / (center.weight - 1)


def residuals(blocks: Blocks, center: Center, V: F64, lam: F64) -> tuple[F64, F64, float]:
    """ρ/λ of every component, its error, and tr C."""
    CV, total = covariance_times(blocks, center, np.ascontiguousarray(V.T))
    safe = np.where(lam > 0, lam, np.nan)
    rho = np.linalg.norm(CV - V.T * lam, axis=0) / safe
    return rho, 2 * gamma(blocks.n_rows + blocks.n_features + 8) * total / safe, total


def largest(blocks: Blocks, center: Center, V: F64, lam: F64, total: float, limit: float) -> Claim:
    """No direction outside the components has a larger variance: by the trace, or by a search.

    By the trace: what all other directions hold together is tr C − Σ vᵀCv, at least the variance of any of them.
    By search: subspace iteration outside V from random directions. Finding a larger variance disproves the claim. Not
    finding one says, with probability 1 − δ over the start, that none is larger than `factor` times the largest found
    (Kuczyński and Woźniakowski 1992: one start misses by more than 1 − ε with probability at most
    0.824 √d (1 − ε)^(q − 1/2); the starts are independent).
    """
    d, smallest = blocks.n_features, max(float(lam.min(initial=np.inf)), 1e-300)
    rest = max(0.0, total * (1 + gamma(blocks.n_rows + d)) - float(lam.sum()) * (1 - limit))
    if rest <= smallest:
        sentence = "No direction left out has more variance than one kept: all that is left out together has less."
        return at_most("largest", sentence, Grade.BOUNDED, rest / smallest, 1.0)
    Q, found = np.random.default_rng(20240229).normal(size=(d, min(STARTS, d - len(V)))), 0.0
    for _ in range(STEPS):
        for _ in range(2):  # once more against what rounding brings back
            Q = np.linalg.qr(Q - V.T @ (V @ Q))[0]
        CQ, _ = covariance_times(blocks, center, Q)
        found = max(found, float(np.linalg.eigvalsh(Q.T @ CQ)[-1]))
        Q = CQ
    factor = float((DELTA ** (1.0 / Q.shape[1]) / (0.824 * np.sqrt(d))) ** (-1.0 / (STEPS - 0.5)))
    return at_most(
        "largest",
        f"A search from {Q.shape[1]} random directions outside the components found no larger variance than the "
        f"smallest kept; with probability {1 - DELTA:.0%} over the start none exceeds {factor:.1f} times that.",
        Grade.STATISTICAL, found / smallest, 1.0 + limit, {"found": found, "factor": factor},
        failure=f"A direction outside the components has {found / smallest:.3g} times the smallest variance kept.",
    )  # fmt: skip
