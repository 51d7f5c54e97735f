"""Data with more columns than rows: the answer lies in the span of the rows, so the problem is one in n unknowns.

With A the centred rows scaled by √weight and Aᵀ = QR, the answer is w = Q v with v the (shortest, or penalised) answer
of Rᵀv ≈ y. A penalty that dominates the rounding of the n×n products K = AAᵀ takes the cheaper road
w = Aᵀ (K + αI)⁻¹ y.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.linalg
import scipy.sparse as sp

from surefit._core.memory import refuse_beyond_memory
from surefit.engine.source import Source

_SAFE_CONDITION = 2e3
EPS = float(np.finfo(np.float64).eps)


class Rows(NamedTuple):
    """All rows of positive weight, centred and scaled by √weight, dense and in double."""

    A: np.ndarray
    Y: np.ndarray
    x_mean: np.ndarray
    y_mean: np.ndarray
    root: np.ndarray
    """√weight of each row."""
    kept: np.ndarray
    """Row numbers in the data."""


def gather_rows(data: Source, centred: bool) -> Rows:
    refuse_beyond_memory(
        24.0 * data.n_rows * data.n_features,
        f"{data.n_rows} rows of {data.n_features} columns in memory",
        "Use fewer columns.",
    )
    parts = [(block.X, block.y, block.w) for block in data.blocks()]
    A = np.concatenate([(X.toarray() if sp.issparse(X) else X) for X, _, _ in parts]).astype(np.float64)
    Y = np.concatenate([y if y.ndim == 2 else y[:, None] for _, y, _ in parts]).astype(np.float64)
    w = np.concatenate([w for _, _, w in parts]) if data.has_weights else np.ones(len(A))
    kept = np.flatnonzero(w > 0)
    if len(kept) < len(A):
        A, Y, w = A[kept], Y[kept], w[kept]
    x_mean, y_mean = np.zeros(A.shape[1]), np.zeros(Y.shape[1])
    if centred:
        # Deviations from the first row come first: an offset costs no digits, a constant column becomes exact zeros.
        x_mean, y_mean = (Z[0] + (w @ (Z - Z[0])) / w.sum() for Z in (A, Y))
        A -= x_mean
        Y -= y_mean
    root = np.sqrt(w)
    if data.has_weights:
        A *= root[:, None]
        Y *= root[:, None]
    return Rows(A, Y, x_mean, y_mean, root, kept)


def solve_wide(
    data: Source, alpha: np.ndarray, fit_intercept: bool
) -> tuple[np.ndarray, np.ndarray, int | None, np.ndarray | None]:
    """Coefficients (targets, features), intercepts, and where they were needed the rank and singular values."""
    rows = gather_rows(data, fit_intercept)
    A, Y = rows.A, rows.Y
    w = np.zeros((Y.shape[1], A.shape[1]))
    scale = float(np.einsum("ij,ij->", A, A))  # the trace of K bounds its largest eigenvalue
    heavy = (alpha > 0) & (scale <= _SAFE_CONDITION * alpha)
    rank = singular = None
    for penalty in np.unique(alpha[heavy]):
        members = np.flatnonzero(heavy & (alpha == penalty))
        K = A @ A.T
        K[np.diag_indices_from(K)] += penalty
        w[members] = (A.T @ scipy.linalg.solve(K, Y[:, members], assume_a="pos")).T
    if not heavy.all():
        Q, R = np.linalg.qr(A.T)
        U, s, Vt = scipy.linalg.svd(R, full_matrices=False, check_finite=False)
        rank = int((s > EPS * max(data.n_rows, data.n_features) * s[0]).sum()) if len(s) else 0
        singular = np.zeros(min(data.n_rows, data.n_features))
        singular[: len(s)] = s
        U, s, Vt = U[:, :rank], s[:rank], Vt[:rank]
        for k in np.flatnonzero(~heavy):
            # s / (s² + α) without squaring s; s > 0 on the rank that is left
            w[k] = Q @ (U @ ((Vt @ Y[:, k]) / (s + alpha[k] / s)))
    return w, rows.y_mean - w @ rows.x_mean, rank, singular
