"""Proposes a direction of large variance outside given ones: subspace iteration from random directions. Not trusted."""

from __future__ import annotations

import numpy as np

from surefit.certificates.blocks import F64, Blocks
from surefit.certificates.theorems.spectral.centered import Center
from surefit.certificates.theorems.spectral.leading import covariance_times

STARTS, STEPS = 8, 6


def largest_outside(blocks: Blocks, center: Center, V: F64) -> F64:
    """A unit vector at right angles to the rows of V; zero where there is none."""
    d = blocks.n_features
    Q = np.random.default_rng(20240229).normal(size=(d, min(STARTS, d - len(V))))
    best: F64 = np.zeros(d)
    if not Q.size:
        return best
    for _ in range(STEPS):
        for _ in range(2):  # once more against what rounding brings back
            Q = np.linalg.qr(Q - V.T @ (V @ Q))[0]
        CQ, _ = covariance_times(blocks, center, Q)
        best = Q @ np.linalg.eigh(Q.T @ CQ)[1][:, -1]
        Q = CQ
    return best
