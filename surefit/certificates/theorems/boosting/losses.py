"""Smooth losses of boosting: of a target y and raw predictions f the value, the slope g and the curvature h in f.

Each takes y (n,) and f (n, K) to values (n,), slopes and curvatures (n, K).
"""

from __future__ import annotations

import numpy as np

from surefit.certificates.blocks import F64


def log_loss(y: F64, f: F64) -> tuple[F64, F64, F64]:
    """log Σ e^f_k − f_y, a column of f for each class; of two classes that of the second, the first one has f = 0."""
    every = f if f.shape[1] > 1 else np.column_stack([np.zeros(len(y)), f])
    own, top = y[:, None] == np.arange(every.shape[1]), every.max(axis=1, keepdims=True)
    p = np.exp(every - top)
    value = np.log(p.sum(axis=1)) + (top - every)[own]
    p /= p.sum(axis=1, keepdims=True)
    rest = p @ (1 - np.eye(p.shape[1]))  # 1 − p without cancellation
    return value, np.where(own, -rest, p)[:, -f.shape[1] :], (p * rest)[:, -f.shape[1] :]


def exponential(y: F64, f: F64) -> tuple[F64, F64, F64]:
    """e^−f for y = 1, e^f for y = 0."""
    sign = 2 * y[:, None] - 1
    value = np.exp(-sign * f)
    return value[:, 0], -sign * value, value


def squared_error(y: F64, f: F64) -> tuple[F64, F64, F64]:
    """½ (y − f)²."""
    r = y[:, None] - f
    return r[:, 0] ** 2 / 2, -r, np.ones_like(f)


def poisson(y: F64, f: F64) -> tuple[F64, F64, F64]:
    """e^f − y f."""
    mean = np.exp(f)
    return mean[:, 0] - y * f[:, 0], mean - y[:, None], mean


def gamma(y: F64, f: F64) -> tuple[F64, F64, F64]:
    """f + y e^−f."""
    ratio = y[:, None] * np.exp(-f)
    return f[:, 0] + ratio[:, 0], 1 - ratio, ratio
