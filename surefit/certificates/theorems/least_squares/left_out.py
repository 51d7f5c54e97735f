"""Errors of ridge fits on rows that were left out of them, in closed form.

In the coordinates of `projection` for a penalty α, all columns in J, the best fit has the residuals r = ρ − U y,
y = (UᵀU)⁻¹Uᵀρ.
Theorem. Let F be some rows of the data, H_F = U_FᵀU_F. The fit without them has on them the residuals
    e_F = r_F + U_F z,  (UᵀU − H_F) z = U_Fᵀ r_F,   for one row  e = r/(1 − h),  h = u(UᵀU)⁻¹uᵀ.
Proof. Without F the sums are UᵀU − H_F and Uᵀρ − U_Fᵀρ_F, so its y is y − z. ∎
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from surefit.certificates.blocks import F64
from surefit.certificates.theorems.least_squares.least_squares_data import Data, columns, residual_rows, slices
from surefit.certificates.theorems.least_squares.projection import SAFE, Projection


def left_out(data: Data, coef: F64, b: F64, sums: Projection, fold: F64 | None) -> tuple[F64, F64]:
    """√ω e of all rows, (n, t), and a bound for the norm of its error, (t,).

    `fold` has the number of every row's fold; without it each row is left out alone.
    """
    n, (k, t), H_error = data.blocks.n_rows, sums.q.shape, sums.H_error
    solution = 2 * sums.q - sums.H @ sums.q  # (I + E)⁻¹ = I − E up to 2‖E‖²
    length = np.linalg.norm(sums.q, axis=0)
    solution_error = SAFE * 2 * ((H_error + sums.eta**2) * length + sums.q_error)
    folds = 0 if fold is None else int(fold.max()) + 1
    r, h, H, a = np.zeros((n, t)), np.zeros(n), np.zeros((folds, k, k)), np.zeros((folds, k, t))
    for first, U, rho in _rows(data, coef, b, sums):
        rows = slice(first, first + len(U))
        r[rows], h[rows] = rho - U @ solution, (U * U).sum(axis=1)
        for f, mine in _of_folds(fold, rows):
            H[f], a[f] = H[f] + U[mine].T @ U[mine], a[f] + U[mine].T @ r[rows][mine]
    r_error = SAFE * (sums.rho_error + sums.u_error * (sums.rho + 4 * length) + 1.3 * solution_error)
    if fold is None:
        e, h_error = r / (1 - h)[:, None], 3 * sums.eta + 4 * sums.u_error
        rest = 1 - float(h.max()) - h_error
        return e, SAFE * (r_error + h_error * np.linalg.norm(e, axis=0)) / (rest if rest > 0 else np.nan)
    z = np.linalg.solve(sums.H - H, a)
    missed = np.linalg.norm((sums.H - H) @ z - a, axis=1) + 3 * H_error * np.linalg.norm(z, axis=1)
    least = np.linalg.eigvalsh(sums.H - H)[:, :1] - 3 * H_error
    missed = missed + 1.3 * r_error + sums.u_error * np.linalg.norm(r, axis=0)
    z_error = np.where(least > 0, missed / least, np.nan) + 2 * sums.u_error * np.linalg.norm(z, axis=1)
    e = r.copy()
    for first, U, _ in _rows(data, coef, b, sums):
        rows = slice(first, first + len(U))
        for f, mine in _of_folds(fold, rows):
            e[rows][mine] += U[mine] @ z[f]
    return e, SAFE * (r_error + 1.3 * z_error.sum(axis=0))


def _rows(data: Data, coef: F64, b: F64, sums: Projection) -> Iterator[tuple[int, F64, F64]]:
    """(number of the first row, U, ρ) slice by slice."""
    first = 0
    for X, y, omega in slices(data.blocks):
        yield first, columns(data, X, omega)[:, sums.J] @ sums.T, residual_rows(coef, b, X, y, omega)[0]
        first += len(omega)


def _of_folds(fold: F64 | None, rows: slice) -> Iterator[tuple[int, F64]]:
    """(fold, which of the rows are in it)."""
    for f in () if fold is None else np.unique(fold[rows]).tolist():
        yield f, fold[rows] == f  # type: ignore[index]
