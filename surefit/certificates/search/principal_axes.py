"""Proposes the principal axes of the rows: an orthogonal factor of all rows, then its singular vectors. Not trusted."""

from __future__ import annotations

import numpy as np

from surefit.certificates.blocks import F64, Blocks
from surefit.certificates.theorems.centered import centered

MAX_ORDER = 3000
MAX_WORK = 1e12
MAX_ENTRIES = 5e7
QR_ENTRIES = 1 << 20


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
    return axes[sigma > 4 * np.sqrt(d) * np.finfo(float).eps * sigma.max(initial=0.0)]
