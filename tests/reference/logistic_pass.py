"""One pass of logistic regression in plain NumPy (and for CSR rows in SciPy)."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import expit
from scipy.special import softmax as probabilities

from surefit.objectives import logistic, softmax
from surefit.solvers.logistic.logistic_pass import Pass, Point, leads


def reference_pass(X: Any, codes: np.ndarray, w: np.ndarray | None, at: Point) -> Pass:
    """What a pass over rows computes."""
    n, m = X.shape[0], len(at.intercept)
    codes = codes.astype(np.intp)
    w = np.ones(n) if w is None else w
    Z = np.asarray(X @ at.coef.T) + at.intercept
    counted = w > 0
    if m == 1:
        z = Z[:, 0]
        loss, R = logistic.value(z, codes), logistic.gradient(z, codes)[:, None]
        curvature = np.array([[w @ logistic.second(z, codes)]])
        lead, spread = np.where(codes == 1, z, -z), np.abs(z)
    else:
        loss, R = softmax.value(Z, codes), softmax.gradient(Z, codes)
        P = probabilities(Z, axis=1)
        curvature = np.diag(w @ P) - (P * w[:, None]).T @ P
        lead = leads(Z, codes)
        spread = Z.max(axis=1) - Z.min(axis=1)
    R *= w[:, None]
    return Pass(
        float(w @ np.where(counted, loss, 0.0)),
        np.ascontiguousarray((X.T @ R).T, dtype=np.float64),
        R.sum(axis=0),
        curvature,
        float(spread[counted].max(initial=0.0)),
        float(lead[counted].min(initial=np.inf)),
    )


def reference_curvatures(X: Any, w: np.ndarray | None, at: Point) -> np.ndarray:
    """ω p (1 − p) of every row, for two classes."""
    z = np.asarray(X @ at.coef[0]) + at.intercept[0]
    return expit(z) * expit(-z) * (1.0 if w is None else w)
