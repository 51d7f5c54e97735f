"""ℓ(z; y) = ½ r² where |r| ≤ δ, δ (|r| − ½ δ) beyond, r = z − y: squared for small errors, absolute for large ones."""

from __future__ import annotations

import numpy as np


def value(z: np.ndarray, y: np.ndarray, delta: float = 1.0) -> np.ndarray:
    error = np.abs(z - y)
    inside = np.minimum(error, delta)
    return inside * (error - 0.5 * inside)


def gradient(z: np.ndarray, y: np.ndarray, delta: float = 1.0) -> np.ndarray:
    return np.clip(z - y, -delta, delta)


def second(z: np.ndarray, y: np.ndarray, delta: float = 1.0) -> np.ndarray:
    """One where the error is at most δ, else zero."""
    return (np.abs(z - y) <= delta).astype(np.float64)


def conjugate(a: np.ndarray, y: np.ndarray, delta: float = 1.0) -> np.ndarray:
    """½ a² + a y for |a| ≤ δ, infinite elsewhere."""
    return np.where(np.abs(a) <= delta, 0.5 * a**2 + a * y, np.inf)
