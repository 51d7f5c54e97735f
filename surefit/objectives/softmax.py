"""ℓ(z; k) = log Σⱼ e^zⱼ − z_k: minus the log-likelihood of class k under P(j) = pⱼ = e^zⱼ / Σ e^z (maximum entropy).

Scores are rows of a matrix (rows, classes); targets are codes 0 … C−1.
"""

from __future__ import annotations

import numpy as np
from scipy.special import softmax as probabilities
from scipy.special import xlogy


def value(Z: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """Scores less that of the true class first: the loss of a row that is right by far keeps its digits."""
    shifted = Z - Z[np.arange(len(Z)), codes][:, None]
    top = shifted.max(axis=1)
    rest = np.exp(shifted - top[:, None])
    rest[np.arange(len(Z)), shifted.argmax(axis=1)] = 0.0
    return top + np.log1p(rest.sum(axis=1))


def gradient(Z: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """p − e_k; the entry of the true class is minus the sum of the others."""
    P = probabilities(Z, axis=1)
    rows = np.arange(len(Z))
    P[rows, codes] = 0.0
    P[rows, codes] = -P.sum(axis=1)
    return P


def value_and_slopes(Z: np.ndarray, codes: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The two above and the probabilities from one exponential of each score: quicker where all are wanted."""
    rows = np.arange(len(Z))
    best = Z.argmax(axis=1)
    top = Z[rows, best]
    P = np.exp(Z - top[:, None])
    P[rows, best] = 0.0
    rest = P.sum(axis=1)
    P[rows, best] = 1.0
    P /= (1.0 + rest)[:, None]
    R = P.copy()
    R[rows, codes] = 0.0
    R[rows, codes] = -R.sum(axis=1)
    return top - Z[rows, codes] + np.log1p(rest), R, P


def second(Z: np.ndarray, V: np.ndarray) -> np.ndarray:
    """The second derivative (diag(p) − p pᵀ) of every row, times the row of V."""
    P = probabilities(Z, axis=1)
    return P * (V - np.einsum("ik,ik->i", P, V)[:, None])


def conjugate(A: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """Σ p log p at p = e_k + a, infinite outside the simplex (up to the rounding of its sum)."""
    P = np.array(A, dtype=np.float64)
    P[np.arange(len(P)), codes] += 1.0
    inside = (P >= 0).all(axis=1) & (np.abs(P.sum(axis=1) - 1) <= 1e-9)
    P = np.where(inside[:, None], P, 1.0)
    return np.where(inside, xlogy(P, P).sum(axis=1), np.inf)
