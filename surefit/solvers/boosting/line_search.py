"""The best step along a direction:  argmin over s of  φ(s) = Σ ω ℓ(y, f + s g),  which is convex where ℓ is.

Squared error has a closed form. The pinball loss is piecewise linear in s: the minimum is at one of the breakpoints
(y − f)/g, the first up to which their weights ω|g| lift the slope to zero. Else the root of φ′ is bracketed by doubling
and found by Brent's method.
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import brentq

from surefit.objectives.losses import Loss, Pinball, SquaredError
from surefit.objectives.own_loss import OwnLoss

DOUBLINGS = 60
HALVINGS = 60


def best_step(loss: Loss, y: np.ndarray, raw: np.ndarray, direction: np.ndarray, w: np.ndarray | None) -> float:
    """The step s; raw and direction have the same shape. No raw prediction moves by more than `loss.longest_move`."""
    if w is not None and not (w > 0).all():
        there = w > 0
        y, raw, direction, w = y[there], raw[there], direction[there], w[there]
    farthest = float(np.abs(direction).max(initial=0.0))
    if farthest == 0.0:
        return 0.0
    if isinstance(loss, SquaredError):
        weighted = direction if w is None else w * direction
        return float(weighted @ (y - raw)) / float(weighted @ direction)
    if isinstance(loss, Pinball):
        return _first_rising_breakpoint(loss.q, y - raw, direction, w)
    step = _root_of_slope(loss, y, raw, direction, w, loss.longest_move / farthest)
    return _falling(loss, y, raw, direction, w, step)


def best_constant(loss: Loss, y: np.ndarray, w: np.ndarray | None) -> np.ndarray:
    """The raw prediction to start from: the loss's own, or for a user's loss without one the best single number."""
    if not isinstance(loss, OwnLoss) or loss.has_initial:
        return loss.initial(y, w)
    if loss.n_outputs > 1:
        return np.zeros(loss.n_outputs)
    return np.array([best_step(loss, y, np.zeros(len(y)), np.ones(len(y)), w)])


def _first_rising_breakpoint(q: float, residual: np.ndarray, direction: np.ndarray, w: np.ndarray | None) -> float:
    moving = direction != 0
    d, r = direction[moving], residual[moving]
    lift = np.abs(d) if w is None else w[moving] * np.abs(d)
    breakpoints = r / d
    order = np.argsort(breakpoints, kind="stable")
    fall = float(lift @ np.where(d > 0, q, 1 - q))  # minus the slope at −∞
    lifted = np.cumsum(lift[order])
    place = int(np.searchsorted(lifted, fall * (1 - 1e-12)))
    return float(breakpoints[order[min(place, len(order) - 1)]])


def _root_of_slope(
    loss: Loss, y: np.ndarray, raw: np.ndarray, direction: np.ndarray, w: np.ndarray | None, longest: float
) -> float:
    """A root of φ′, or the longest step towards one."""

    def slope(s: float) -> float:
        products = loss.gradient(y, raw + s * direction) * direction
        rows = products if products.ndim == 1 else products.sum(axis=1)
        return float(rows.sum() if w is None else w @ rows)

    start = slope(0.0)
    if start == 0.0 or not np.isfinite(start):
        return 0.0
    toward = -1.0 if start > 0 else 1.0
    near, far = 0.0, toward * min(1.0, longest)
    for _ in range(DOUBLINGS):
        with np.errstate(over="ignore", invalid="ignore"):
            there = slope(far)
        if not np.isfinite(there):
            far = (near + far) / 2
            continue
        if there == 0.0:
            return far
        if (there > 0) != (start > 0):
            return float(brentq(slope, near, far, xtol=1e-300, rtol=4 * np.finfo(float).eps, maxiter=200, disp=False))
        if abs(far) >= longest:
            return far
        near, far = far, toward * min(2 * abs(far), longest)
    return near


def _falling(
    loss: Loss, y: np.ndarray, raw: np.ndarray, direction: np.ndarray, w: np.ndarray | None, step: float
) -> float:
    """The step, or half of it, a quarter …: the first that does not raise the loss (a loss need not be convex)."""
    before = loss.value(y, raw, w)
    for _ in range(HALVINGS):
        with np.errstate(over="ignore", invalid="ignore"):
            if loss.value(y, raw + step * direction, w) <= before:
                return step
        step /= 2
    return 0.0
