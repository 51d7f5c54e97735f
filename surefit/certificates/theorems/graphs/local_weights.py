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


class Rebuilding:
    """A = I − W from neighbors and weights, in long double: products with A and Aᵀ, and the matrix AᵀA."""

    def __init__(self, near: NDArray, weights: Any) -> None:
        """size: a bound of ‖|A|‖. error: of AᵀAu over ‖u‖, sums of one row and of one column."""
        n, k = near.shape
        self.cols = np.hstack([np.arange(n)[:, None], near])
        self.values = np.hstack([np.ones((n, 1), LONG), -weights])
        absolute = np.abs(self.values).astype(np.float64)
        columns, most = np.bincount(self.cols.ravel(), absolute.ravel()), int(np.bincount(self.cols.ravel()).max())
        self.size = float(np.sqrt(absolute.sum(axis=1).max() * columns.max()))
        self.error = gamma(2 * (k + 1 + most) + 8, float(np.finfo(LONG).eps) / 2) * self.size**2

    def times(self, U: Any) -> Any:
        return (self.values[:, :, None] * U[self.cols]).sum(axis=1)

    def back(self, V: Any) -> Any:
        out = np.zeros(V.shape, LONG)
        np.add.at(out, self.cols, self.values[:, :, None] * V[:, None, :])
        return out

    def square(self) -> F64:
        """AᵀA in double."""
        M, values = np.zeros((len(self.cols), len(self.cols))), self.values.astype(np.float64)
        np.add.at(M, (self.cols[:, :, None], self.cols[:, None, :]), values[:, :, None] * values[:, None, :])
        return M
