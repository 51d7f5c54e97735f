"""Weights that rebuild each row from its neighbors, for LocallyLinearEmbedding.

f(w) = wᵀGw over Σw = 1, G = C Cᵀ + R I, the rows of C the neighbors less the row, R = reg · tr CCᵀ (or reg, for
a trace of 0).

Theorem. Let Σw = 1, μ = wᵀGw and r = Gw − μ1. The minimiser w* has f(w) − f(w*) ≤ ‖r‖²/R. Proof. v = w − w* adds up to
zero and Gw* is a multiple of 1, so vᵀr = vᵀGv ≥ R‖v‖²: ‖v‖ ≤ ‖r‖/R, and f(w) − f(w*) = vᵀGv ≤ ‖v‖‖r‖. ∎
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.blocks import F64
from surefit.certificates.rounding import gamma

LONG: Any = np.longdouble


def gram(X: F64, rows: NDArray, near: NDArray, reg: float) -> tuple[Any, Any]:
    """G of each row in long double, and R. near: (m, k) numbers of the neighbors."""
    C = X[near].astype(LONG) - X[rows].astype(LONG)[:, None, :]
    G = C @ C.transpose(0, 2, 1)
    trace = np.trace(G, axis1=1, axis2=2)
    R = np.where(trace > 0, reg * trace, reg)
    k = near.shape[1]
    G[:, np.arange(k), np.arange(k)] += R[:, None]
    return G, R


def optimality(G: Any, R: Any, w: Any, d: int) -> F64:
    """For each row a bound of (f(w) − f*)/f(w); weights are scaled to add up to one."""
    w = w.astype(LONG) / w.sum(axis=1, dtype=LONG)[:, None]
    image = (G @ w[..., None])[..., 0]
    mu, u = (w * image).sum(axis=1), float(np.finfo(LONG).eps) / 2
    # G is off by (d + 6)u of ‖c‖‖c'‖ in its entries, and the product by (k + 2)u more
    norm = np.sqrt(np.diagonal(G, axis1=1, axis2=2))
    slip = (d + w.shape[1] + 16) * u * np.sqrt((norm**2).sum(axis=1)) * (norm * np.abs(w)).sum(axis=1)
    r = np.sqrt(((image - mu[:, None]) ** 2).sum(axis=1)) + slip
    return (r * r / (R * mu)).astype(np.float64)


def rebuilding(near: NDArray, weights: Any) -> tuple[Any, float, float]:
    """A = I − W in long double, a bound of ‖|A|‖, and the error of AᵀAu over ‖u‖: sums of one row and of one column."""
    n, k = near.shape
    A = np.eye(n, dtype=LONG)
    np.subtract.at(A, (np.arange(n)[:, None], near), weights)
    absolute, most = np.abs(A).astype(np.float64), int((A != 0).sum(axis=0).max())
    size = float(np.sqrt(absolute.sum(axis=0).max() * absolute.sum(axis=1).max()))
    return A, size, gamma(2 * (k + 1 + most) + 8, float(np.finfo(LONG).eps) / 2) * size**2
