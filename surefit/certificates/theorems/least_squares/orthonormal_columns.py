"""One pass over the rows of C and ρ: sums in coordinates in which independent columns are nearly orthonormal.

J are some columns and T is a matrix, both proposals. U = C_J T exactly; Û, H, q, g are computed. Every bound here is a
worst case: a sum of n products has an error of at most γₙ times the norms of its factors, however it is ordered.
‖UᵀU − I‖ ≤ η < 1/2 proves that the columns J are independent and that (UᵀU)⁻¹ is within η/(1 − η) of I.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from surefit.certificates.blocks import F64, dense
from surefit.certificates.rounding import UNIT, gamma
from surefit.certificates.theorems.least_squares.least_squares_data import (
    LONG,
    LONG_UNIT,
    Data,
    columns,
    penalty_rows,
    residual_rows,
    slices,
)

SAFE = 1.01  # for the roundings of error bounds themselves


@dataclass
class Basis:
    """Columns J with T, and the other columns D, each within τ of the combination C_J Z (infinite: not known)."""

    J: F64
    T: F64
    D: F64
    Z: F64
    tau: F64
    everything: bool = False  # the columns J span all there is: as many as rows, if they are independent


@dataclass
class Sums:
    """Sums over the rows, and bounds for what they differ from exact ones by. t targets."""

    H: F64  # UᵀU, (k, k)
    q: F64  # Uᵀρ, (k, t)
    g: F64  # Cᵀρ, (width, t)
    M: F64  # C_DᵀU
    norms: F64  # ‖cⱼ‖, an upper bound
    rho: F64  # ‖ρ‖ as computed, (t,)
    rho_error: F64  # ‖ρ − ρ computed‖
    size: F64  # ‖√ω(|x||w| + |b|)/σ‖²
    spread: F64  # ‖√ω(y − ȳ)/σ‖²
    n_sum: float  # γ of a sum over all rows
    u_error: float  # ‖Û − U‖, Frobenius
    eta_rounding: float  # the part of η that is rounding
    eta: float  # NaN where U is not nearly orthonormal
    q_error: F64
    g_error: F64


def sums_of(data: Data, coef: F64, intercept: F64, alpha: float, basis: Basis) -> Sums:
    """coef (t, d), intercept (t,), for the targets of `data`."""
    t, k, width = coef.shape[0], basis.J.size, basis.J.size + basis.D.size
    W = np.ascontiguousarray(coef.T)
    H, q, g, M = np.zeros((k, k)), np.zeros((k, t)), np.zeros((width, t)), np.zeros((basis.D.size, k))
    squares, r_sq, everything, size, spread = np.zeros(width), np.zeros(t), np.zeros(t), np.zeros(t), np.zeros(t)

    def add(C: F64, rho: F64) -> None:
        nonlocal H, q, g, M, squares, r_sq
        U = C[:, basis.J] @ basis.T
        H, q, g, M = H + U.T @ U, q + U.T @ rho, g + C.T @ rho, M + C[:, basis.D].T @ U
        squares, r_sq = squares + (C * C).sum(axis=0), r_sq + (rho * rho).sum(axis=0)

    for X, y, omega in slices(data.blocks, data.targets):
        rho, terms, ours = residual_rows(data, W, intercept, X, y, omega)
        add(columns(data, X, omega), rho)
        everything, size = everything + (terms * terms).sum(axis=0), size + (ours * ours).sum(axis=0)
        spread = spread + omega @ ((y - data.y_center) / data.y_scale) ** 2
    for j, rows in penalty_rows(data, alpha):
        add(rows, -np.sqrt(alpha) * (W[j] / data.y_scale))

    d, rho = data.scale.size, np.sqrt(r_sq)
    n_sum = gamma(data.blocks.n_rows + d + 8)
    norms = np.sqrt(squares) * (1 + n_sum)
    rho_error = SAFE * (gamma(d + 4, LONG_UNIT) * np.sqrt(everything) + 6 * UNIT * rho)
    frobenius = SAFE * np.sqrt(np.trace(H))
    u_error = SAFE * gamma(k + 5) * float(np.linalg.norm(norms[basis.J] @ np.abs(basis.T)))
    eta_rounding = SAFE * (n_sum * frobenius**2 + 2 * u_error * frobenius + u_error**2)
    eta = SAFE * float(np.linalg.norm(H - np.eye(k))) + eta_rounding
    q_error = SAFE * ((n_sum * frobenius + u_error) * rho + 1.5 * rho_error)
    g_error = SAFE * norms[:, None] * (n_sum * rho + rho_error)
    eta = eta if eta < 0.5 else np.nan
    return Sums(
        H, q, g, M, norms, rho, rho_error, size, spread, n_sum, u_error, eta_rounding, eta, q_error, g_error
    )  # fmt: skip


def combinations(data: Data, J: F64, D: F64, Z: F64) -> tuple[F64, F64]:
    """τ with ‖c_D − C_J Z‖ ≤ τ, and the Z, near the one proposed, for which this was measured.

    Long double leaves hardly any rounding. None at all have whole numbers whose sums stay below 2⁵³, one column taken
    once, and constants, which are zeros once shifted: these columns, where equal, have τ = 0.
    """
    first = int(data.intercept)
    inner = J >= first
    ours, others = J[inner] - first, D - first
    z = Z[inner] * data.scale[others] / data.scale[ours][:, None]
    nearest = np.where(np.abs(Z[inner]) < 1e-9, 0.0, np.rint(z))
    whole = ((nearest == 0) & (np.abs(Z[inner]) < 1e-9) | (np.abs(z - nearest) <= 1e-6 * np.abs(z))).all(axis=0)
    z = np.where(whole, nearest, z)
    constant = first * (data.shift[others] - data.shift[ours] @ z)
    single = np.abs(z).sum(axis=0) == 1
    constant = np.where(whole & single, 0.0, np.where(whole, np.rint(constant), constant))
    equal, integral, zero = (np.ones(D.size, dtype=bool) for _ in range(3))
    squares, sizes = np.zeros(D.size), np.zeros(D.size)
    for X, _, omega in slices(data.blocks) if D.size else ():
        A, root = dense(X)[omega > 0], np.sqrt(omega[omega > 0])[:, None] / data.scale[others]
        a, b = A[:, ours], A[:, others]
        size = np.abs(a) @ np.abs(z) + np.abs(constant) + np.abs(b)
        off = b - np.einsum("ij,jk->ik", a.astype(LONG), z.astype(LONG)) - constant
        squares, sizes = squares + ((off * root) ** 2).sum(axis=0), sizes + ((size * root) ** 2).sum(axis=0)
        fractions = (a != np.rint(a)).any(axis=0) @ (z != 0)
        integral &= ((size < 2.0**53) & (b == np.rint(b))).all(axis=0) & (fractions == 0)
        equal &= (off == 0).all(axis=0)
        zero &= (b == data.shift[others]).all(axis=0)
    tau = SAFE * (np.sqrt(squares.astype(np.float64)) + gamma(ours.size + 4, LONG_UNIT) * np.sqrt(sizes))
    Z = np.zeros_like(Z)
    Z[inner] = np.where(zero, 0.0, z) * data.scale[ours][:, None] / data.scale[others]
    return np.where(zero | (equal & whole & (single | integral)), 0.0, tau), Z
