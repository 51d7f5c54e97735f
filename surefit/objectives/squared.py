"""ℓ(z; y) = ½ (z − y)²."""

from __future__ import annotations

import numpy as np


def value(z: np.ndarray, y: np.ndarray) -> np.ndarray:
    return 0.5 * (z - y) ** 2


def gradient(z: np.ndarray, y: np.ndarray) -> np.ndarray:
    return z - y


def second(z: np.ndarray, y: np.ndarray) -> np.ndarray:
    return np.ones(np.broadcast(z, y).shape)


def conjugate(a: np.ndarray, y: np.ndarray) -> np.ndarray:
    return 0.5 * a**2 + a * y
