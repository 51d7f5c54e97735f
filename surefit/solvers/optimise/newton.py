"""Newton's method that reuses its second derivatives: a smooth convex function, few passes over the data.

A step is −B g, where B starts as the inverse of the second derivative at some earlier point (the metric) and is
corrected by the last changes of the gradient (L-BFGS). With a new metric at every point this is Newton's method; with
a metric that is kept it is quasi-Newton in coordinates in which the function is nearly round. A new metric is asked for
when the passes it would save cost more than it does.

A step is accepted when the value falls enough (Armijo), or when it has stopped falling at the level of rounding and the
slope says so (approximate Wolfe rule of Hager and Zhang).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

import numpy as np

MEMORY = 30
ARMIJO = 1e-4
CHEAP = 2.0
"""A metric that costs no more passes than this is renewed at every step."""


class Metric(Protocol):
    exact: bool
    """Whether it is the second derivative where it was made (but for directions at the level of rounding)."""

    def solve(self, g: np.ndarray) -> np.ndarray:
        """The metric's inverse times a vector, or times the columns of a matrix."""


class Problem(Protocol):
    """What is minimised; u and gradients are flat float64 arrays."""

    metric_cost: float
    """Cost of a new metric, in passes; infinite when there is none."""
    metric_kept: float
    """Steps that a metric is kept at least: where it is far from exact, as many as it costs passes."""
    rounding: float
    """Relative rounding of the values."""
    negligible: float
    """Values are never below zero, and one this small is as good as the minimum."""

    def evaluate(self, u: np.ndarray) -> Any:
        """One pass: something with `value` and `gradient`."""

    def metric(self, u: np.ndarray) -> Metric: ...

    def correction(self, at: Any, u: np.ndarray, tol: float) -> np.ndarray | None:
        """A step that mends what alone keeps the gap above `tol`, when something does."""

    def use_double(self) -> bool:
        """Compute more precisely from now on; False when that is not possible."""

    def gap(self, at: Any, u: np.ndarray, step: np.ndarray, decrement: float, newton: bool, tol: float) -> float:
        """A bound for value − minimum at u; infinite when there is none yet.

        `decrement` = gᵀBg = −g·step; `newton`: B is the inverse of the second derivative at u. Bounds above `tol` times
        the value need not be tight.
        """


class Minimum(NamedTuple):
    u: np.ndarray
    at: Any
    gap: float
    n_iter: int
    history: list[float]
    metric: Metric
    stopped: bool
    """Ended at the minimum (gap reached, or no progress possible and none expected), not by the limit, a callback, or
    rounding far from it."""


def minimize(
    problem: Problem,
    u: np.ndarray,
    *,
    metric: Metric | None,
    tol: float,
    max_iter: int,
    after_step: Callable[[np.ndarray, Any, np.ndarray], bool] = lambda u, at, step: False,
) -> Minimum:
    """Until the gap is bounded by `tol` times the value. `metric`: the one at u, if it is known."""
    at = problem.evaluate(u)
    fresh = True
    metric = problem.metric(u) if metric is None else metric
    memory: list[tuple[np.ndarray, np.ndarray, float]] = []
    history = [float(at.value)]
    gap, stopped = math.inf, False
    decrements: list[float] = []  # of the steps since the last metric, and of the one before it
    n_iter = 0
    while n_iter < max_iter:
        step = -_two_loops(at.gradient, memory, metric)
        decrement = -float(at.gradient @ step)
        if decrement <= 1e-4 * problem.rounding * abs(at.value) and problem.use_double():
            at = problem.evaluate(u)
            continue
        gap = problem.gap(at, u, step, decrement, fresh and metric.exact, tol)
        reached = gap <= tol * abs(at.value) or at.value <= problem.negligible
        if not reached and (correction := problem.correction(at, u, tol)) is not None:
            step, decrement = correction, -float(at.gradient @ correction)
        if reached:
            if fresh and metric.exact and problem.metric_cost <= CHEAP and n_iter:
                u, at, gap, lower = _last_step(problem, u, at, step, gap)
                if lower:
                    n_iter += 1
                    history.append(float(at.value))
                    after_step(u, at, step)
            stopped = True
            break
        length, new = _search(problem, u, step, at, -decrement)
        if new is None:
            if problem.use_double():
                at = problem.evaluate(u)
                continue
            if (fresh and not memory) or not math.isfinite(problem.metric_cost):
                # no step lowers the value: the minimum, if little is left by the model of the function too
                stopped = decrement <= max(tol, 100 * problem.rounding) * abs(at.value)
                break
            memory.clear()
            metric, fresh, decrements = problem.metric(u), True, []
            continue
        n_iter += 1
        moved = length * step
        _remember(memory, moved, new.gradient - at.gradient)
        u, at, fresh = u + moved, new, False
        history.append(float(at.value))
        if after_step(u, at, moved):
            break
        decrements.append(decrement)
        if _worth_renewing(problem, decrements, tol * abs(at.value)):
            memory.clear()
            metric, fresh, decrements = problem.metric(u), True, [decrement]
    if not stopped:
        step = -_two_loops(at.gradient, memory, metric)
        gap = min(gap, problem.gap(at, u, step, -float(at.gradient @ step), fresh and metric.exact, tol))
        stopped = gap <= tol * abs(at.value) or at.value <= problem.negligible
    return Minimum(u, at, gap, n_iter, history, metric, stopped)


