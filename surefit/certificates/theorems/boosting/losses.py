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

from surefit.certificates.blocks import F64

POINTED = ("absolute_error", "quantile", "huber")  # leaf values are not Newton steps


class Slopes(NamedTuple):
    """Per row (and class) the gradient and the curvature."""

    g: F64
    h: F64


def slopes(loss: str, y: F64, f: F64, q: float = 0.5) -> Slopes:
    """in: y (n,), f (n, K); `q` the quantile, for huber δ. out: (n, K) each, or an empty pair for an unknown loss."""
    r = y[:, None] - f
    one = np.ones_like(f)
    if loss == "multinomial":
        p = np.exp(f - f.max(axis=1, keepdims=True))
        p /= p.sum(axis=1, keepdims=True)
        own = y[:, None] == np.arange(f.shape[1])
        rest = p.sum(axis=1, keepdims=True) - p  # 1 − p without cancellation in its largest term
        return Slopes(np.where(own, -rest, p), p * rest)
    if loss in ("log_loss", "exponential"):
        sign = 2 * y[:, None] - 1
        if loss == "exponential":
            return Slopes(-sign * np.exp(-sign * f), np.exp(-sign * f))
        t = np.exp(-np.abs(f))
        return Slopes(np.where(sign * f > 0, -sign * t / (1 + t), -sign / (1 + t)), t / (1 + t) ** 2)
    if loss in ("poisson", "gamma"):
        e = np.exp(f) if loss == "poisson" else y[:, None] * np.exp(-f)
        return Slopes(e - y[:, None] if loss == "poisson" else 1 - e, e)
    if loss == "squared_error":
        return Slopes(-r, one)
    if loss == "huber":
        return Slopes(-np.clip(r, -q, q), one)
    if loss == "quantile":
        return Slopes(np.where(r >= 0, -q, 1 - q) * one, one)
    return Slopes(np.where(r < 0, 1.0, -1.0), one) if loss == "absolute_error" else Slopes(f[:0], f[:0])


def values(loss: str, y: F64, f: F64, q: float = 0.5) -> tuple[F64, F64]:
    """The loss of each row, and a bound for the sizes of the terms it is a difference of."""
    first, r = f[:, 0], y - f[:, 0]
    if loss == "multinomial":
        top = f.max(axis=1)
        log_sum = np.log(np.exp(f - top[:, None]).sum(axis=1)) + top
        own = f[np.arange(len(y)), y.astype(np.intp)]
        return log_sum - own, np.abs(log_sum) + np.abs(own)
    if loss == "log_loss":
        soft = np.maximum(first, 0) + np.log1p(np.exp(-np.abs(first)))
        return soft - y * first, soft + np.abs(first)
    if loss == "exponential":
        e = np.exp(np.where(y == 1, -first, first))
        return e, e * (1 + np.abs(first))
    if loss in ("poisson", "gamma"):
        e = np.exp(first) if loss == "poisson" else y * np.exp(-first)
        linear = -y * first if loss == "poisson" else first
        return e + linear, e * (1 + np.abs(first)) + np.abs(linear)
    size = np.abs(y) + np.abs(first)
    if loss == "squared_error":
        return r * r / 2, np.abs(r) * size
    if loss == "huber":
        return np.where(np.abs(r) <= q, r * r / 2, q * (np.abs(r) - q / 2)), np.minimum(np.abs(r), q) * size
    return (np.abs(r) if loss == "absolute_error" else np.where(r >= 0, q * r, (q - 1) * r)), size


def raw_of_mean(loss: str, mean: F64) -> F64:
    """The raw prediction whose answer is a mean of y; of classes, their shares, the raw predictions with mean zero."""
    eps = np.finfo(float).eps
    if loss in ("poisson", "gamma"):
        return np.log(np.maximum(mean, eps))
    p = np.clip(mean, eps, 1 - eps)
    if loss == "multinomial":
        return np.log(p) - np.log(p).mean(axis=-1, keepdims=True)
    return np.log(p / (1 - p)) / (2 if loss == "exponential" else 1) if loss in ("log_loss", "exponential") else mean


def quantile(v: F64, w: F64, q: float, rule: str) -> tuple[float, float]:
    """The q-quantile of v under the weights w as an interval: of two values where rounding of Σ w leaves it open.

    lower    the least value with weight ≥ q Σ w at or below it       middle   the mean of it and the next at equality
    linear   between neighbors at the place q (n − 1), for weights that are all one
    """
    order = np.argsort(v[w > 0], kind="stable")
    v, total = v[w > 0][order], np.cumsum(w[w > 0][order])
    if not len(v):
        return np.nan, np.nan
    if rule == "linear":
        value = float(np.percentile(v, 100 * q))
        return value, value
    exact = q == 0.5 and bool((w == np.rint(w)).all())
    slack = 0.0 if exact else 1e-12 * total[-1]
    low = int(np.searchsorted(total, q * total[-1] - slack).clip(0, len(v) - 1))
    place = np.searchsorted(total, q * total[-1] + slack, side="right" if rule == "middle" else "left")
    high = int(place.clip(0, len(v) - 1))
    if rule == "middle" and exact:
        return float(v[low] / 2 + v[high] / 2), float(v[low] / 2 + v[high] / 2)
    return float(v[low]), float(v[high])
