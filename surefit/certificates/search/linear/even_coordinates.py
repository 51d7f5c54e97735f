"""Proposes coordinates in which weighted rows are even: TᵀRᵀRT = I on the directions that R has, and a way back."""

from __future__ import annotations

import numpy as np

from surefit.certificates.blocks import F64


def even_coordinates(R: F64) -> tuple[F64, F64]:
    """T and a matrix B with r = Bᵀ(Tᵀr) for the rows r of R; of no columns where R cannot be factored."""
    norms, d = np.linalg.norm(R, axis=0), R.shape[1]
    if not (np.isfinite(norms).all() and norms.any()):
        return np.zeros((d, 0)), np.zeros((0, d))
    scale = np.where(norms > 0, norms, 1.0)
    S, Vt = np.linalg.svd(R / scale, full_matrices=False)[1:]
    keep = S > 1e-12 * S[0]
    return (Vt[keep] / S[keep, None] / scale).T, Vt[keep] * S[keep, None] * scale
