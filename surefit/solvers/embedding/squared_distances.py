"""Inner products from squared distances, without forming them.

Of points about their mean, with D² the matrix of squared distances and J = 1 − 11ᵀ/n,

    B = −½ J D² J          B = Z Zᵀ  when D are the Euclidean distances of the rows of Z

Products B V square slabs of D as they pass, so that nothing of n² numbers is kept beside D. Slabs are of a fixed size
and run on threads: the bits do not depend on their number.
"""

from __future__ import annotations

import numpy as np
import scipy.linalg

from surefit._core.arithmetic import power_of_two
from surefit._core.memory import refuse_beyond_memory
from surefit._core.threads import threads_for
from surefit.engine.leaves import fold_tree, tree_sum

SLAB = 256
ALL_VALUES = 1500
"""Rows up to which all eigenvalues are computed where only their signs and sizes are asked for."""


class CenteredSquares:
    """B of a symmetric matrix of distances, as an operator."""

    def __init__(self, D: np.ndarray, n_jobs: int | None = None) -> None:
        self.D, self.n = D, len(D)
        largest = float(D.max(initial=0.0))
        self.unit = 1.0 if 1e-100 < largest < 1e100 or largest == 0 else power_of_two(largest)
        """B is that of D/unit: squares of very large or small numbers would leave the range of floating point."""
        self._n_slabs = -(-self.n // SLAB)
        self._threads = threads_for(float(self.n) * self.n, n_jobs)
        self.mean_sq = self._products(np.ones((self.n, 1)))[:, 0] / self.n
        """The mean squared distance of each row to all."""
        self.trace = 0.5 * float(self.mean_sq.sum())
        """Σ of all eigenvalues: tr B = ½ Σᵢ mean_sqᵢ when the diagonal of D is zero."""

    def _squares(self, rows: slice) -> np.ndarray:
        part = self.D[rows]
        return np.square(part if self.unit == 1.0 else part / self.unit, dtype=np.float64)

    def _products(self, V: np.ndarray) -> np.ndarray:
        """D² V"""
        out = np.empty((self.n, V.shape[1]))
        V = np.ascontiguousarray(V)

        def slab(number: int) -> None:
            rows = slice(number * SLAB, (number + 1) * SLAB)
            np.matmul(self._squares(rows), V, out=out[rows])

        fold_tree(self._n_slabs, slab, lambda left, right: None, self._threads)
        return out

    def apply(self, V: np.ndarray) -> np.ndarray:
        """B V"""
        Z = self._products(V - V.mean(axis=0))
        Z *= -0.5
        return Z - Z.mean(axis=0)

    def formed(self) -> np.ndarray:
        """B itself."""
        refuse_beyond_memory(8.0 * self.n**2, f"The inner products of {self.n} rows", "Ask for fewer components.")
        B = self._squares(slice(None))
        B *= -0.5
        B -= B.mean(axis=0)
        B -= B.mean(axis=1, keepdims=True)
        return B

    def sq_norm(self) -> float:
        """‖B‖² = Σ of all squared eigenvalues."""
        mean, grand = self.mean_sq, float(self.mean_sq.mean())
        parts = np.empty(self._n_slabs)

        def slab(number: int) -> None:
            rows = slice(number * SLAB, (number + 1) * SLAB)
            part = self._squares(rows)
            part -= mean[rows, None]
            part -= mean - grand
            parts[number] = np.einsum("ij,ij->", part, part)

        fold_tree(self._n_slabs, slab, lambda left, right: None, self._threads)
        return 0.25 * float(tree_sum(parts))


def negative_share(squares: CenteredSquares) -> float | None:
    """Σ|λ| over λ < 0, divided by Σ|λ| over all: zero when D are Euclidean distances; None beyond ALL_VALUES rows."""
    if squares.trace <= 0 and not squares.mean_sq.any():
        return 0.0
    if squares.n > ALL_VALUES:
        return None
    everything = scipy.linalg.eigvalsh(squares.formed(), check_finite=False)
    noise = 4 * squares.n * np.finfo(np.float64).eps * np.abs(everything).max()
    total = np.abs(everything).sum()
    return float(np.abs(everything[everything < -noise]).sum() / total)
