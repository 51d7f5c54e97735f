"""Proposes a dual point δ, and better coefficients, for  min Σ φᵢ(tᵢ − aᵢ·θ) + Σ λⱼ|θⱼ| ,  φᵢ(e) = max(loᵢ e, hiᵢ e).

|e| is replaced by √(e² + τ²): the slopes δᵢ = (hiᵢ + loᵢ)/2 + (hiᵢ − loᵢ)/2 · e/√(e² + τ²) are inside their boxes, and
at the minimum Σ δᵢaᵢ = λθ/√(θ² + τ²): a point that the dual allows, within about τ of the best. Newton's method finds
it: for one small τ from the model's own θ, and where that is too far, for smaller and smaller τ.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from surefit.certificates.blocks import F64

STEPS = 25
SHORT = (1e-9,)  # widths, in units of the mean loss, for a θ that is the optimum to rounding
PATH = tuple(0.2**k for k in range(15))  # down to 1e-10
FINE = 1e-7  # from here on a dual point is worth its balance
LONG = np.longdouble


class Smoothed(NamedTuple):
    delta: np.ndarray  # long double, inside the boxes
    theta: F64


class Kinks(NamedTuple):
    """The problem in memory, columns in a common unit; λ is zero for columns without a penalty."""

    A: F64
    precise: np.ndarray  # A, in long double where that is affordable
    t: F64
    lo: F64
    hi: F64
    penalty: F64


def smoothed_dual(k: Kinks, theta: F64, good: float) -> Smoothed:
    """The dual point of the least gap for the coefficients `theta`; the search ends below a relative gap `good`."""
    e = k.t - k.A @ theta
    weight = np.maximum(-k.lo, k.hi)
    loss = np.maximum(k.lo * e, k.hi * e)
    here = float(loss.sum() + k.penalty @ np.abs(theta))
    unit = max(here, 1e-4 * float(weight @ np.abs(k.t))) / float(weight.sum()) or 1.0
    best, least, near = np.zeros(e.size, dtype=LONG), here, theta
    for widths in (SHORT, PATH):
        near = theta
        for share in widths:
            near, delta = _minimum(k, near, share * unit)
            if share > FINE:
                continue
            delta = balanced(k, near, delta, share * unit)
            g = np.asarray(delta @ k.precise, dtype=np.float64)
            cut = np.clip(g, -k.penalty, k.penalty)
            gap = float((loss - delta.astype(float) * e).sum()) + float(k.penalty @ np.abs(theta) - theta @ cut)
            gap += 1e3 * unit * float(np.abs(g - cut).sum())
            if gap < least:
                best, least = delta, gap
        if least <= good * here:
            break
    return Smoothed(best, near)


def _minimum(k: Kinks, theta: F64, width: float) -> tuple[F64, F64]:
    """Newton's method with halved steps."""
    value, delta, eta, curve, bend = _smooth(k, theta, width)
    for _ in range(STEPS):
        slope = delta @ k.A - eta
        on = curve > 1e-9 * curve.max()
        H = (k.A[on] * curve[on, None]).T @ k.A[on]
        H[np.diag_indices_from(H)] += bend + 1e-14 * np.diag(H).max() + 1e-300
        step = np.linalg.solve(H, slope)
        fall, size = float(slope @ step), 1.0
        if not fall > 1e-14 * width * k.hi.sum():
            break
        after = _smooth(k, theta + step, width)
        while size > 1e-9 and after[0] > value - 0.1 * size * fall:
            size /= 2
            after = _smooth(k, theta + size * step, width)
        theta = theta + size * step
        value, delta, eta, curve, bend = after
    return theta, delta


def _smooth(k: Kinks, theta: F64, width: float) -> tuple[float, F64, F64, F64, F64]:
    """The smooth function, its slopes at rows and coefficients, and the curvatures of both."""
    e, middle, half = k.t - k.A @ theta, (k.hi + k.lo) / 2, (k.hi - k.lo) / 2
    root, far = np.hypot(e, width), np.hypot(theta, width)
    value = float(middle @ e + half @ root + k.penalty @ far)
    return (
        value,
        middle + half * e / root,
        k.penalty * theta / far,
        half * (width / root) ** 2 / root,
        (k.penalty * (width / far) ** 2 / far),
    )


def balanced(k: Kinks, theta: F64, delta: np.ndarray, width: float = 0.0) -> np.ndarray:
    """δ in long double, moved inside the boxes until the sums vanish that must; what is nearly at a wall goes there."""
    out = delta.astype(LONG)
    far = np.hypot(theta, width)
    eta = k.penalty * theta / np.where(far > 0, far, 1.0)
    must = (k.penalty == 0) | (np.abs(theta) > width)
    eta = np.where(np.abs(theta) > 1e3 * width, np.sign(theta) * k.penalty, eta)
    A = k.precise[:, must]
    for share in (1e-7, 1e-10, 0.0):
        space = np.minimum(out - k.lo, k.hi - out).astype(np.float64)
        inside = space > share * (k.hi - k.lo)
        out = np.where(inside, out, np.where(out - k.lo < k.hi - out, k.lo, k.hi))
        on = np.flatnonzero(inside)
        if not (on.size and must.any()):
            break
        system = (k.A[on][:, must] * space[on, None]).T
        for _ in range(3):
            left = (out @ A - eta[must]).astype(np.float64)
            out[on] -= space[on] * np.linalg.lstsq(system, left, rcond=1e-11)[0]
            out = np.clip(out, k.lo, k.hi)
    return out
