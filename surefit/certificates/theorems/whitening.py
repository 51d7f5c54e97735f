"""A covariance and its inverse square root, with a stated rank: W spans what is not rounding, and WᵀΣW = I."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from surefit.certificates.blocks import F64


@dataclass
class Whitening:
    """Σ = D R D with D the standard deviations (or one): R = QΛQᵀ, W = D⁻¹QΛ^(−½) over the eigenvalues kept."""

    sigma: F64
    scale: F64  # D
    basis: F64  # Q, (d, rank)
    W: F64
    top: float  # largest eigenvalue of R
    condition: float  # of R, over the directions kept
    how: str

    @property
    def rank(self) -> int:
        return int(self.W.shape[1])

    @property
    def full(self) -> bool:
        return self.rank == len(self.sigma)

    def outside(self, B: F64) -> float:
        """The part of the columns of D B that W does not span, relative to all of D B."""
        if self.full or not B.size:
            return 0.0
        A = B * self.scale[:, None]
        whole = float(np.linalg.norm(A))
        return float(np.linalg.norm(A - self.basis @ (self.basis.T @ A))) / whole if whole > 0 else 0.0


def whitenings(sigma: F64, cut: float | None, eps: float) -> list[Whitening]:
    """The ways to invert Σ: one where it is regular, and each usual choice of rank where it is not.

    cut   the smallest eigenvalue of R that counts (tol² of scikit-learn's svd solver), or None
    """
    d = len(sigma)
    variance = np.diag(sigma)
    scale = np.where(variance > 0, np.sqrt(np.where(variance > 0, variance, 1.0)), 1.0)
    out: list[Whitening] = []
    values, Q = np.linalg.eigh(sigma / np.outer(scale, scale))
    noise = 4.0 * d * float(np.finfo(np.float64).eps) * max(float(values[-1]), 0.0)
    cuts = [noise, 4.0 * d * eps * float(values[-1])]
    if cut is not None:
        # an eigenvalue next to the cut may have fallen on either side of it: singular values are known to ε √d
        near = (1e-6 * np.sqrt(cut) + 4.0 * eps * np.sqrt(d)) * np.sqrt(cut)
        cuts = [cut - near, cut + near, *cuts]
    for limit in cuts:
        keep = values > max(limit, noise)
        if keep.any() and all(w.rank != int(keep.sum()) for w in out):
            out.append(_whitening(sigma, scale, values[keep], Q[:, keep], "columns scaled"))
    if not out or not out[-1].full or not out[0].full:
        values, Q = np.linalg.eigh(sigma)
        keep = values > 4.0 * d * eps * max(float(values[-1]), 0.0)
        if keep.any():
            out.append(_whitening(sigma, np.ones(d), values[keep], Q[:, keep], "columns as they are"))
    return out


def _whitening(sigma: F64, scale: F64, values: F64, Q: F64, how: str) -> Whitening:
    W = Q / scale[:, None] / np.sqrt(values)
    return Whitening(sigma, scale, Q, W, float(values[-1]), float(values[-1] / values[0]), how)


def condition_unscaled(sigma: F64) -> float:
    """The condition number of Σ as it is, what a solver that does not scale columns has to bear."""
    values = np.linalg.eigvalsh(sigma)
    return float(values[-1] / values[0]) if values[0] > 0 else float("inf")
