"""The hinge loss with an L2 penalty, on the intercept too:

    P(u) = ½ ‖u‖² + Σ c max(0, s) ,      s = 1 − σ x̃·u ,  u = (w, b/s₀) ,  x̃ = (x, s₀) .

Its dual: D(α) = Σ α − ½ ‖Σ α σ x̃‖² over 0 ≤ α ≤ c. The method of multipliers goes from α to

    min over u of  ½ ‖u‖² + Σ ψ(α + ρ c s)/(ρ c) ,      α ← r = min(max(α + ρ c s, 0), c) ,      ψ' = r ,

a smooth problem, quadratic between surfaces: Newton's method, with H = I + ρ Σ c x̃ x̃ᵀ over the rows with 0 < r < c
alone. These become few, the rows on the margin. Every r is a point of the dual, and with v = Σ r σ x̃

    P(u) − D(r) = ½ ‖u − v‖² + Σ (c max(0, s) − r s) ,

a sum of terms that are not negative: the gap is known to its last digits.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from surefit.engine.leaves import leaf_threads
from surefit.engine.sources.block import Block
from surefit.engine.sources.source import Source
from surefit.solvers.hinge.clipped_pass import Labels, Rows, clipped_pass, leaf_sum, signs_and_costs
from surefit.solvers.hinge.plane_coordinates import about, coordinates_for
from surefit.solvers.hinge.ridge_metric import RidgeMetric, gram_about
from surefit.solvers.hinge.solution import AfterStep, Solution
from surefit.summaries.moments import Moments, MomentsStep

ARMIJO = 1e-4
GROWTH = 4.0
"""Of ρ, where Newton's method was done after three steps."""
FIRST, LARGEST = 0.5, 1e6
"""Of ρ: the rows that bend the smooth problem have slacks below 1/ρ."""
IDLE = 20
"""Moves of the multipliers in a row without a step of Newton's method, at most."""
EXACT = 1e-16
"""A relative gap that is rounding."""
EXTRA, EXTRA_WORK = 60, 5 * 10**7
"""Steps beyond the gap that was asked for, and numbers read by them, at most."""
INNER = 0.1
"""Newton's method stops where ½ ‖u − v‖² is this share of the rest of the gap: then the multipliers move."""


class Smoothed(NamedTuple):
    """What a pass says at u, for given multipliers."""

    value: float
    """Of the smooth problem."""
    gradient: np.ndarray
    """In the coordinates of `plane_coordinates.py`."""
    miss: float
    """½ ‖u − v‖², half the square of the gradient in u."""
    rows: Rows
    primal: float
    rest: float
    """Σ (c max(0, s) − r s)"""

    @property
    def gap(self) -> float:
        return self.miss + self.rest


class Hinge:
    """P on rows in memory."""

    def __init__(self, data: Source, labels: Labels, intercept_scale: float) -> None:
        self.block: Block = next(data.blocks())
        self.n_threads = leaf_threads(data.n_rows, data.leaf_rows)
        self.sign, self.cost = signs_and_costs(self.block, labels)
        every_row = self.moments(np.ones(len(self.sign), bool))
        self.coordinates = coordinates_for(every_row, intercept_scale, not data.is_sparse)
        self.block = about(self.block, self.coordinates.shift)
        self.width = self.coordinates.width

    def evaluate(self, u: np.ndarray, alpha: np.ndarray, rho: float) -> Smoothed:
        slope = rho * self.cost
        theta = self.coordinates.of_pass(u)
        rows = clipped_pass(self.block, theta, self.sign, slope, self.n_threads, shift=alpha, top=self.cost)
        s, r, t = rows.slack, rows.residual, alpha + slope * rows.slack
        safe = np.where(slope > 0, slope, 1.0)
        smooth = (t * t - (t - r) ** 2) / (2.0 * safe)
        loss = self.cost * np.maximum(s, 0.0)
        sums = leaf_sum(np.column_stack([smooth, loss, np.where(s > 0, self.cost - r, -r) * s]), self.block)
        size = self.coordinates.penalized(u)
        half = 0.5 * float(size @ size)
        in_v, in_u = self.coordinates.gradients(u, rows.sums)
        miss = 0.5 * float(in_u @ in_u)
        return Smoothed(half + float(sums[0]), in_v, miss, rows, half + float(sums[1]), float(sums[2]))

    def lowest(self, u: np.ndarray, at: Smoothed, step: np.ndarray, alpha: np.ndarray, rho: float) -> float:
        """The length at which the slope along the step is zero, nearly: it rises with the length."""
        theta = self.coordinates.of_pass(step)
        moved = -self.sign * (self.block.X @ theta[:-1] + theta[-1])
        start, change = alpha + rho * self.cost * at.rows.slack, rho * self.cost * moved
        here, along = self.coordinates.penalized(u), self.coordinates.penalized(step)
        slope, bend = float(here @ along), float(along @ along)

        def slope_at(length: float) -> float:
            r = np.clip(start + length * change, 0.0, self.cost)
            return slope + length * bend + float(r @ moved)

        first = slope_at(0.0)
        low, high, length = 0.0, math.inf, 1.0
        f_low, f_high = first, math.inf
        for _ in range(60):
            found = slope_at(length)
            if abs(found) <= 0.1 * abs(first):
                return length
            if found < 0:
                low, f_low = length, found
            else:
                high, f_high = length, found
            if math.isinf(high):
                length *= 2.0
            else:
                aim = low + (high - low) * f_low / min(f_low - f_high, -1e-300)
                length = min(max(aim, low + 0.1 * (high - low)), high - 0.1 * (high - low))
        return length

    def curved(self, at: Smoothed) -> np.ndarray:
        """Which rows bend the smooth problem."""
        return (at.rows.residual > 0) & (at.rows.residual < self.cost)

    def moments(self, which: np.ndarray) -> Moments:
        """Of some rows, weighted by their costs."""
        weights = np.where(which, self.cost, 0.0)
        weighted = Block(self.block.X, None, weights, 0, self.block.leaf_rows, self.block.scratch)
        return MomentsStep(False).map(None, weighted, self.n_threads)


