"""Weights that rebuild each row from its neighbors, for LocallyLinearEmbedding.

f(w) = wᵀGw over Σw = 1, G = C Cᵀ + R I, the rows of C the neighbors less the row, R = reg · tr CCᵀ (or reg, for
a trace of 0).

Theorem. Let Σw = 1, μ = wᵀGw and r = Gw − μ1. The minimiser w* has ‖w − w*‖ ≤ ‖r‖/R, and f(w) − f(w*) ≤ ‖r‖²/R. Proof.
v = w − w* adds up to zero and Gw* is a multiple of 1, so vᵀr = vᵀGv ≥ R‖v‖², and f(w) − f(w*) = vᵀGv ≤ ‖v‖‖r‖. ∎
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


def optimality(G: Any, R: Any, w: Any, d: int) -> tuple[F64, F64]:
    """For each row a bound of (f(w) − f*)/f(w), and of ‖w − w*‖; weights are scaled to add up to one."""
    w = w.astype(LONG) / w.sum(axis=1, dtype=LONG)[:, None]
    image = (G @ w[..., None])[..., 0]
    mu = (w * image).sum(axis=1)
    u = float(np.finfo(LONG).eps) / 2
    # G is off by (d + 6)u of ‖c‖‖c'‖ in its entries, and the product by (k + 2)u more
    norm = np.sqrt(np.diagonal(G, axis1=1, axis2=2))
    slip = (d + w.shape[1] + 16) * u * np.sqrt((norm**2).sum(axis=1)) * (norm * np.abs(w)).sum(axis=1)
    r = np.sqrt(((image - mu[:, None]) ** 2).sum(axis=1)) + slip
    return (r * r / (R * mu)).astype(np.float64), (r / R).astype(np.float64)


class Rebuilding:
    """A = I − W from neighbors and weights: products with A and AᵀA, and AᵀA itself, in long double."""

    def __init__(self, near: NDArray, weights: Any) -> None:
        self.n, self.k = near.shape
        self.rows = np.repeat(np.arange(self.n), self.k + 1)
        self.cols = np.hstack([np.arange(self.n)[:, None], near]).ravel()
        self.values = np.hstack([np.ones((self.n, 1), LONG), -weights.astype(LONG)]).ravel()

    def times(self, U: Any, transposed: bool = False) -> Any:
        to, source = (self.cols, self.rows) if transposed else (self.rows, self.cols)
        out = np.zeros(U.shape, LONG)
        np.add.at(out, to, self.values[:, None] * U[source])
        return out

    def square(self, U: F64) -> Any:
        """AᵀA U."""
        return self.times(self.times(U.astype(LONG)), transposed=True)

    def matrix(self) -> F64:
        """AᵀA, each entry rounded once."""
        A = self.values.reshape(self.n, self.k + 1)
        cols = self.cols.reshape(self.n, self.k + 1)
        M = np.zeros((self.n, self.n), LONG)
        np.add.at(M, (cols[:, :, None], cols[:, None, :]), A[:, :, None] * A[:, None, :])
        return M.astype(np.float64)

    @property
    def rounding(self) -> float:
        """‖error of AᵀA u‖/‖u‖: sums of one row and of one column of A."""
        terms = self.k + 1 + int(np.bincount(self.cols).max())
        return gamma(2 * terms + 8, float(np.finfo(LONG).eps) / 2) * self.size**2

    @property
    def size(self) -> float:
        """A bound of the norm of |A|: √(largest row sum · largest column sum)."""
        size = np.abs(self.values).astype(np.float64)
        rows, columns = np.bincount(self.rows, size), np.bincount(self.cols, size, minlength=self.n)
        return float(np.sqrt(rows.max() * columns.max()))
