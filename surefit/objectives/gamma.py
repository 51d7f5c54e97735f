"""ℓ(z; y) = z + y e^−z with y > 0: half the deviance of gamma variables of mean eᶻ, up to what depends on y alone."""

from __future__ import annotations

import numpy as np
from scipy.special import xlogy


def value(z: np.ndarray, y: np.ndarray) -> np.ndarray:
    return z + y * np.exp(-z)


def gradient(z: np.ndarray, y: np.ndarray) -> np.ndarray:
    return 1.0 - y * np.exp(-z)


def second(z: np.ndarray, y: np.ndarray) -> np.ndarray:
    """y e^−z."""
    return y * np.exp(-z)


def conjugate(a: np.ndarray, y: np.ndarray) -> np.ndarray:
    """b log(b/y) − b at b = 1 − a, infinite for b < 0."""
    b = np.asarray(1.0 - a, dtype=np.float64)
    inside = np.maximum(b, 0.0)
    return np.where(b >= 0, xlogy(inside, inside / y) - inside, np.inf)
