"""The answer of a least-squares problem from its triangular factor, when the columns may depend on each other.

R has the singular values of the data. Columns are scaled to unit norm first, so that units of measurement do not decide
the rank; singular values below `eps · max(rows of a leaf, columns)` of the largest are rounding, and are cut.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import scipy.linalg

EPS = float(np.finfo(np.float64).eps)


@dataclass
class Inverse:
    """g ↦ (XᵀX + penalty)⁻¹ g for the columns in `keep`; zero for the others."""

    keep: np.ndarray
    norms: np.ndarray
    """Of the kept columns."""
    solve: Callable[[np.ndarray], np.ndarray]
    """The inverse for columns of unit norm."""
    condition: float
    """Of the products of those columns, times what offsets add to their rounding."""
    rank: int
    full_rank: bool
    """The kept columns are independent: the answer is unique."""
    factor: np.ndarray | None = None

    def apply(self, g: np.ndarray) -> np.ndarray:
        w = np.zeros_like(g)
        w[:, self.keep] = self.solve(g[:, self.keep] / self.norms) / self.norms
        return w

    @staticmethod
    def nothing(d: int) -> Inverse:
        """For data whose columns are all constant."""
        return Inverse(np.zeros(d, dtype=bool), np.zeros(0), lambda g: g, 1.0, 0, True)


def column_norms(R: np.ndarray) -> np.ndarray:
    """Norms without overflow: the squares of 1e200 are not numbers."""
    largest = np.abs(R).max(axis=0, initial=0.0)
    safe = np.where(largest > 0, largest, 1.0)
    return np.sqrt(((R / safe) ** 2).sum(axis=0)) * largest


def varies(norms: np.ndarray, offset_norms: np.ndarray) -> np.ndarray:
    """Which columns are more than a constant: their deviations exceed the rounding of their values."""
    return norms > 2 * EPS * offset_norms


def solve_triangle(
    R: np.ndarray, Z: np.ndarray, penalty: float, offset_norms: np.ndarray, rows: int
) -> tuple[np.ndarray, Inverse]:
    """min ‖R w − z‖² + penalty ‖w‖² for every column z of Z; the shortest w where there are many.

    `offset_norms`: the norm each column would have if it were its mean, for telling constants from data; `rows`: of a
    leaf, which limits the rounding in R.
    """
    d = R.shape[1]
    if penalty > 0:
        R = np.vstack([R, np.sqrt(penalty) * np.eye(d)])
        Z = np.vstack([Z, np.zeros((d, Z.shape[1]))])
    norms = column_norms(R)
    keep = varies(norms, offset_norms)
    if not keep.any():
        return np.zeros((Z.shape[1], d)), Inverse.nothing(d)
    norms = norms[keep]
    U, s, Vt = scipy.linalg.svd(R[:, keep] / norms, full_matrices=False, check_finite=False)
    rank = int((s > EPS * max(rows, d) * s[0]).sum())
    U, s, Vt = U[:, :rank], s[:rank], Vt[:rank]
    z = (U.T @ Z) / s[:, None]
    w = np.zeros((Z.shape[1], d))
    full = rank == len(norms)
    with np.errstate(over="ignore"):  # beyond floating point: the caller refuses it
        w[:, keep] = (Vt.T @ z).T / norms if full else _shortest(Vt.T * norms[:, None], z).T

    def solve(g: np.ndarray) -> np.ndarray:
        return ((g @ Vt.T) / s**2) @ Vt

    condition = float((s[0] / s[-1]) ** 2)
    return w, Inverse(keep, norms, solve, condition, rank, full)


def _shortest(B: np.ndarray, z: np.ndarray) -> np.ndarray:
    """The shortest w with Bᵀw = z. Rows in falling order of size and pivoting keep badly scaled rows accurate."""
    order = np.argsort(-np.abs(B).max(axis=1), kind="stable")
    Q, T, pivots = scipy.linalg.qr(B[order], mode="economic", pivoting=True, check_finite=False)
    w = np.empty((B.shape[0], z.shape[1]))
    w[order] = Q @ scipy.linalg.solve_triangular(T, z[pivots], trans="T", check_finite=False)
    return w
