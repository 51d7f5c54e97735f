"""ℓ(z; y) = |z − y|: twice the pinball loss at q = ½."""

from __future__ import annotations

import numpy as np


def value(z: np.ndarray, y: np.ndarray) -> np.ndarray:
    return np.abs(z - y)


def gradient(z: np.ndarray, y: np.ndarray) -> np.ndarray:
    """A subgradient; at the kink, where every number of [−1, 1] is one, the one nearest to zero: zero."""
    return np.sign(z - y)


def second(z: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Zero on both sides of the kink."""
    return np.zeros(np.broadcast(z, y).shape)


def conjugate(a: np.ndarray, y: np.ndarray) -> np.ndarray:
    """a y for −1 ≤ a ≤ 1, infinite elsewhere."""
    return np.where(np.abs(a) <= 1, a * y, np.inf)
