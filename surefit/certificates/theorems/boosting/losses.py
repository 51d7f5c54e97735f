"""Losses of boosting: of a target y and a raw prediction f the value, the gradient and the curvature in f.

    squared_error   ½ (y − f)²                  absolute_error   |y − f|
    quantile        q (y − f)₊ + (1 − q) (f − y)₊    huber        ½ r² where |r| ≤ δ, else δ (|r| − δ/2), r = y − f
    poisson         e^f − y f                   gamma            f + y e^−f
    log_loss        log(1 + e^f) − y f          exponential      y e^−f + (1 − y) e^f
    multinomial     log Σ e^f_k − f_y           (a column of f for each class)

Losses that are linear on both sides have the curvature one here. δ is the alpha-quantile of |r|.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from surefit.certificates.blocks import F64, BadData

POINTED = ("absolute_error", "quantile", "huber")  # leaf values are not Newton steps


class Loss(NamedTuple):
    """By row the value, and a bound for the sizes of what it is a difference of; by row and class the slopes."""

    value: F64
    size: F64
    g: F64
    h: F64


def loss_at(loss: str, y: F64, f: F64, q: float = 0.5) -> Loss:
    """in: y (n,), f (n, K); `q` the quantile, for huber δ. BadData for an unknown loss."""
    first, r, sign = f[:, 0], y - f[:, 0], 2 * y - 1
    size, h, steps = np.abs(y) + np.abs(first), np.ones(len(y)), np.abs(r)
    if loss == "multinomial":
        top, own = f.max(axis=1), y[:, None] == np.arange(f.shape[1])
        p = np.exp(f - top[:, None])
        log_sum, mine = np.log(p.sum(axis=1)) + top, f[np.arange(len(y)), y.astype(np.intp)]
        p /= p.sum(axis=1, keepdims=True)
        rest = p.sum(axis=1, keepdims=True) - p  # 1 − p without cancellation in its largest term
        return Loss(log_sum - mine, np.abs(log_sum) + np.abs(mine), np.where(own, -rest, p), p * rest)
    if loss == "log_loss":
        t = np.exp(-np.abs(first))
        soft, h = np.maximum(first, 0) + np.log1p(t), t / (1 + t) ** 2
        value, size = soft - y * first, soft + np.abs(first)
        g = np.where(sign * first > 0, -sign * t / (1 + t), -sign / (1 + t))
    elif loss == "exponential":
        value = h = np.exp(-sign * first)
        size, g = h * (1 + np.abs(first)), -sign * h
    elif loss in ("poisson", "gamma"):
        h, linear = (np.exp(first), -y * first) if loss == "poisson" else (y * np.exp(-first), first)
        value, size, g = h + linear, h * (1 + np.abs(first)) + np.abs(linear), h - y if loss == "poisson" else 1 - h
    elif loss == "squared_error":
        value, size, g = r * r / 2, steps * size, -r
    elif loss == "huber":
        value, size = np.where(steps <= q, r * r / 2, q * (steps - q / 2)), np.minimum(steps, q) * size
        g = -np.clip(r, -q, q)
    elif loss in ("quantile", "absolute_error"):
        up = q if loss == "quantile" else 1.0
        down = 1 - q if loss == "quantile" else 1.0
        value, g = np.where(r >= 0, up * r, -down * r), np.where(r >= 0, -up, down)
    else:
        raise BadData(f"loss={loss!r} is not known here")
    return Loss(value, size, g[:, None], h[:, None])


def raw_of_mean(loss: str, mean: F64) -> F64:
    """The raw prediction whose answer is a mean of y; of classes, their shares, the raw predictions with mean zero."""
    eps = np.finfo(float).eps
    if loss in ("poisson", "gamma"):
        return np.log(np.maximum(mean, eps))
    p = np.clip(mean, eps, 1 - eps)
    if loss == "multinomial":
        return np.log(p) - np.log(p).mean(axis=-1, keepdims=True)
    return np.log(p / (1 - p)) / (2 if loss == "exponential" else 1) if loss in ("log_loss", "exponential") else mean


def quantile(v: F64, w: F64, q: float, linear: bool = False) -> tuple[float, float]:
    """The ends of the q-quantiles of v under the weights w: least values with q Σ w at or below them, and with more.

    linear: between neighbors at the place q (n − 1), for weights that are all one.
    """
    order = np.argsort(v[w > 0], kind="stable")
    v, total = v[w > 0][order], np.cumsum(w[w > 0][order])
    if linear or not len(v):
        value = float(np.percentile(v, 100 * q)) if len(v) else np.nan
        return value, value
    slack = 1e-12 * total[-1]  # where rounding leaves it open
    low = np.searchsorted(total, q * total[-1] - slack).clip(0, len(v) - 1)
    high = np.searchsorted(total, q * total[-1] + slack, side="right").clip(0, len(v) - 1)
    return float(v[low]), float(v[high])
