"""The second derivative of an L2 penalty and a loss, divided by, however far from zero the columns are.

In u = (w, b/s) it is I + Σ ω x̃ x̃ᵀ, x̃ = (x, s). With columns far from zero that matrix is nearly singular and its
entries have lost what tells rows apart. In (w, β), β = b + m·w the score at the point m, it is

    Σ ω (x − m, 1)(x − m, 1)ᵀ + diag(1, …, 1, 0) + a aᵀ/s² ,      a = (−m, 1) ,

whose first part comes from deviations. Without an intercept m = 0 and there is no β.
"""

from __future__ import annotations

import numpy as np
import scipy.linalg
from scipy.linalg.lapack import dpotrf, dpotrs

from surefit.summaries.moments import Moments


def gram_about(moments: Moments, center: np.ndarray, with_intercept: bool) -> np.ndarray:
    """Σ ω (x − center, 1)(x − center, 1)ᵀ, or without the one."""
    W, offset = moments.weight, (moments.mean - center) + moments.low
    G = moments.products + W * np.outer(offset, offset)
    if not with_intercept:
        return G
    return np.block([[G, W * offset[:, None]], [W * offset[None, :], np.array([[W]])]])


class RidgeMetric:
    """Cholesky's factor of the matrix scaled to a unit diagonal; where that is singular to rounding, its eigenvalues,
    raised to the level of rounding: a step then still goes down."""

    def __init__(self, gram: np.ndarray, center: np.ndarray, intercept_scale: float) -> None:
        """`gram`: as `gram_about` gives it, times what it counts."""
        H, d = gram.copy(), len(center)
        H[np.arange(d), np.arange(d)] += 1.0
        if intercept_scale:
            a = np.append(-center, 1.0) / intercept_scale
            H += np.outer(a, a)
        self.scale = 1.0 / np.sqrt(np.diagonal(H))
        C = H * self.scale[:, None] * self.scale
        self._factor, fault = dpotrf(C, lower=0, clean=0)
        self._basis: tuple[np.ndarray, np.ndarray] | None = None
        if fault or np.diagonal(self._factor).min(initial=1.0) ** 2 < 1e-15 * len(C):
            values, vectors = scipy.linalg.eigh(C, check_finite=False)
            self._basis = vectors, np.maximum(values, 1e-15 * len(C))

    def solve(self, g: np.ndarray) -> np.ndarray:
        """H⁻¹ g in the coordinates (w, β)."""
        scaled = self.scale * g
        if self._basis is not None:
            vectors, values = self._basis
            return self.scale * (vectors @ ((vectors.T @ scaled) / values))
        return self.scale * dpotrs(self._factor, scaled, lower=0)[0]
