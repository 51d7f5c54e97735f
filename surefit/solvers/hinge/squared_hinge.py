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

from surefit.engine.sources.source import Source
from surefit.solvers.hinge.clipped_pass import Labels
from surefit.solvers.hinge.plane_coordinates import PlaneCoordinates, coordinates_for
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
    """In v of `plane_coordinates.py`."""
    gap: float
    """½ ‖gradient in u‖²"""
    passed: Pass


class SquaredHinge:
    """P on a source, in the coordinates v of `plane_coordinates.py`."""

    def __init__(self, data: Source, labels: Labels, coordinates: PlaneCoordinates, every: int = 1) -> None:
        self.data, self.coordinates, self.every = data, coordinates, every
        self.labels = labels if every == 1 else labels._replace(cost=labels.cost * every)

    def evaluate(self, v: np.ndarray, base: np.ndarray | None) -> Evaluation:
        """P and its gradient at v, and the second derivative of the loss less that at `base`."""
        c = self.coordinates
        earlier = None if base is None else c.of_pass(base)
        point = Point(self.labels, c.of_pass(v), earlier, shift=c.shift, every=self.every)
        passed: Pass = self.data.fold(SquaredHingeStep(), point)
        u = c.penalized(v)
        in_v, in_u = c.gradients(v, passed.pull)
        return Evaluation(0.5 * float(u @ u) + passed.loss, in_v, 0.5 * float(in_u @ in_u), passed)

    def curvature(self, passed: Pass) -> np.ndarray:
        """What the second derivative of the loss changes by."""
        assert passed.came is not None
        m, with_intercept = self.coordinates.row_center, self.coordinates.scale > 0
        came = gram_about(passed.came, m, with_intercept)
        return came if passed.went is None else came - gram_about(passed.went, m, with_intercept)

    def metric(self, G: np.ndarray) -> RidgeMetric:
        return RidgeMetric(G, self.coordinates.center, self.coordinates.scale)


def solve_squared_hinge(
    data: Source,
    labels: Labels,
    intercept_scale: float,
    *,
    tol: float,
    max_iter: int,
    after_step: AfterStep = lambda theta, value, gap: False,
) -> Solution:
    """Until the gap is bounded by `tol` times P; then on to the end, which is near."""
    n_leaves, width = -(-data.n_rows // data.leaf_rows), data.n_features + 1
    every = max(1, min(MOST_EVERY, data.n_rows // (START_ROWS * width), n_leaves // 2))
    every = 1 << (every.bit_length() - 1)
    nowhere = SquaredHinge(data, labels, PlaneCoordinates(np.zeros(data.n_features), intercept_scale), every)
    v = np.zeros(nowhere.coordinates.width)
    moments = nowhere.evaluate(v, None).passed.came
    assert moments is not None
    coordinates = coordinates_for(moments, intercept_scale, not data.is_sparse)
    if every > 1:
        v = _newton(SquaredHinge(data, labels, coordinates, every), v, 1e-3, 15, lambda theta, value, gap: False)[0]
    v, at, history = _newton(SquaredHinge(data, labels, coordinates), v, tol, max_iter, after_step)
    theta = coordinates.outer(v)
    return Solution(theta[:-1], float(theta[-1]), at.value, at.gap, len(history) - 1, history)


def _newton(
    problem: SquaredHinge, v: np.ndarray, tol: float, max_iter: int, after_step: AfterStep
) -> tuple[np.ndarray, Evaluation, list[float]]:
    at = problem.evaluate(v, None)
    G = problem.curvature(at.passed)
    metric, history, extra = problem.metric(G), [at.value], 0
    while len(history) <= max_iter and extra <= EXTRA and at.gap > EXACT * at.value:
        found = _search(problem, v, at, -metric.solve(at.gradient))
        if found is None:
            break
        v, at = found
        history.append(at.value)
        if after_step(problem.coordinates.outer(v), at.value, at.gap):
            break
        if at.gap <= tol * at.value:
            extra += 1
            if problem.every > 1:
                break
        if at.passed.n_changed:
            G += problem.curvature(at.passed)
            metric = problem.metric(G)
    return v, at, history


def _search(
    problem: SquaredHinge, v: np.ndarray, at: Evaluation, step: np.ndarray
) -> tuple[np.ndarray, Evaluation] | None:
    """The first length of 1, then shorter ones where the slopes point, that lowers P enough; or, where P is flat to
    rounding, that lowers the gap. None when there is none."""
    slope, length, noise = float(at.gradient @ step), 1.0, 1e-13 * at.value
    if not slope < 0:
        return None
    for _ in range(40):
        there = v + length * step
        new = problem.evaluate(there, v)
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
