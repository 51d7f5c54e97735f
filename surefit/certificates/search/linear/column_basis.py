"""Proposes independent columns of C and a matrix T that makes them orthonormal, from a folded Householder factor."""

from __future__ import annotations

from typing import Any

import numpy as np

from surefit.certificates.blocks import F64
from surefit.certificates.rounding import UNIT
from surefit.certificates.theorems.least_squares.least_squares_data import Data, columns, slices

MAX_COLUMNS, MAX_WORK = 5000, 1e12  # of a factor: columns, and 2 n d²
ENOUGH = 1000

Proposal = tuple[F64, F64, F64]
"""Indices J of independent columns, T with (C_J T)ᵀ(C_J T) ≈ I, and Z with C_D ≈ C_J Z for the others, or zeros."""


class ColumnBases:
    """Proposals for any penalty from one factor of the rows; the intercept's column alone where it is too large."""

    def __init__(self, data: Data) -> None:
        width = data.scale.size + int(data.intercept)
        self.data = data
        self.formed = width <= MAX_COLUMNS and 2.0 * data.blocks.n_rows * width**2 <= MAX_WORK
        self.R = fold_factor(data) if self.formed else np.zeros((0, width))

    def propose(self, alpha: float, all_columns: bool = False, left_out: F64 | None = None) -> Proposal:
        """For wide data a penalty says enough about the columns beside the intercept's, unless all are needed."""
        first, wide = int(self.data.intercept), len(self.R) <= self.R.shape[1] > ENOUGH and alpha > 0
        if not self.formed or (wide and not all_columns):
            T = np.full((first, first), self.data.weight**-0.5)
            return np.arange(first), T, np.zeros((first, self.data.scale.size))
        penalty = np.append(np.zeros(first), np.sqrt(alpha) / self.data.scale)
        return column_basis(self.R, penalty, np.zeros(penalty.size, dtype=bool) if left_out is None else left_out)


def fold_factor(data: Data) -> F64:
    """R with RᵀR = CᵀC, for the rows of the data."""
    width = data.scale.size + int(data.intercept)
    stack, held = [np.zeros((0, width))], 0
    for X, _, omega in slices(data.blocks):
        stack.append(columns(data, X, omega))
        held += len(omega)
        if held >= 2 * width:
            stack, held = [triangle(np.vstack(stack))], 0
    return triangle(np.vstack(stack))


def triangle(A: F64) -> F64:
    R: Any = np.linalg.qr(A, mode="r")
    return R


def inverse(F: F64) -> F64:
    """Of an upper triangle, by halves."""
    n = len(F)
    if n <= 64:
        return np.linalg.inv(F) if n else np.zeros((0, 0))
    a, b = inverse(F[: n // 2, : n // 2]), inverse(F[n // 2 :, n // 2 :])
    return np.block([[a, -a @ (F[: n // 2, n // 2 :] @ b)], [np.zeros((n - n // 2, n // 2)), b]])


def column_basis(R: F64, penalty: F64, left_out: F64) -> Proposal:
    """`penalty` has the diagonal below the rows of R; the columns `left_out` are not for J.

    A column is left out where what the columns before it leave of it is hardly more than rounding.
    """
    A = np.vstack([R, np.diag(penalty)[penalty > 0]])
    norms = np.linalg.norm(A, axis=0)
    J = np.flatnonzero((norms > 0) & ~left_out)
    A = A / np.where(norms > 0, norms, 1.0)
    square = R.shape[0] == R.shape[1] == len(A)  # a triangle already
    while True:
        F = A if square and J.size == len(A) else triangle(A[:, J])
        diagonal = np.abs(np.diagonal(F))
        small = diagonal <= 1500 * UNIT * (J.size + 5) * np.sqrt(J.size)
        if not small.any():
            break
        J = np.delete(J, np.flatnonzero(small))
    J, F = J[: diagonal.size], F[:, : diagonal.size]
    D = np.setdiff1d(np.arange(A.shape[1]), J)
    T = inverse(F) / norms[J][:, None]
    Z = np.linalg.lstsq(A[:, J], A[:, D], rcond=None)[0] if D.size and J.size else np.zeros((J.size, D.size))
    return J, T, Z * norms[D] / norms[J][:, None]
