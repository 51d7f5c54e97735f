"""Errors of ridge fits on rows that were left out of them, in closed form, with every rounding bounded.

In the coordinates of `orthonormal_columns` for a penalty α the best fit has the residuals r = ρ − U y, y = (UᵀU)⁻¹Uᵀρ.
Theorem. Let F be some rows of the data, H_F = U_FᵀU_F. The fit without them has on them the residuals
    e_F = r_F + U_F (UᵀU − H_F)⁻¹ U_Fᵀ r_F,   for one row  e = r/(1 − h),  h = u(UᵀU)⁻¹uᵀ.
Proof. Without F the sums are UᵀU − H_F and Uᵀρ − U_Fᵀρ_F, so its y is y − (UᵀU − H_F)⁻¹U_Fᵀr_F. ∎
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from surefit.certificates.blocks import F64
from surefit.certificates.rounding import UNIT, gamma
from surefit.certificates.theorems.least_squares.least_squares_data import (
    LONG_UNIT,
    Data,
    columns,
    residual_rows,
    slices,
)
from surefit.certificates.theorems.least_squares.orthonormal_columns import SAFE, Basis, Sums


@dataclass
class LeftOut:
    """√ω e/σ of a slice of rows, and bounds for its error."""

    first: int
    e: F64
    error: F64


class RidgeFit:
    """The best fit for one penalty, from the sums of any coefficients."""

    def __init__(self, data: Data, coef: F64, intercept: F64, sums: Sums, basis: Basis) -> None:
        self.data, self.W, self.b, self.sums, self.basis = data, np.ascontiguousarray(coef.T), intercept, sums, basis
        self.y = 2 * sums.q - sums.H @ sums.q
        norm, eta = np.linalg.norm(sums.q, axis=0), sums.eta
        self.y_error = SAFE * ((2 * sums.eta_rounding + eta**2) * norm + sums.q_error) / (1 - eta)
        if basis.D.size:
            self.y_error = np.full_like(self.y_error, np.nan)

    def rows(self) -> Iterator[tuple[int, F64, F64, F64, F64]]:
        """(first row, U, |C_J||T| , r, error of r) slice by slice."""
        first, k = 0, self.basis.J.size
        for X, y, omega in slices(self.data.blocks, self.data.targets):
            rho, terms, _ = residual_rows(self.data, self.W, self.b, X, y, omega)
            C = columns(self.data, X, omega)[:, self.basis.J]
            U, size = C @ self.basis.T, np.abs(C) @ np.abs(self.basis.T)
            error = gamma(self.W.shape[0] + 4, LONG_UNIT) * terms + 8 * UNIT * np.abs(rho)
            error += np.linalg.norm(U, axis=1)[:, None] * self.y_error + gamma(2 * k + 8) * size @ np.abs(self.y)
            yield first, U, size, rho - U @ self.y, SAFE * error
            first += len(omega)

    def one_by_one(self) -> Iterator[LeftOut]:
        """Each row left out alone."""
        for first, U, size, r, error in self.rows():
            h = (U * U).sum(axis=1)[:, None]
            h_error = h * (2 * self.sums.eta + gamma(len(U) + 8))
            h_error += 3 * np.sqrt(h) * gamma(self.basis.J.size + 5) * np.linalg.norm(size, axis=1)[:, None]
            e, rest = r / (1 - h), 1 - h - h_error
            yield LeftOut(first, e, np.where(rest > 0, SAFE * (error + np.abs(e) * h_error) / rest, np.inf))

    def by_folds(self, edges: F64) -> Iterator[LeftOut]:
        """Rows edges[f] … edges[f + 1] left out together, for each f."""
        k, t = self.basis.J.size, self.W.shape[1]
        folds = len(edges) - 1
        H, a = np.zeros((folds, k, k)), np.zeros((folds, k, t))
        for f, _, U, _, r, _ in self._cut(edges):
            H[f], a[f] = H[f] + U.T @ U, a[f] + U.T @ r
        rest = self.sums.H - H
        z = np.linalg.solve(rest, a)
        least = np.linalg.eigvalsh(rest)[:, :1] - 2 * self.sums.eta_rounding
        off = np.linalg.norm(rest @ z - a, axis=1) + 4 * self.sums.eta_rounding * np.linalg.norm(z, axis=1)
        off = off + self.sums.q_error + 3 * (self.y_error + self.sums.eta_rounding * np.linalg.norm(self.y, axis=0))
        z_error = np.where(least > 0, SAFE * off / least, np.inf)
        for f, first, U, size, r, error in self._cut(edges):
            error = error + np.linalg.norm(U, axis=1)[:, None] * z_error[f] + gamma(2 * k + 8) * size @ np.abs(z[f])
            yield LeftOut(first, r + U @ z[f], SAFE * error)

    def _cut(self, edges: F64) -> Iterator[tuple[int, int, F64, F64, F64, F64]]:
        """`rows`, cut where a fold ends."""
        for first, U, size, r, error in self.rows():
            for f in range(len(edges) - 1):
                part = slice(max(0, edges[f] - first), max(0, edges[f + 1] - first))
                if len(U[part]):
                    yield f, first + part.start, U[part], size[part], r[part], error[part]
