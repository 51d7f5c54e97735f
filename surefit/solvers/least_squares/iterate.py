"""Sparse data in memory, too wide for a square matrix: iterations on the centered rows, which are never formed.

With ones e, centered and weighted rows are A = √W (X − e mᵀ): products with A and Aᵀ cost one sparse product and a few
sums. Conjugate gradients (`conjugate.py`) come first; where they lose too many digits, or a row has fewer numbers than
their sums, LSMR takes over. Both start at zero and stay in the span of the rows, so they end at the shortest answer.
Where there is one answer alone, with a penalty or with columns seen to be independent, columns of [A; √α I] scaled to
unit length get there in fewer iterations.
"""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning

from surefit._core.errors import CannotStream
from surefit._core.threads import threads_for
from surefit.engine.sources.block import target_columns
from surefit.engine.sources.source import Source
from surefit.solvers.least_squares.conjugate import MOST_STEPS, Centered, conjugate_gradients, independent, worthwhile
from surefit.summaries.row_products import scores, with_short_indices

_TOLERANCE = 1e-14
_GRADIENT = 1e-10
"""Relative gradient at which conjugate gradients end: the sum of squares is then least to about its square, times the
square of A's condition number."""


_CANCELLED = 1e-8
"""A share of a column's squares below which its deviations are differences of nearly equal numbers."""
_ALIKE = 4.0
"""Columns whose sums of squares differ by less gain nothing from a scale."""


class Iterated(NamedTuple):
    coef: np.ndarray
    """(targets, features)"""
    intercept: np.ndarray
    gradient: float
    """The largest relative gradient at which a target ran out of iterations; zero where all converged."""


def iterate(
    data: Source, alpha: np.ndarray, fit_intercept: bool, max_iter: int | None
) -> tuple[np.ndarray, np.ndarray]:
    """Coefficients (targets, features) and intercepts, with a warning where iterations ran out."""
    limit = max_iter or 10 * min(data.n_rows, data.n_features) + 100
    found = iterated(data, alpha, fit_intercept, limit)
    if found.gradient > 0:
        warnings.warn(
            f"stopped after {limit} iterations at a relative gradient of {found.gradient:.1e} (tolerance "
            f"{_TOLERANCE:.0e}); raise max_iter or scale the columns",
            ConvergenceWarning,
            stacklevel=2,
        )
    return found.coef, found.intercept


def iterated(data: Source, alpha: np.ndarray, fit_intercept: bool, limit: int) -> Iterated:
    """Every target by itself, at most `limit` iterations each."""
    X, n, d = data.X, data.n_rows, data.n_features
    if not data.resident:
        raise CannotStream(
            f"sparse data of {d} columns is solved by iteration, which needs its rows in memory. Load it first (for "
            "example with .compute())."
        )
    Y = target_columns(data.y).astype(np.float64)
    w = np.ones(n) if data.w is None else data.w
    total = w.sum()
    x_mean, y_mean = np.zeros(d), np.zeros(Y.shape[1])
    if fit_intercept:
        x_mean = (X.T @ w) / total
        y_mean = Y[0] + (w @ (Y - Y[0])) / total
    X = with_short_indices(X)
    A = Centered(X, data.w, x_mean, threads_for(2.0 * X.nnz))
    raw = X.power(2).T @ w
    squares = np.maximum(raw - total * x_mean**2, 0.0)
    by_one_pass = limit >= MOST_STEPS and worthwhile(X)
    plain = _unpenalized_unit(A, raw, squares) if by_one_pass and (alpha == 0).any() else np.ones(d)
    coef, gradient, by_columns = np.zeros((Y.shape[1], d)), 0.0, None
    for k in range(Y.shape[1]):
        unit = 1.0 / np.sqrt(squares + alpha[k]) if alpha[k] > 0 else plain
        target = Y[:, k] - y_mean[k]
        if by_one_pass:
            found = conjugate_gradients(A, target, float(alpha[k]), unit, _GRADIENT)
            if found.converged:
                coef[k] = found.v
                continue
        by_columns = sp.csr_array(X.T) if by_columns is None else by_columns
        coef[k], slope = _bidiagonalized(A, by_columns, target, float(alpha[k]), unit, limit)
        gradient = max(gradient, slope)
    return Iterated(coef, y_mean - coef @ x_mean, gradient)


def _unpenalized_unit(A: Centered, raw: np.ndarray, squares: np.ndarray) -> np.ndarray:
    """The scale of each column without a penalty: to unit length where their lengths differ and the answer is one.

    `raw` and `squares`: sums of squares of the columns, and of their deviations. Columns of zeros keep coefficients of
    zero whatever their scale.
    """
    nonzero, same = raw > 0, np.ones(len(raw))
    if A.X.shape[0] <= nonzero.sum() or not nonzero.any() or (squares <= _CANCELLED * raw)[nonzero].any():
        return same
    if squares[nonzero].max() <= _ALIKE * squares[nonzero].min():
        return same
    unit = 1.0 / np.sqrt(np.where(nonzero, squares, 1.0))
    return unit if independent(A, unit, nonzero) else same


def _bidiagonalized(
    A: Centered, by_columns: Any, target: np.ndarray, alpha: float, unit: np.ndarray, limit: int
) -> tuple[np.ndarray, float]:
    """LSMR on [A; √α I] diag(unit); the relative gradient where iterations ran out, else zero."""
    from scipy.sparse.linalg import LinearOperator, lsmr

    n, d = A.X.shape
    root = np.ones(n) if A.w is None else np.sqrt(A.w)
    nothing, root_alpha = np.zeros(1), np.sqrt(alpha)

    def forward(v: np.ndarray) -> np.ndarray:
        return root * (scores(A.X, v[None], nothing, A.n_threads)[:, 0] - A.mean @ v)

    def backward(u: np.ndarray) -> np.ndarray:
        u = root * u
        return scores(by_columns, u[None], nothing, A.n_threads)[:, 0] - A.mean * u.sum()

    operator = LinearOperator(
        (n + d, d),
        matvec=lambda v: np.append(forward(unit * v), root_alpha * unit * v),
        rmatvec=lambda u: unit * (backward(u[:n]) + root_alpha * u[n:]),
        dtype=np.float64,
    )
    b = np.append(root * target, np.zeros(d))
    v, reason, _, residual, slope, norm, *_ = lsmr(operator, b, 0.0, _TOLERANCE, _TOLERANCE, conlim=0, maxiter=limit)
    left = slope / (norm * max(residual, np.finfo(float).tiny)) if reason == 7 else 0.0
    return unit * v, left
