"""Data with more columns than rows: the answer lies in the span of the rows, so the problem is one in n unknowns.

With A the centered rows scaled by √weight and K = AAᵀ, the answer is w = Aᵀ (K + αI)⁻¹ y, which costs half of a QR
factorisation. Where the condition of K + αI would cost digits, Aᵀ = QR and w = Q v, with v the (shortest, or
penalised) answer of Rᵀv ≈ y.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.linalg
import scipy.sparse as sp
from scipy.linalg.lapack import dpocon, dpotrf, dpotrs

from surefit._core.memory import refuse_beyond_memory
from surefit.engine.sources.source import Source
from surefit.solvers.numerics.triangle import solve_triangle
from surefit.summaries.column_spread import deviations

_SAFE_CONDITION = 500.0
UNEVEN = 1e3
"""Columns whose sizes differ by more are handled with care for the small ones."""
EPS = float(np.finfo(np.float64).eps)


class Rows(NamedTuple):
    """All rows of positive weight, centered and scaled by √weight, dense and in double."""

    A: np.ndarray
    Y: np.ndarray
    x_mean: np.ndarray
    y_mean: np.ndarray
    root: np.ndarray
    """√weight of each row."""
    kept: np.ndarray
    """Row numbers in the data."""


def gather_rows(data: Source, centered: bool) -> Rows:
    refuse_beyond_memory(
        24.0 * data.n_rows * data.n_features,
        f"{data.n_rows} rows of {data.n_features} columns in memory",
        "Use fewer columns.",
    )
    parts = [(block.X, block.targets, block.w) for block in data.blocks()]
    A = np.concatenate([(X.toarray() if sp.issparse(X) else X) for X, _, _ in parts]).astype(np.float64)
    Y = np.concatenate([y for _, y, _ in parts]).astype(np.float64)
    w = np.concatenate([w for _, _, w in parts]) if data.has_weights else np.ones(len(A))
    kept = np.flatnonzero(w > 0)
    if len(kept) < len(A):
        A, Y, w = A[kept], Y[kept], w[kept]
    x_mean, y_mean = np.zeros(A.shape[1]), np.zeros(Y.shape[1])
    if centered:
        (_, x_mean, A), (_, y_mean, Y) = deviations(A, w), deviations(Y, w)
    root = np.sqrt(w)
    if data.has_weights:
        A *= root[:, None]
        Y *= root[:, None]
    return Rows(A, Y, x_mean, y_mean, root, kept)


class Complement:
    """The orthogonal complement of √ω, where centered rows live; the whole space without an intercept.

    Householder's P = I − 2uuᵀ turns √ω into a multiple of the first axis; the other axes are the complement.
    """

    def __init__(self, root: np.ndarray, centered: bool) -> None:
        self._u = None
        if centered:
            u = root / np.linalg.norm(root)
            u[0] += 1.0
            self._u = u / np.linalg.norm(u)

    def square(self, K: np.ndarray) -> np.ndarray:
        """The products K of the rows, in the complement."""
        if self._u is None:
            return K
        u, Ku = self._u, K @ self._u
        v = 2 * Ku - 2 * (u @ Ku) * u
        return (K - np.multiply.outer(u, v) - np.multiply.outer(v, u))[1:, 1:]

    def into(self, Y: np.ndarray) -> np.ndarray:
        return Y if self._u is None else (Y - 2 * np.multiply.outer(self._u, self._u @ Y))[1:]

    def out_of(self, V: np.ndarray) -> np.ndarray:
        if self._u is None:
            return V
        V = np.vstack([np.zeros((1, V.shape[1])), V])
        return V - 2 * np.multiply.outer(self._u, self._u @ V)


def solve_wide(
    data: Source, alpha: np.ndarray, fit_intercept: bool
) -> tuple[np.ndarray, np.ndarray, int | None, np.ndarray | None]:
    """Coefficients (targets, features), intercepts, and for a fit without penalty the rank and singular values."""
    rows = gather_rows(data, fit_intercept)
    A, Y = rows.A, rows.Y
    w = np.zeros((Y.shape[1], A.shape[1]))
    left = np.ones(Y.shape[1], dtype=bool)
    rank = singular = None
    n_singular = min(data.n_rows, data.n_features)
    complement = Complement(rows.root, fit_intercept)
    K = complement.square(A @ A.T)
    for penalty in np.unique(alpha) if len(K) and np.isfinite(K).all() else ():
        members = np.flatnonzero(alpha == penalty)
        v = _well_conditioned(K + penalty * np.eye(len(K)), complement.into(Y[:, members]))
        if v is not None:
            w[members] = (A.T @ complement.out_of(v)).T
            left[members] = False
            if penalty == 0:
                rank, singular = len(K), np.zeros(n_singular)
                singular[: len(K)] = np.sqrt(scipy.linalg.eigvalsh(K, check_finite=False)[::-1].clip(0.0))
    if left.any():
        # In the complement a rounded mean leaves nothing behind; in the rows it would be a direction of its own.
        B, Z = complement.into(A), complement.into(Y)
        sizes = np.abs(B).max(axis=0, initial=0.0)
        even = sizes.max(initial=0.0) <= UNEVEN * sizes[sizes > 0].min(initial=np.inf)
        solve = _by_singular_values if even else _by_columns_of_all_sizes
        offsets = np.linalg.norm(rows.root) * np.abs(rows.x_mean)
        w[left], rank, found = solve(B, Z[:, left], alpha[left], offsets, max(data.n_rows, data.n_features))
        singular = np.zeros(n_singular)
        singular[: len(found)] = found
    return w, rows.y_mean - w @ rows.x_mean, rank, singular


def _by_singular_values(
    B: np.ndarray, Z: np.ndarray, alpha: np.ndarray, offsets: np.ndarray, size: int
) -> tuple[np.ndarray, int, np.ndarray]:
    """(coefficients, rank, singular values) for columns of about one size."""
    Q, R = np.linalg.qr(B.T)
    U, s, Vt = scipy.linalg.svd(R, full_matrices=False, check_finite=False)
    rank = int((s > EPS * size * s[0]).sum()) if len(s) else 0
    U, kept, Vt = U[:, :rank], s[:rank], Vt[:rank]
    # s / (s² + α) without squaring s; s > 0 on the rank that is left
    w = [Q @ (U @ ((Vt @ z) / (kept + penalty / kept))) for z, penalty in zip(Z.T, alpha, strict=True)]
    return np.array(w), rank, s


def _by_columns_of_all_sizes(
    B: np.ndarray, Z: np.ndarray, alpha: np.ndarray, offsets: np.ndarray, size: int
) -> tuple[np.ndarray, int, np.ndarray]:
    """The same, with errors in each column relative to that column.

    A QR factorisation with rows in falling order of size, and pivoting, is accurate row by row (Cox and Higham, 1998):
    once for the rows of Bᵀ = QR, once for those of Rᵀv ≈ z, √α v ≈ 0.
    """
    Q, R, pivots, order = _graded_qr(B.T)
    found, rank = scipy.linalg.svdvals(R, check_finite=False), len(R)
    w = np.empty((Z.shape[1], B.shape[1]))
    for k, (z, penalty) in enumerate(zip(Z.T, alpha, strict=True)):
        if penalty == 0:
            answer, inverse = solve_triangle(B, z[:, None], 0.0, offsets, size)
            w[k], rank = answer[0], inverse.rank
            continue
        q, r, places, turned = _graded_qr(np.vstack([R.T, np.sqrt(penalty) * np.eye(len(R))]))
        v = np.empty(len(R))
        target = np.append(z[pivots], np.zeros(len(R)))[turned]
        v[places] = scipy.linalg.solve_triangular(r, q.T @ target, check_finite=False)
        w[k, order] = Q @ v
    return w, rank, found


def _graded_qr(M: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Q, R, pivots and the order of the rows: M[order][:, pivots] = Q R."""
    order = np.argsort(-np.abs(M).max(axis=1, initial=0.0), kind="stable")
    Q, R, pivots = scipy.linalg.qr(M[order], mode="economic", pivoting=True, check_finite=False)
    return Q, R, pivots, order


def _well_conditioned(K: np.ndarray, Y: np.ndarray) -> np.ndarray | None:
    """K⁻¹Y by Cholesky; None where the condition of K would cost digits."""
    factor, fault = dpotrf(K, lower=0, clean=0)
    if fault:
        return None
    reciprocal, _ = dpocon(factor, np.abs(K).sum(axis=0).max())
    return dpotrs(factor, Y, lower=0)[0] if reciprocal * _SAFE_CONDITION >= 1.0 else None
