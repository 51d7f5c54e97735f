"""The squared hinge loss with an L2 penalty, on the intercept too:

    P(w, b) = ½ ‖w‖² + ½ (b/s)² + Σ c ξ² ,      ξ = max(0, 1 − σ (x·w + b)) .

With u = (w, b/s) and x̃ = (x, s) this is ½ ‖u‖² + Σ c max(0, 1 − σ x̃·u)². The numbers α = 2 c ξ ≥ 0 are a point of the
dual, D(α) = Σ α − Σ α²/(4c) − ½ ‖Σ α σ x̃‖² ≤ min P, and with g = u − Σ α σ x̃, the gradient of P,

    P − D = ½ ‖u‖² − u·Σ α σ x̃ + ½ ‖Σ α σ x̃‖² = ½ ‖g‖² :

every pass brings a bound of the gap. P is quadratic between the surfaces where a slack begins, so Newton's method ends:
a step after which the same rows have a slack is the last but for rounding.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from surefit.engine.source import Source
from surefit.solvers.hinge.clipped_pass import Labels
from surefit.solvers.hinge.ridge_metric import RidgeMetric, gram_about
from surefit.solvers.hinge.solution import AfterStep, Solution
from surefit.solvers.hinge.squared_hinge_pass import Pass, Point, SquaredHingeStep

MAX_COLUMNS = 1200
"""Columns up to which the second derivative is kept as one matrix."""
START_ROWS = 20
"""Rows for each column that the start is made from."""
MOST_EVERY = 16
ARMIJO = 1e-4
EXTRA = 12
"""Steps beyond the gap that was asked for, at most: near the minimum each is the last but one or two."""
EXACT = 1e-26
"""A relative gap that is rounding."""


class Evaluation(NamedTuple):
    value: float
    gradient: np.ndarray
    passed: Pass

    @property
    def gap(self) -> float:
        return 0.5 * float(self.gradient @ self.gradient)


class SquaredHinge:
    """P on a source; u = (w, b/s), without an intercept u = w (s = 0)."""

    def __init__(self, data: Source, labels: Labels, intercept_scale: float, every: int = 1) -> None:
        self.data, self.scale, self.every = data, intercept_scale, every
        self.labels = labels if every == 1 else labels._replace(cost=labels.cost * every)
        self.d = data.n_features
        self.width = self.d + (intercept_scale > 0)

    def theta(self, u: np.ndarray) -> np.ndarray:
        return np.append(u[: self.d], self.scale * u[self.d] if self.scale else 0.0)

    def inner(self, theta: np.ndarray) -> np.ndarray:
        """u of (w, b)."""
        return np.append(theta[: self.d], theta[self.d] / self.scale) if self.scale else theta[: self.d].copy()

    def evaluate(self, u: np.ndarray, base: np.ndarray | None, gram: bool = True) -> Evaluation:
        """P and its gradient at u, and the second derivative of the loss less that at `base`."""
        point = Point(self.labels, self.theta(u), None if base is None else self.theta(base), gram, self.every)
        passed: Pass = self.data.fold(SquaredHingeStep(), point)
        pull = np.append(passed.pull[: self.d], self.scale * passed.pull[self.d]) if self.scale else passed.pull[:-1]
        return Evaluation(0.5 * float(u @ u) + passed.loss, u - pull, passed)

    def curvature(self, passed: Pass, center: np.ndarray) -> np.ndarray:
        """What the second derivative of the loss changes by, about a center."""
        assert passed.came is not None
        came = gram_about(passed.came, center, self.scale > 0)
        return came if passed.went is None else came - gram_about(passed.went, center, self.scale > 0)


def solve_squared_hinge(
    data: Source,
    labels: Labels,
    intercept_scale: float,
    *,
    tol: float,
    max_iter: int,
    start: np.ndarray | None = None,
    after_step: AfterStep = lambda theta, value, gap: False,
) -> Solution:
    """Until the gap is bounded by `tol` times P; then on to the end, which is near."""
    problem = SquaredHinge(data, labels, intercept_scale)
    u = np.zeros(problem.width) if start is None else problem.inner(start)
    n_leaves = -(-data.n_rows // data.leaf_rows)
    every = min(MOST_EVERY, data.n_rows // (START_ROWS * problem.width), n_leaves // 2)
    if start is None and every > 1:
        few = SquaredHinge(data, labels, intercept_scale, 1 << (every.bit_length() - 1))
        u = _newton(few, u, 1e-3, 15, lambda theta, value, gap: False)[0]
    u, at, history = _newton(problem, u, tol, max_iter, after_step)
    theta = problem.theta(u)
    return Solution(theta[:-1], float(theta[-1]), at.value, at.gap, len(history) - 1, history)


def _newton(
    problem: SquaredHinge, u: np.ndarray, tol: float, max_iter: int, after_step: AfterStep
) -> tuple[np.ndarray, Evaluation, list[float]]:
    at = problem.evaluate(u, None)
    assert at.passed.came is not None
    center = at.passed.came.mean if problem.scale else np.zeros(problem.d)
    G = problem.curvature(at.passed, center)
    metric, history, extra = RidgeMetric(G, center, problem.scale), [at.value], 0
    while len(history) <= max_iter and extra <= EXTRA and at.gap > EXACT * at.value:
        found = _search(problem, u, at, -metric.solve(at.gradient))
        if found is None:
            break
        u, at = found
        history.append(at.value)
        if after_step(problem.theta(u), at.value, at.gap):
            break
        if at.gap <= tol * at.value:
            extra += 1
            if problem.every > 1:
                break
        if at.passed.n_changed:
            G += problem.curvature(at.passed, center)
            metric = RidgeMetric(G, center, problem.scale)
    return u, at, history


def _search(
    problem: SquaredHinge, u: np.ndarray, at: Evaluation, step: np.ndarray
) -> tuple[np.ndarray, Evaluation] | None:
    """The first length of 1, then shorter ones where the slopes point, that lowers P enough; or, where P is flat to
    rounding, that lowers the gap. None when there is none."""
    slope, length, noise = float(at.gradient @ step), 1.0, 1e-13 * at.value
    if not slope < 0:
        return None
    for _ in range(40):
        there = u + length * step
        new = problem.evaluate(there, u)
        if math.isfinite(new.value):
            if new.value <= at.value + ARMIJO * length * slope - noise:
                return there, new
            if -length * slope < 10 * noise:
                return (there, new) if new.gap < 0.25 * at.gap else None
            new_slope = float(new.gradient @ step)
            aim = slope / (slope - new_slope) if new_slope > slope else 0.5
            length *= min(max(aim, 0.1), 0.7)
        else:
            length *= 0.1
    return None
