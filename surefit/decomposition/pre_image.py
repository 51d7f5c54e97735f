"""Pre-images: rows whose features lie near a point of feature space that was reached by projecting."""

from __future__ import annotations

import numpy as np
import scipy.linalg

from surefit.kernels import Kernel

STEPS = 200
ENOUGH = 1e-10


def ridge_pre_images(K: np.ndarray, X: np.ndarray, w: np.ndarray | None, alpha: float) -> np.ndarray:
    """c of kernel ridge regression from projections to rows:  (K + α diag(1/ω)) c = X, zero where ω is."""
    counts = np.arange(len(K)) if w is None else np.flatnonzero(w > 0)
    A = K if len(counts) == len(K) else K[np.ix_(counts, counts)]
    A.flat[:: len(A) + 1] += alpha if w is None else alpha / w[counts]
    dual = np.zeros((len(K), X.shape[1]))
    try:
        factor = scipy.linalg.cho_factor(A, check_finite=False)
        dual[counts] = scipy.linalg.cho_solve(factor, X[counts], check_finite=False)
    except np.linalg.LinAlgError:  # the kernel is singular or indefinite on the projections
        dual[counts] = scipy.linalg.lstsq(A, X[counts], check_finite=False)[0]
    return dual


def fixed_points(kernel: Kernel, X: np.ndarray, mixture: np.ndarray, start: np.ndarray) -> np.ndarray:
    """z nearest in feature space to Σᵢ cᵢ φ(xᵢ), for the Gaussian kernel, where the distance is stationary:

        z = Σᵢ cᵢ k(z, xᵢ) xᵢ / Σᵢ cᵢ k(z, xᵢ)          (Mika and others, 1999)

    A step that does not bring z nearer is not taken, and ends the search for that row.
    """
    X = X.astype(np.float64)
    center = X.mean(axis=0)
    z = start.astype(np.float64)
    gains = np.einsum("ij,ij->i", kernel(z, X), mixture)
    going = np.ones(len(z), dtype=bool)
    for _ in range(STEPS):
        pull = kernel(z[going], X) * mixture[going]
        total = pull.sum(axis=1)
        with np.errstate(divide="ignore", invalid="ignore"):
            moved = center + pull @ (X - center) / total[:, None]
        moved = np.where(np.isfinite(moved), moved, z[going])
        gained = np.einsum("ij,ij->i", kernel(moved, X), mixture[going])
        better = gained > gains[going] * (1 + ENOUGH)
        places = np.flatnonzero(going)
        z[places[better]] = moved[better]
        gains[places[better]] = gained[better]
        going[places[~better]] = False
        if not going.any():
            break
    return z