def _last_step(
    problem: Problem, u: np.ndarray, at: Any, step: np.ndarray, gap: float
) -> tuple[np.ndarray, Any, float, bool]:
    """A Newton step that is known already: it costs a pass and squares what is missing."""
    new = problem.evaluate(u + step)
    if not new.value <= at.value:
        return u, at, gap, False
    return u + step, new, max(gap - (at.value - new.value), 0.0), True


def _worth_renewing(problem: Problem, decrements: list[float], target: float) -> bool:
    """Compare the passes that are left at the present rate with those after a new metric (about three).

    The rate is that of the last step, or the mean since the last metric where metrics are kept for long.
    """
    cost, kept = problem.metric_cost, problem.metric_kept
    if cost <= CHEAP:
        return True
    if not math.isfinite(cost) or len(decrements) <= max(kept, 1) or decrements[-1] <= 0:
        return False
    steps = len(decrements) - 1 if kept else 1
    before, now = decrements[-1 - steps], decrements[-1]
    rate = math.log(before / now) / steps if before > now else 0.0
    left = math.log(max(now / max(target, 1e-300), 1.0)) + 1.0
    return left > (cost + 3.0) * max(rate, 1e-3)


def _two_loops(g: np.ndarray, memory: list[tuple[np.ndarray, np.ndarray, float]], metric: Metric) -> np.ndarray:
    """B g: the metric corrected by the remembered pairs (step, change of gradient)."""
    q, shares = g.copy(), []
    for s, y, rho in reversed(memory):
        share = rho * (s @ q)
        shares.append(share)
        q -= share * y
    if memory:
        _, y, rho = memory[-1]
        q, y_there = metric.solve(np.column_stack([q, y])).T
        q = q / (rho * float(y @ y_there))
    else:
        q = metric.solve(q)
    for (s, y, rho), share in zip(memory, reversed(shares), strict=True):
        q += (share - rho * (y @ q)) * s
    return q


def _remember(memory: list[tuple[np.ndarray, np.ndarray, float]], s: np.ndarray, y: np.ndarray) -> None:
    product = float(s @ y)
    if product > 1e-14 * math.sqrt(float(s @ s) * float(y @ y)):
        memory.append((s, y, 1.0 / product))
        if len(memory) > MEMORY:
            memory.pop(0)


def _search(problem: Problem, u: np.ndarray, step: np.ndarray, at: Any, slope: float) -> tuple[float, Any]:
    """The first length of 1, then shorter ones where the slope points, that is accepted; None when there is none."""
    if not slope < 0:
        return 0.0, None
    length, noise = 1.0, problem.rounding * abs(at.value)
    for _ in range(30):
        new = problem.evaluate(u + length * step)
        there = float(new.gradient @ step)
        if math.isfinite(new.value) and math.isfinite(there):
            if new.value <= at.value + ARMIJO * length * slope:
                return length, new
            if new.value <= at.value + noise and (2 * ARMIJO - 1) * slope >= there:
                # flat to rounding: only a slope that has become smaller is progress
                return (length, new) if abs(there) < abs(slope) else (0.0, None)
            if -length * slope < noise:
                return 0.0, None
            aim = slope / (slope - there) if there > slope else 0.5
            length *= min(max(aim, 0.1), 0.6)
        else:
            length *= 0.1
    return 0.0, None
