"""Proposes the principal axes of the rows: an orthogonal factor of all rows, then its singular vectors. Not trusted."""

from __future__ import annotations

from typing import Any

import numpy as np

from surefit.certificates.blocks import F64, Blocks
from surefit.certificates.theorems.spectral.centered import centered
from surefit.certificates.theorems.spectral.spectrum import long_double

MAX_ORDER = 3000
MAX_WORK = 1e12
MAX_ENTRIES = 5e7
QR_ENTRIES = 1 << 20
SWEEPS = 3


def principal_axes(blocks: Blocks, mean: F64) -> F64 | None:
    """Orthonormal rows, by decreasing variance, as many as there is variance; None where that is too much work."""
    n, d = float(blocks.n_rows), float(blocks.n_features)
    order = min(n, d)
    if order > MAX_ORDER or n * d * order > MAX_WORK or order * d > MAX_ENTRIES:
        return None
    triangle: F64 = np.zeros((0, int(d)))
    for A, omega in centered(blocks, mean):
        A *= np.sqrt(omega)[:, None]
        step = int(max(2 * d, QR_ENTRIES // d))
        for low in range(0, len(A), step):
            stacked = np.vstack([triangle, A[low : low + step]])
            triangle = stacked if len(stacked) <= d else np.asarray(np.linalg.qr(stacked, mode="r"))
    if not np.isfinite(triangle).all():
        return np.zeros((0, int(d)))
    _, sigma, axes = np.linalg.svd(triangle, full_matrices=False)
    axes = axes[sigma > 4 * np.sqrt(d) * np.finfo(float).eps * sigma.max(initial=0.0)]
    return refined(blocks, mean, axes) if long_double(blocks.n_rows, blocks.n_features) and len(axes) else axes


def refined(blocks: Blocks, mean: F64, axes: F64) -> F64:
    """The axes in long double, turned until the coordinates of the rows are uncorrelated: Jacobi's method."""
    W: Any = axes.astype(np.longdouble)
    for _ in range(2):  # Gram and Schmidt, in the order of the variances
        for i in range(len(W)):
            W[i] -= (W[:i] @ W[i]) @ W[:i]
            W[i] /= np.sqrt(W[i] @ W[i])
    G = sum((A @ W.T).T @ ((A @ W.T) * omega[:, None]) for A, omega in centered(blocks, mean, np.longdouble))
    for _ in range(SWEEPS):
        for i in range(len(W)):
            for j in range(i + 1, len(W)):
                if abs(G[i, j]) > np.finfo(float).eps ** 1.1 * np.sqrt(abs(G[i, i] * G[j, j])):
                    _turn(W, G, i, j)
    return W


def _turn(W: Any, G: Any, i: int, j: int) -> None:
    """Rotate axes i and j so that G[i, j] vanishes."""
    half = (G[j, j] - G[i, i]) / (2 * G[i, j])
    t = (1 if half >= 0 else -1) / (abs(half) + np.sqrt(half * half + 1))
    c = 1 / np.sqrt(t * t + 1)
    turn = np.array([[c, -t * c], [t * c, c]])
    W[[i, j]] = turn @ W[[i, j]]
    G[[i, j]] = turn @ G[[i, j]]
    G[:, [i, j]] = G[:, [i, j]] @ turn.T
