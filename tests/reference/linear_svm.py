"""Linear support vector machines in plain NumPy: objectives, duals and slow solvers."""

from __future__ import annotations

import numpy as np


def clipped_pass(X, sign, shift, slope, top, theta):
    """(slack, residual, sums) of `native/src/svm/clipped_pass.hpp`."""
    X = np.asarray(X, dtype=np.float64)
    slack = 1.0 - sign * (X @ theta[:-1] + theta[-1])
    residual = np.minimum(np.maximum(shift + slope * slack, 0.0), top)
    return slack, residual, np.append((residual * sign) @ X, (residual * sign).sum())


def objective(X, sign, cost, coef, intercept, scale=1.0, loss="squared_hinge", penalty="l2"):
    """The objective of LinearSVC for two classes; `cost` is C ω of every row."""
    slack = np.maximum(0.0, 1.0 - sign * (X @ coef + intercept))
    u = np.append(coef, intercept / scale) if scale else coef
    size = np.abs(u).sum() if penalty == "l1" else 0.5 * u @ u
    return size + cost @ (slack**2 if loss == "squared_hinge" else slack)


def dual_by_coordinates(X, sign, upper, diagonal, scale, epochs):
    """Dual coordinate descent in the order of the rows: (a, u)."""
    rows = np.column_stack([np.asarray(X, dtype=np.float64), np.full(len(sign), scale)]) * sign[:, None]
    a, u = np.zeros(len(sign)), np.zeros(rows.shape[1])
    for _ in range(epochs):
        for i, row in enumerate(rows):
            if upper[i] > 0:
                new = np.clip(a[i] - (row @ u - 1.0 + diagonal[i] * a[i]) / (row @ row + diagonal[i]), 0.0, upper[i])
                u += (new - a[i]) * row
                a[i] = new
    return a, u


def subgradient_mean(X, sign, weight, lam, n_steps, fit_intercept):
    """The mean of θ₀ … θ_{T−1} of averaged subgradient descent, and f at each of them."""
    rows = np.column_stack([X, np.ones(len(X))]) if fit_intercept else np.asarray(X)
    weight = weight / weight.sum()
    theta, total, values = np.zeros(rows.shape[1]), np.zeros(rows.shape[1]), []
    for t in range(n_steps):
        margins = sign * (rows @ theta)
        values.append(0.5 * lam * theta @ theta + weight @ np.maximum(0.0, 1.0 - margins))
        total += theta
        theta = theta - (lam * theta - (weight * sign * (margins < 1)) @ rows) / (lam * (t + 1))
    return total / n_steps, np.array(values)
