"""ℓ(z; y) = max(0, 1 − y z) with y = ±1."""

from __future__ import annotations

import numpy as np


def value(z: np.ndarray, y: np.ndarray) -> np.ndarray:
    return np.maximum(0.0, 1 - y * z)


def gradient(z: np.ndarray, y: np.ndarray) -> np.ndarray:
    """A subgradient; zero at the kink."""
    return np.where(y * z < 1, -y, 0.0)


def second(z: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Zero on both sides of the kink."""
    return np.zeros(np.broadcast(z, y).shape)


def conjugate(a: np.ndarray, y: np.ndarray) -> np.ndarray:
    """a y for −1 ≤ a y ≤ 0, infinite elsewhere."""
    return np.where((a * y >= -1) & (a * y <= 0), a * y, np.inf)
