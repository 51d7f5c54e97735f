"""H = I + G, G positive semidefinite: divided by, however large G is."""

from __future__ import annotations

import numpy as np
import scipy.linalg
from scipy.linalg.lapack import dpotrf, dpotrs


class RidgeMetric:
    """Cholesky's factor of H scaled to a unit diagonal; where that is singular to rounding, its eigenvalues, raised to
    the level of rounding: a step then still goes down."""

    def __init__(self, G: np.ndarray) -> None:
        diagonal = 1.0 + np.maximum(np.diagonal(G), 0.0)
        self.scale = 1.0 / np.sqrt(diagonal)
        C = G * self.scale[:, None] * self.scale
        C[np.diag_indices_from(C)] = 1.0
        self._factor, fault = dpotrf(C, lower=0, clean=0)
        self._basis: tuple[np.ndarray, np.ndarray] | None = None
        if fault or np.diagonal(self._factor).min(initial=1.0) ** 2 < 1e-15 * len(G):
            values, vectors = scipy.linalg.eigh(C, check_finite=False)
            self._basis = vectors, np.maximum(values, 1e-15 * len(G))

    def solve(self, g: np.ndarray) -> np.ndarray:
        scaled = self.scale * g
        if self._basis is not None:
            vectors, values = self._basis
            return self.scale * (vectors @ ((vectors.T @ scaled) / values))
        return self.scale * dpotrs(self._factor, scaled, lower=0)[0]