class ZoneGram:
    """The Gram matrix of the curved rows, kept in step with them."""

    def __init__(self, problem: Hinge) -> None:
        self.problem = problem
        self.inside = np.zeros(len(problem.sign), bool)
        self.G = np.zeros((problem.width, problem.width))

    def update(self, zone: np.ndarray) -> None:
        came, went = zone & ~self.inside, self.inside & ~zone
        if zone.sum() <= came.sum() + went.sum():
            self.G = self._gram(zone)
        else:
            for which, direction in ((came, 1.0), (went, -1.0)):
                if which.any():
                    self.G = self.G + direction * self._gram(which)
        self.inside = zone

    def _gram(self, which: np.ndarray) -> np.ndarray:
        """Σ c x̃ x̃ᵀ over some rows, about m."""
        c = self.problem.coordinates
        return gram_about(self.problem.moments(which), c.row_center, c.scale > 0)

    def metric(self, rho: float) -> RidgeMetric:
        return RidgeMetric(rho * self.G, self.problem.coordinates.center, self.problem.coordinates.scale)


def solve_hinge(
    data: Source,
    labels: Labels,
    intercept_scale: float,
    *,
    tol: float,
    max_iter: int,
    after_step: AfterStep = lambda theta, value, gap: False,
) -> Solution:
    """Until the gap is bounded by `tol` times P; where a pass costs little, until it is rounding."""
    problem = Hinge(data, labels, intercept_scale)
    zone = ZoneGram(problem)
    u, alpha, rho, most = np.zeros(problem.width), np.zeros(len(problem.sign)), FIRST, LARGEST
    at = best = problem.evaluate(u, alpha, rho)
    best_u, history, inner, extra, idle = u, [at.primal], 0, 0, 0
    most_extra = min(EXTRA, EXTRA_WORK // (len(alpha) * problem.width))
    while len(history) <= max_iter and best.gap > EXACT * best.primal and extra <= most_extra:
        zone.update(problem.curved(at))
        found, steep = None, at.miss > INNER * at.rest
        if steep:
            found = _search(problem, u, at, -zone.metric(rho).solve(at.gradient), alpha, rho)
        if found is None:
            if idle > IDLE or (steep and not inner and rho <= FIRST):
                break
            if steep and not inner:  # ρ times the rounding of slacks is all there is: back, with a smaller one
                most = max(rho / GROWTH**3, FIRST)
                u, at, rho = best_u, best, most
            alpha, rho = at.rows.residual, min(GROWTH * rho, most) if inner <= 3 else rho
            at, inner, idle = problem.evaluate(u, alpha, rho), 0, idle + 1
            best_u, best = (u, at) if at.gap < best.gap else (best_u, best)
            continue
        (u, at), inner, idle = found, inner + 1, 0
        history.append(at.primal)
        best_u, best = (u, at) if at.gap < best.gap else (best_u, best)
        extra += best.gap <= tol * best.primal
        if after_step(problem.coordinates.outer(u), at.primal, at.gap):
            break
    theta = problem.coordinates.outer(best_u)
    return Solution(theta[:-1], float(theta[-1]), best.primal, best.gap, len(history) - 1, history)


def _search(
    problem: Hinge, u: np.ndarray, at: Smoothed, step: np.ndarray, alpha: np.ndarray, rho: float
) -> tuple[np.ndarray, Smoothed] | None:
    """To the lowest point of the smooth problem along the step, within a share of its slope; None: nothing is lower."""
    slope = float(at.gradient @ step)
    if not slope < 0:
        return None
    length = problem.lowest(u, at, step, alpha, rho)
    there = u + length * step
    new = problem.evaluate(there, alpha, rho)
    if new.value <= at.value + ARMIJO * length * slope - 1e-13 * abs(at.value):
        return there, new
    return (there, new) if new.miss < 0.25 * at.miss else None
