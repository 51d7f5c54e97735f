"""Sparse data in memory, too wide for a square matrix: LSMR on the centered rows, which are never formed.

With ones e, centered and weighted rows are A = √W (X − e mᵀ): products with A and Aᵀ cost one sparse product and a few
sums. LSMR runs on AᵀA implicitly, starts at zero and stays in the span of the rows, so it ends at the shortest answer.
"""

from __future__ import annotations

import warnings
from typing import NamedTuple

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from surefit._core.errors import CannotStream
from surefit.engine.block import target_columns
from surefit.engine.source import Source

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

    def forward(v: np.ndarray) -> np.ndarray:
        v = v.ravel()
        return root * (X @ v - x_mean @ v)

    def backward(u: np.ndarray) -> np.ndarray:
        u = root * u.ravel()
        return X.T @ u - x_mean * u.sum()

    A = LinearOperator((n, d), matvec=forward, rmatvec=backward, dtype=np.float64)
    coef, gradient = np.zeros((Y.shape[1], d)), 0.0
    for k in range(Y.shape[1]):
        target = root * (Y[:, k] - y_mean[k])
        coef[k], reason, _, residual, slope, norm, *_ = lsmr(
            A, target, np.sqrt(alpha[k]), _TOLERANCE, _TOLERANCE, conlim=0, maxiter=limit
        )
        if reason == 7:
            gradient = max(gradient, slope / (norm * max(residual, np.finfo(float).tiny)))
    return Iterated(coef, y_mean - coef @ x_mean, gradient)
