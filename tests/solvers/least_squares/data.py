"""Least-squares problems for the tests of this folder, and their answers by LAPACK on centered, scaled rows."""

from __future__ import annotations

import numpy as np

from surefit.engine.sources.source import MemorySource


def problem(n=60, d=4, targets=2, seed=0, offset=3.0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) + offset
    Y = X @ rng.normal(size=(d, targets)) + rng.normal(size=(n, targets)) - 7
    return X, Y, rng.integers(0, 3, n).astype(float)


def source(X, Y, w=None):
    return MemorySource(X, Y, w)


def answer(X, Y, w=None, alpha=0.0, fit_intercept=True):
    """(coef, intercept): ‖√ω(y − Xw − b)‖² + α‖w‖² is least squares with √α·I as extra rows."""
    w = np.ones(len(X)) if w is None else w
    x_mean = np.average(X, axis=0, weights=w) if fit_intercept else np.zeros(X.shape[1])
    y_mean = np.average(Y, axis=0, weights=w) if fit_intercept else np.zeros(Y.shape[1])
    root = np.sqrt(w)[:, None]
    A = np.vstack([root * (X - x_mean), np.sqrt(alpha) * np.eye(X.shape[1])])
    B = np.vstack([root * (Y - y_mean), np.zeros((X.shape[1], Y.shape[1]))])
    coef = np.linalg.lstsq(A, B, rcond=1e-12)[0].T
    return coef, y_mean - coef @ x_mean
