"""Kernel values pair by pair, in long double: what the compiled blocks are compared with."""

from __future__ import annotations

import numpy as np

L = np.longdouble


def sq_dist(X: np.ndarray, Y: np.ndarray) -> np.ndarray:
    """‖x − y‖² of the numbers as they are, from their differences."""
    return ((X.astype(L)[:, None, :] - Y.astype(L)[None, :, :]) ** 2).sum(axis=2)


def gaussian(X: np.ndarray, Y: np.ndarray, gamma: float) -> np.ndarray:
    return np.exp(-L(gamma) * sq_dist(X, Y))


def dot(X: np.ndarray, Y: np.ndarray) -> np.ndarray:
    return (X.astype(L)[:, None, :] * Y.astype(L)[None, :, :]).sum(axis=2)


def polynomial(X: np.ndarray, Y: np.ndarray, degree: int, gamma: float, coef0: float) -> np.ndarray:
    return (L(gamma) * dot(X, Y) + L(coef0)) ** degree


def laplacian(X: np.ndarray, Y: np.ndarray, gamma: float) -> np.ndarray:
    return np.exp(-L(gamma) * np.abs(X.astype(L)[:, None, :] - Y.astype(L)[None, :, :]).sum(axis=2))


def chi2(X: np.ndarray, Y: np.ndarray, gamma: float) -> np.ndarray:
    gap = X.astype(L)[:, None, :] - Y.astype(L)[None, :, :]
    total = X.astype(L)[:, None, :] + Y.astype(L)[None, :, :]
    return np.exp(-L(gamma) * (gap**2 / np.where(total == 0, 1, total)).sum(axis=2))
