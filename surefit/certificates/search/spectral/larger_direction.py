"""Proposes a direction at right angles to given ones along which the rows vary most. Not trusted."""

from __future__ import annotations

import numpy as np

from surefit.certificates.blocks import F64, Blocks
from surefit.certificates.theorems.spectral.centered import centered

STARTS, STEPS = 8, 7


def larger_direction(blocks: Blocks, mean: F64, V: F64) -> F64:
    """Rayleigh and Ritz in a block Krylov space of C outside the rows of V, a pass for each step; shape (d, 1)."""
    k, d = V.shape
    if k >= d:
        return np.zeros((d, 1))
    known, space, images = V.T, np.zeros((d, 0)), np.zeros((d, 0))
    Q = np.random.default_rng(20240229).normal(size=(d, min(STARTS, d - k)))
    for _ in range(min(STEPS, (d - k) // Q.shape[1])):
        for _ in range(2):  # once more against what rounding brings back
            Q = np.linalg.qr(Q - known @ (known.T @ Q))[0]
        image = sum((A.T @ ((A @ Q) * omega[:, None]) for A, omega in centered(blocks, mean)), 0.0 * Q)
        known, space, images = np.hstack([known, Q]), np.hstack([space, Q]), np.hstack([images, image])
        Q = image
    direction: F64 = space @ np.linalg.eigh(space.T @ images)[1][:, -1:]
    return direction
