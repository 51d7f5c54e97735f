"""ℓ(z; y) = e^−z for y = 1, eᶻ for y = 0: AdaBoost's; its minimizer is half the log-odds: P(1) = 1/(1 + e^−2z)."""

from __future__ import annotations

import numpy as np
from scipy.special import xlogy


def value(z: np.ndarray, y: np.ndarray) -> np.ndarray:
    return np.exp(np.where(y > 0.5, -z, z))


def gradient(z: np.ndarray, y: np.ndarray) -> np.ndarray:
    return np.where(y > 0.5, -1.0, 1.0) * value(z, y)


def second(z: np.ndarray, y: np.ndarray) -> np.ndarray:
    """The loss itself."""
    return value(z, y)


def conjugate(a: np.ndarray, y: np.ndarray) -> np.ndarray:
    """t log t − t with t = −a for y = 1, a for y = 0; infinite for t < 0."""
    t = np.asarray(np.where(y > 0.5, -a, a), dtype=np.float64)
    inside = np.maximum(t, 0.0)
    return np.where(t >= 0, xlogy(inside, inside) - inside, np.inf)
