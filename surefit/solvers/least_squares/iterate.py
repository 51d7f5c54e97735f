"""Sparse data in memory, too wide for a square matrix: LSMR on the centered rows, which are never formed.

With ones e, centered and weighted rows are A = √W (X − e mᵀ): products with A and Aᵀ cost one sparse product and a few
sums. LSMR runs on AᵀA implicitly, starts at zero and stays in the span of the rows, so it ends at the shortest answer.
With a penalty there is one answer, and columns of [A; √α I] scaled to unit length get there in fewer iterations.
"""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning

from surefit._core.errors import CannotStream
from surefit._core.threads import threads_for
from surefit.engine.block import target_columns
from surefit.engine.source import Source
from surefit.summaries.row_products import scores

_TOLERANCE = 1e-14


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
    """LSMR for every target, at most `limit` iterations each."""
    from scipy.sparse.linalg import LinearOperator, lsmr

    X, n, d = data.X, data.n_rows, data.n_features
    if not data.resident:
        raise CannotStream(
            f"sparse data of {d} columns is solved by iteration, which needs its rows in memory. Load it first (for "
            "example with .compute())."
        )
    Y = target_columns(data.y).astype(np.float64)
    w = np.ones(n) if data.w is None else data.w
    root = np.sqrt(w)
    total = w.sum()
    x_mean, y_mean = np.zeros(d), np.zeros(Y.shape[1])
    if fit_intercept:
        x_mean = (X.T @ w) / total
        y_mean = Y[0] + (w @ (Y - Y[0])) / total

    by_columns = sp.csr_array(X.T)
    n_threads = threads_for(2.0 * X.nnz)
    nothing = np.zeros(1)

    def forward(v: np.ndarray) -> np.ndarray:
        return root * (scores(X, v[None], nothing, n_threads)[:, 0] - x_mean @ v)

    def backward(u: np.ndarray) -> np.ndarray:
        u = root * u
        return scores(by_columns, u[None], nothing, n_threads)[:, 0] - x_mean * u.sum()

    def penalized(unit: np.ndarray, root_alpha: float) -> Any:
        """[A; √α I] diag(unit)."""
        return LinearOperator(
            (n + d, d),
            matvec=lambda v: np.append(forward(unit * v), root_alpha * unit * v),
            rmatvec=lambda u: unit * (backward(u[:n]) + root_alpha * u[n:]),
            dtype=np.float64,
        )

    squares = np.maximum(X.power(2).T @ w - total * x_mean**2, 0.0)
    coef, gradient = np.zeros((Y.shape[1], d)), 0.0
    for k in range(Y.shape[1]):
        unit = 1.0 / np.sqrt(squares + alpha[k]) if alpha[k] > 0 else np.ones(d)
        target = np.append(root * (Y[:, k] - y_mean[k]), np.zeros(d))
        A = penalized(unit, float(np.sqrt(alpha[k])))
        v, reason, _, residual, slope, norm, *_ = lsmr(A, target, 0.0, _TOLERANCE, _TOLERANCE, conlim=0, maxiter=limit)
        coef[k] = unit * v
        if reason == 7:
            gradient = max(gradient, slope / (norm * max(residual, np.finfo(float).tiny)))
    return Iterated(coef, y_mean - coef @ x_mean, gradient)
