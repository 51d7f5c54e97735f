"""Conjugate gradients for least squares on CSR rows, one read of the rows an iteration.

With z = X v − e (m·v), the sums Xᵀ W z and zᵀ W z come from one pass (`row_products.normal_product`): a product with
AᵀA, A = √W (X − e mᵀ), without a transposed copy of X. The gradient s = Aᵀ(b − A v) − α v is updated from step to step;
where it has become small it is computed anew from the rows, and the iteration goes on if that says otherwise.
From zero on every v is a combination of rows, so without a penalty the answer found is the shortest one. Columns scaled
to one length get there in fewer iterations, but to the shortest *scaled* answer: the same one where the columns are
independent, which `independent` shows first.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from surefit.summaries.row_products import KEPT_SUMS, normal_product

RESTARTS = 4
MOST_STEPS = 400
EXACT = 1e-10
"""A share of ‖b‖² below which what is left of the value cannot be told from rounding."""


class Centered(NamedTuple):
    """A = √W (X − e meanᵀ), and products with it."""

    X: Any
    w: np.ndarray | None
    mean: np.ndarray
    n_threads: int

    def slopes(self, v: np.ndarray, target: np.ndarray | None) -> tuple[np.ndarray, float]:
        """Aᵀ(A v − b) and ‖A v − b‖², b = √W target (None: zero)."""
        sums, total, squares = normal_product(self.X, v, float(self.mean @ v), target, self.w, self.n_threads)
        return sums - self.mean * total, squares


def worthwhile(X: Any) -> bool:
    """Whether the sums that one pass keeps are few beside the numbers it reads."""
    return KEPT_SUMS * X.shape[1] <= X.nnz


PROBE_STEPS = 100
SHOWN = 1e-6
FLAT = 1e-6
"""A share of the largest eigenvalue: one below it makes columns too nearly dependent to be told apart by iterations."""


def independent(A: Centered, unit: np.ndarray, nonzero: np.ndarray) -> bool:
    """Whether the columns `nonzero` of A D, D = diag(unit), are seen to be independent.

    Conjugate gradients on ‖A D x‖² from random normal numbers x end at the part of x that A D maps to zero. A vector of
    length one that is mapped to zero has a normally distributed share of x: once ‖x‖ ≤ SHOWN there is none, but for a
    chance of about SHOWN. Otherwise ‖B x‖ ≥ λ ‖x‖, λ the smallest eigenvalue of B = D AᵀA D, tells that λ is small.
    """
    x = np.where(nonzero, np.random.default_rng(0).standard_normal(len(unit)), 0.0)
    s = -unit * A.slopes(unit * x, None)[0]
    p, gamma, largest = s, float(s @ s), 0.0
    for _ in range(PROBE_STEPS):
        curved, curvature = A.slopes(unit * p, None)
        if not 0 < curvature < math.inf:
            return False
        largest = max(largest, curvature / float(p @ p))
        x = x + (gamma / curvature) * p
        s = s - (gamma / curvature) * (unit * curved)
        before, gamma = gamma, float(s @ s)
        size = float(np.linalg.norm(x))
        if size <= SHOWN:
            return True
        if math.sqrt(gamma) <= FLAT * largest * size:
            return False
        p = s + (gamma / before) * p
    return False


class Found(NamedTuple):
    v: np.ndarray
    converged: bool


def conjugate_gradients(A: Centered, target: np.ndarray, alpha: float, unit: np.ndarray, tol: float) -> Found:
    """min ‖A v − b‖² + α ‖v‖² until its slope has ‖D s‖ ≤ tol ‖A D‖ √value, D = diag(unit).

    Not converged where that takes too long, or where the value itself becomes rounding: an exact fit.
    """
    v, steps, norm, first = np.zeros(len(unit)), 0, 0.0, 0.0
    for _ in range(RESTARTS):
        slopes, squares = A.slopes(v, target)
        s, value = -slopes - alpha * v, squares + alpha * float(v @ v)
        first = first or value
        p = z = unit**2 * s
        gamma = float(s @ z)
        if gamma <= (tol * norm) ** 2 * value:
            return Found(v, True)
        while steps < MOST_STEPS and value > EXACT * first and gamma > (0.5 * tol * norm) ** 2 * value:
            curved, squares = A.slopes(p, None)
            curvature = squares + alpha * float(p @ p)
            if not 0 < curvature < math.inf:
                return Found(v, False)
            norm = max(norm, math.sqrt(curvature / float(((p / unit) ** 2).sum())))
            length = gamma / curvature
            v = v + length * p
            s = s - length * (curved + alpha * p)
            value -= length * gamma
            z = unit**2 * s
            before, gamma = gamma, float(s @ z)
            p = z + (gamma / before) * p
            steps += 1
        if steps >= MOST_STEPS or not value > EXACT * first:
            break
    return Found(v, False)
