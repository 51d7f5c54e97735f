"""Losses of boosting: of a target y and a raw prediction f the value, the slope g and the curvature h in f.

    squared_error   ½ r², r = y − f             huber        ½ r² where |r| ≤ δ, else δ (|r| − δ/2)
    absolute_error  |r|                         quantile     q r where r ≥ 0, else (q − 1) r
    poisson         e^f − y f                   gamma        f + y e^−f
    exponential     y e^−f + (1 − y) e^f        log_loss     log Σ e^f_k − f_y, a column of f for each class; of two
                                                             classes that of the second, the first one has f = 0

h is one for losses of r. δ is the alpha-quantile of |r|.
"""

from __future__ import annotations

import numpy as np

from surefit.certificates.blocks import F64, BadData

KINKED = ("absolute_error", "quantile", "huber")  # leaf values are not Newton steps


def loss_at(loss: str, y: F64, f: F64, q: float = 0.5) -> tuple[F64, F64, F64]:
    """in: y (n,), f (n, K); q, for huber δ. out: values (n,), slopes and curvatures (n, K)."""
    first, r, sign, h = f[:, 0], y - f[:, 0], 2 * y - 1, np.ones(len(y))
    if loss == "log_loss":
        every = f if f.shape[1] > 1 else np.column_stack([np.zeros(len(y)), f])
        own, top = y[:, None] == np.arange(every.shape[1]), every.max(axis=1, keepdims=True)
        p = np.exp(every - top)
        value = np.log(p.sum(axis=1)) + (top - every)[own]
        p /= p.sum(axis=1, keepdims=True)
        rest = p @ (1 - np.eye(p.shape[1]))  # 1 − p without cancellation
        return value, np.where(own, -rest, p)[:, -f.shape[1] :], (p * rest)[:, -f.shape[1] :]
    if loss == "exponential":
        value = h = np.exp(-sign * first)
        g = -sign * h
    elif loss == "poisson":
        h = np.exp(first)
        value, g = h - y * first, h - y
    elif loss == "gamma":
        h = y * np.exp(-first)
        value, g = h + first, 1 - h
    elif loss == "squared_error":
        value, g = r * r / 2, -r
    elif loss == "huber":
        value, g = np.where(np.abs(r) <= q, r * r / 2, q * (np.abs(r) - q / 2)), -np.clip(r, -q, q)
    elif loss in ("quantile", "absolute_error"):
        up, down = (q, 1 - q) if loss == "quantile" else (1.0, 1.0)
        value, g = np.where(r >= 0, up * r, -down * r), np.where(r >= 0, -up, down)
    else:
        raise BadData(f"loss={loss!r} is not known here")
    return value, g[:, None], h[:, None]


def quantile(v: F64, w: F64, q: float, linear: bool = False) -> tuple[float, float]:
    """The least and the largest q-quantile of v under the weights w, as far as rounding of their sums leaves it open.

    linear: for weights that are all one, between neighbors at the place q (n − 1).
    """
    order = np.argsort(v, kind="stable")
    v, below = v[order], np.cumsum(w[order])
    if linear:
        return float(np.percentile(v, 100 * q)), float(np.percentile(v, 100 * q))
    low, high = np.searchsorted(below, below[-1] * q * np.array([1 - 1e-12, 1 + 1e-12])).clip(0, len(v) - 1)
    return float(v[low]), float(v[high])
