"""ℓ(z; y) = q (y − z) where y ≥ z, (1 − q)(z − y) where y < z: half the absolute error at q = ½."""

from __future__ import annotations

import numpy as np


def slopes(q: float) -> tuple[float, float]:
    """The ends of the derivative by the residual y − z: the bounds of a dual."""
    return q - 1, q


def value(z: np.ndarray, y: np.ndarray, q: float = 0.5) -> np.ndarray:
    residual = y - z
    return np.maximum(q * residual, (q - 1) * residual)


def gradient(z: np.ndarray, y: np.ndarray, q: float = 0.5) -> np.ndarray:
    """A subgradient; at the kink, where every number of [−q, 1 − q] is one, the one nearest to zero: zero."""
    return np.where(y > z, -q, np.where(y < z, 1 - q, 0.0))


def second(z: np.ndarray, y: np.ndarray, q: float = 0.5) -> np.ndarray:
    """Zero on both sides of the kink."""
    return np.zeros(np.broadcast(z, y).shape)


def conjugate(a: np.ndarray, y: np.ndarray, q: float = 0.5) -> np.ndarray:
    """a y for −q ≤ a ≤ 1 − q, infinite elsewhere."""
    return np.where((a >= -q) & (a <= 1 - q), a * y, np.inf)
