"""The quadratic model of a loss over centered and scaled columns with an L1 penalty, as dense matrices."""

from __future__ import annotations

import numpy as np


class Model:
    """q(v) = g·v + ½ Σ D (x̃·v + v_b)² + ½ Σ ρ v² + Σ t |u + v| with x̃ = s (x − c), the intercept last."""

    def __init__(self, X, D, scale, center, gradient, ridge, threshold, start):
        rows = (X - center) * scale
        if len(start) > X.shape[1]:
            rows = np.hstack([rows, np.ones((len(rows), 1))])
        self.H = rows.T @ (rows * D[:, None]) + np.diag(ridge)
        self.gradient, self.threshold, self.start = gradient, threshold, start

    def value(self, v: np.ndarray) -> float:
        return float(self.gradient @ v + 0.5 * v @ self.H @ v + self.threshold @ np.abs(self.start + v))

    def breaches(self, v: np.ndarray) -> np.ndarray:
        """By how much each entry breaks its condition of a minimum."""
        slope, z = self.gradient + self.H @ v, self.start + v
        at_zero = np.maximum(np.abs(slope) - self.threshold, 0.0)
        return np.where(z != 0, np.abs(slope + self.threshold * np.sign(z)), at_zero)
