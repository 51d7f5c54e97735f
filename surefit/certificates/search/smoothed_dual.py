"""Proposes a dual point δ, and better coefficients, for  min Σ φᵢ(tᵢ − aᵢ·θ) + Σ λⱼ|θⱼ| ,  φᵢ(e) = max(loᵢ e, hiᵢ e).

The kink of φ is rounded off at a width τ: δᵢ = clip((hiᵢ − loᵢ) eᵢ/τ, loᵢ, hiᵢ) is the slope of a smooth function, whose
minimum has Σ δᵢaᵢ = clip(λθ/τ, ±λ) — a point that the dual allows, within about τ of the best. Newton's method finds it, for
smaller and smaller τ, from the model's own θ.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from surefit.certificates.blocks import F64

STEPS = 40
WIDTHS = 10.0 ** -np.arange(0.0, 10.5, 1.0)
LONG = np.longdouble


class Smoothed(NamedTuple):
    delta: np.ndarray  # long double, inside the boxes
    theta: F64


class Kinks(NamedTuple):
    """The problem in memory, columns in a common unit; λ is zero for columns without a penalty."""

    A: F64
    t: F64
    lo: F64
    hi: F64
    penalty: F64


def smoothed_dual(k: Kinks, theta: F64) -> Smoothed:
    """The best of the dual points on the way, for the gap of the coefficients `theta`."""
    e = k.t - k.A @ theta
    weight = np.maximum(-k.lo, k.hi)
    unit = float(weight @ np.abs(e) / weight.sum()) or 1.0
    slopes = np.maximum(k.lo * e, k.hi * e)
    best, least, here = np.zeros(e.size, dtype=LONG), float(slopes.sum()), theta
    for width in unit * WIDTHS:
        here, delta = _minimum(k, here, width)
        delta = _balanced(k, here, delta, width)
        g = np.asarray(delta.astype(LONG) @ k.A, dtype=np.float64)
        missed = np.abs(g - np.clip(g, -k.penalty, k.penalty)).sum()
        value = float((slopes - delta.astype(float) * e).sum()) + 1e6 * unit * missed
        value += float(k.penalty @ np.abs(theta) - theta @ np.clip(g, -k.penalty, k.penalty))
        if value < least:
            best, least = delta, value
    return Smoothed(best, here)


def _minimum(k: Kinks, theta: F64, width: float) -> tuple[F64, F64]:
    """Newton's method with halved steps."""
    curve, pull = (k.hi - k.lo) / width, k.penalty / width
    for _ in range(STEPS):
        value, delta, eta = _smooth(k, theta, width)
        slope = delta @ k.A - eta
        on = (delta > k.lo) & (delta < k.hi)
        H = (k.A[on] * curve[on, None]).T @ k.A[on]
        H[np.diag_indices_from(H)] += np.where(np.abs(eta) < k.penalty, pull, 0.0)
        H[np.diag_indices_from(H)] += 1e-13 * max(float(np.trace(H)), 1e-300) / len(H) + 1e-10 * k.hi.max() / width
        step = np.linalg.solve(H, slope)
        fall, size = float(slope @ step), 1.0
        if not fall > 1e-28 * abs(value):
            break
        while size > 1e-4 and _smooth(k, theta + size * step, width)[0] > value - 0.1 * size * fall:
            size /= 2
        theta = theta + size * step
    return theta, _smooth(k, theta, width)[1]


def _smooth(k: Kinks, theta: F64, width: float) -> tuple[float, F64, F64]:
    """The smooth function, and its slopes at the rows and at the coefficients."""
    e, span = k.t - k.A @ theta, np.where(k.hi > k.lo, k.hi - k.lo, 1.0)
    delta = np.clip((k.hi - k.lo) * e / width, k.lo, k.hi)
    eta = np.clip(k.penalty * theta / width, -k.penalty, k.penalty)
    bend = np.where(k.penalty > 0, k.penalty, 1.0)
    value = float((delta * e - delta * delta * width / (2 * span)).sum())
    return value + float((eta * theta - eta * eta * width / (2 * bend)).sum()), delta, eta


def _balanced(k: Kinks, theta: F64, delta: F64, width: float) -> np.ndarray:
    """δ in long double, moved on rows inside their boxes until the sums vanish that must."""
    out = delta.astype(LONG)
    eta = np.clip(k.penalty * theta / width, -k.penalty, k.penalty)
    bound = (k.penalty == 0) | (np.abs(eta) >= k.penalty)
    on = np.flatnonzero((delta > k.lo) & (delta < k.hi))
    if not (on.size and bound.any()):
        return out
    room = np.minimum(delta[on] - k.lo[on], k.hi[on] - delta[on])
    system = (k.A[on][:, bound] * room[:, None]).T
    for _ in range(4):
        left = (out @ k.A.astype(LONG) - eta)[bound]
        out[on] -= room * np.linalg.lstsq(system, left.astype(np.float64), rcond=1e-14)[0]
        out = np.clip(out, k.lo, k.hi)
    return out
