"""The metric of a covariance Σ: W with WᵀΣW = I over the directions that Σ has, and how well that is known.

Σ = D R D with D the standard deviations, R = QΛQᵀ, W = D⁻¹QΛ^(−½) over the eigenvalues above a cut. An error of Σ that
is u|Σ| entry by entry changes WᵀΣW by at most u κ, κ = ‖|W|ᵀ|Σ||W|‖; lengths by W are those of Σ⁻¹ up to 1 ± eta.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from surefit.certificates.blocks import F64

EPS = float(np.finfo(np.float64).eps)


@dataclass
class Metric:
    sigma: F64
    scale: F64  # D
    W: F64  # (d, rank)
    null: F64  # Q over the eigenvalues left out, (d, d − rank)
    eta: float
    kappa: float

    def lengths(self, A: F64) -> F64:
        """‖|W|ᵀ a‖ of every row a of A: how long an error of that size entry by entry can be."""
        return np.linalg.norm(np.abs(A) @ np.abs(self.W), axis=-1).astype(np.float64)

    def outside(self, B: F64) -> F64:
        """The share of D b, for every row b of B, in directions that Σ does not have."""
        A = B * self.scale
        whole = np.linalg.norm(A, axis=1)
        return np.linalg.norm(A @ self.null, axis=1) / np.where(whole > 0, whole, 1.0)


def metric(sigma: F64, offsets: F64, cut: float, g: float) -> Metric | None:
    """None where Σ has no direction, or none that is known to a tenth.

    offsets  the sizes of the columns' means: what varies less than they are rounded is a constant
    cut      the eigenvalue of R up to which a direction is left out; rounding always is
    g        an entry of Σ is known to γ σ_i σ_j, WᵀΣW to γ‖|W|ᵀσ‖²
    """
    d = len(sigma)
    deviation = np.sqrt(np.maximum(np.diag(sigma).astype(np.float64), 0.0))
    alive = deviation > 2 * EPS * offsets
    scale = np.where(alive, deviation, 1.0)
    R = np.where(np.outer(alive, alive), (sigma / scale / scale[:, None]).astype(np.float64), 0.0)
    values, Q = np.linalg.eigh(R)
    keep = values > max(cut, 8 * d * EPS * float(values[-1]))
    W = Q[:, keep] / scale[:, None] / np.sqrt(values[keep])
    eta = float(np.linalg.norm(W.T @ sigma @ W - np.eye(W.shape[1]))) + g * float(
        ((np.abs(W).T @ deviation) ** 2).sum()
    )
    kappa = float(np.linalg.norm(np.abs(W.T) @ np.abs(sigma).astype(np.float64) @ np.abs(W)))
    known = keep.any() and eta < 0.1
    return Metric(sigma, scale, W, Q[:, ~keep], eta, kappa) if known else None
