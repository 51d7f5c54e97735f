"""Products with the covariance of data too large for a spectrum."""

from __future__ import annotations

import numpy as np

from surefit.certificates.blocks import F64, Blocks
from surefit.certificates.theorems.spectral.centered import Center, centered


def covariance_times(blocks: Blocks, center: Center, B: F64) -> tuple[F64, float]:
    """C B for B of shape (d, k), and tr C, in one pass without C."""
    out, total = np.zeros(B.shape), 0.0
    for A, omega in centered(blocks, center.mean):
        out += A.T @ ((A @ B) * omega[:, None])
        total += float(omega @ np.einsum("ij,ij->i", A, A))
    return out / (center.weight - 1), total / (center.weight - 1)
