"""ℓ(z; y) = eᶻ − y z with y ≥ 0: half the deviance of counts of mean eᶻ, up to what depends on y alone."""

from __future__ import annotations

import numpy as np
from scipy.special import xlogy


def value(z: np.ndarray, y: np.ndarray) -> np.ndarray:
    return np.exp(z) - y * z


def gradient(z: np.ndarray, y: np.ndarray) -> np.ndarray:
    return np.exp(z) - y


def second(z: np.ndarray, y: np.ndarray) -> np.ndarray:
    """The mean eᶻ."""
    return np.broadcast_to(np.exp(z), np.broadcast(z, y).shape).copy()


def conjugate(a: np.ndarray, y: np.ndarray) -> np.ndarray:
    """m log m − m at m = y + a, infinite for m < 0."""
    m = np.asarray(y + a, dtype=np.float64)
    inside = np.maximum(m, 0.0)
    return np.where(m >= 0, xlogy(inside, inside) - inside, np.inf)
