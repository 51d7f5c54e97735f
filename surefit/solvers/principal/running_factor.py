"""A factor of the scatter of all rows seen so far, batch by batch.

Rows with mean m have the scatter S = Σ (x − m)(x − m)ᵀ. For n rows seen before (mean m) and b new ones (mean c)

    S = S_before + S_new + n b/(n + b) · (m − c)(m − c)ᵀ ,

so with FᵀF = S_before the matrix [F; X_new − c; √(nb/(n + b)) (m − c)] is a factor of S, and so is its triangle. Where
more than `most` directions would be kept, those of the smallest singular values are dropped. Each drop takes a positive
semidefinite matrix of norm σ² from S; with Δ the sum of these σ², for the eigenvalues

    λᵢ(FᵀF)  ≤  λᵢ(S)  ≤  λᵢ(FᵀF) + Δ .
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.linalg

from surefit.solvers.principal.range_of_squares import refuse_beyond_range


@dataclass(frozen=True)
class RunningFactor:
    n_rows: int
    mean: np.ndarray
    factor: np.ndarray
    """F, at most `most` rows."""
    sum_sq: np.ndarray
    """Σ (x − m)² of each column, nothing dropped."""
    dropped: float
    """Δ."""

    @staticmethod
    def nothing(d: int) -> RunningFactor:
        return RunningFactor(0, np.zeros(d), np.zeros((0, d)), np.zeros(d), 0.0)

    def with_rows(self, X: np.ndarray, most: int) -> RunningFactor:
        """With the rows of a batch, in double precision."""
        b, n = len(X), self.n_rows
        start = X[0].astype(np.float64)
        with np.errstate(over="ignore", invalid="ignore"):
            center = start + (X - start).mean(axis=0)
            new = X - center
            gap = np.sqrt(n * (b / (n + b))) * (self.mean - center)
            mean = center + (self.mean - center) * (n / (n + b))
            sum_sq = self.sum_sq + (new * new).sum(axis=0) + gap * gap
        refuse_beyond_range(float(sum_sq.sum()), 1.0, np.float64)
        rows = np.vstack([self.factor, new, gap[None]] if n else [new])
        factor, dropped = _leading(_triangle(rows), most)
        return RunningFactor(n + b, mean, factor, sum_sq, self.dropped + dropped)


def _triangle(rows: np.ndarray) -> np.ndarray:
    if rows.shape[0] <= rows.shape[1]:
        return rows
    return np.triu(scipy.linalg.qr(rows, mode="r", overwrite_a=True, check_finite=False)[0][: rows.shape[1]])


def _leading(rows: np.ndarray, most: int) -> tuple[np.ndarray, float]:
    """The `most` directions of largest singular values, and the square of the first that is dropped."""
    if rows.shape[0] <= most:
        return rows, 0.0
    _, s, Vt = scipy.linalg.svd(rows, full_matrices=False, check_finite=False)
    return s[:most, None] * Vt[:most], float(s[most] ** 2) if len(s) > most else 0.0
