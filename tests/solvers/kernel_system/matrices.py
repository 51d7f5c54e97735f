"""Gram matrices with known kernels, as systems."""

from __future__ import annotations

import numpy as np

from surefit.kernels import Gaussian, GramRows, Kernel, Linear
from surefit.solvers.kernel_system.system import KernelSystem


def gaussian(X: np.ndarray, gamma: float) -> np.ndarray:
    """By the definition, pair by pair."""
    return np.exp(-gamma * ((X[:, None] - X) ** 2).sum(axis=2))


def rows(n: int, d: int = 3, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, np.column_stack([np.sin(X[:, 0]), X[:, 1] ** 2 + 1]), rng.uniform(0.5, 3.0, size=n)


def system(X: np.ndarray, w: np.ndarray | None = None, kernel: Kernel | None = None) -> KernelSystem:
    return KernelSystem(GramRows(kernel or Gaussian(0.3), X, dtype=np.float64), X, w)


def linear(X: np.ndarray, w: np.ndarray | None = None) -> KernelSystem:
    return system(X, w, Linear())
