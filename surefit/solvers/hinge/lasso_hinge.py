"""The squared hinge loss with an L1 penalty, on the intercept too:

    F(w, b) = ‖w‖₁ + |b|/s + Σ c ξ² ,      ξ = max(0, 1 − σ (x·w + b)) .

The dual: D(α) = Σ α − Σ α²/(4c) over α ≥ 0 with |Σ α σ xⱼ| ≤ 1 for every column and |Σ α σ| ≤ 1/s. The numbers 2 c ξ,
times the largest factor θ ≤ A/(2 L) that these bounds allow (A = Σ 2 c ξ, L = Σ c ξ²), are a point of it:

    F − F* ≤ F − θ A + θ² L .

Newton's method of `optimise/proximal_newton.py`; a model of many columns is minimized by coordinate descent over those
whose coefficient is not zero or might become so.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from surefit import _native
from surefit.engine.leaves import leaf_threads
from surefit.engine.sources.source import Source
from surefit.solvers.hinge.clipped_pass import Labels, clipped_pass, signs_and_costs
from surefit.solvers.hinge.solution import AfterStep, Solution
from surefit.solvers.hinge.squared_hinge_pass import Pass, Point, SquaredHingeStep
from surefit.solvers.optimise.lasso_quadratic import minimize_lasso
from surefit.solvers.optimise.proximal_newton import minimize_composite
from surefit.summaries.row_products import by_columns, csr_parts

MAX_COLUMNS = 1200
"""Columns up to which the second derivative is kept as one matrix."""
CHEAP_WORK = 2e7
"""Numbers read by a pass up to which a few steps beyond the gap that was asked for are made."""
ROUNDS = 5
NEAR = 0.9
"""Share of its threshold from which on the slope of a zero entry brings it into a model of many columns."""
VISITS = 1e8
"""Stored numbers visited by one call of the compiled descent: then signals are heard."""
MOST_CALLS = 100


class Evaluation(NamedTuple):
    value: float
    gradient: np.ndarray
    passed: Pass


class LassoHinge:
    """F on a source; u = (w, b), without an intercept u = w."""

    rounding = 1e-13

    def __init__(self, data: Source, labels: Labels, intercept_scale: float) -> None:
        self.data, self.labels, self.d = data, labels, data.n_features
        self.width = self.d + (intercept_scale > 0)
        self.thresholds = np.ones(self.width)
        if intercept_scale > 0:
            self.thresholds[-1] = 1.0 / intercept_scale
        self.full = self.width <= MAX_COLUMNS
        self.metric_cost = 1.0 if self.full and data.n_rows * self.width <= CHEAP_WORK else math.inf

    def theta(self, u: np.ndarray) -> np.ndarray:
        return u if self.width > self.d else np.append(u, 0.0)

    def evaluate(self, u: np.ndarray) -> Evaluation:
        passed: Pass = self.data.fold(SquaredHingeStep(), Point(self.labels, self.theta(u), gram=False))
        return Evaluation(passed.loss + float(self.thresholds @ np.abs(u)), -passed.pull[: self.width], passed)

    def gap(self, at: Evaluation, u: np.ndarray) -> float:
        """The bound of this file."""
        if at.passed.loss == 0:
            return at.value
        most = 1.0 / max(float((np.abs(at.gradient) / self.thresholds).max()), 1e-300)
        theta = min(most, at.passed.total / (2.0 * at.passed.loss))
        return max(at.value - theta * (at.passed.total - theta * at.passed.loss), 0.0)

    def model(self, at: Evaluation, u: np.ndarray, n_iter: int, tol: float) -> MatrixModel | ColumnsModel:
        return MatrixModel(self, at, u, n_iter) if self.full else ColumnsModel(self, at, u, tol)

    def without_flat_moves(self, z: np.ndarray, entries: np.ndarray) -> np.ndarray:
        return z

    def use_double(self) -> bool:
        return False


class MatrixModel:
    """With the second derivative as a matrix."""

    def __init__(self, problem: LassoHinge, at: Evaluation, u: np.ndarray, n_iter: int) -> None:
        self.problem, self.at, self.u, self.n_iter = problem, at, u, n_iter
        self.entries = np.arange(problem.width)

    def minimum(self) -> np.ndarray:
        p = self.problem
        gram = p.data.fold(SquaredHingeStep(), Point(p.labels, p.theta(self.u))).gram()[: p.width, : p.width]
        rounds = ROUNDS * min(1 + self.n_iter, 6)
        return minimize_lasso(gram, self.at.gradient, self.u, p.thresholds, rounds, lambda z: z)

    def gap(self, aim: np.ndarray) -> float:
        return math.inf


class ColumnsModel:
    """Over columns in memory: coordinate descent, no second derivative is formed.

    The descent ends when no entry breaks its condition by more than a share of what the worst breaks it by at u, a
    share that falls with it.
    """

    def __init__(self, problem: LassoHinge, at: Evaluation, u: np.ndarray, tol: float) -> None:
        self.problem, self.at, self.u = problem, at, u
        t = problem.thresholds
        near = (u != 0) | (np.abs(at.gradient) >= NEAR * t)
        near[problem.d :] = True
        self.entries = np.flatnonzero(near)
        wrong = np.where(u != 0, np.abs(at.gradient + t * np.sign(u)), np.maximum(np.abs(at.gradient) - t, 0.0))
        breach = float((wrong / t).max())
        self._tol = min(0.1 * breach, max(breach**2, 0.1 * tol))

    def minimum(self) -> np.ndarray:
        p, entries = self.problem, self.entries
        block = next(p.data.blocks())
        columns = by_columns(block)
        sign, cost = signs_and_costs(block, p.labels)
        n_threads = leaf_threads(p.data.n_rows, p.data.leaf_rows)
        slack = clipped_pass(block, p.theta(self.u), sign, 2.0 * cost, n_threads).slack
        curvature = np.where(slack > 0, 2.0 * cost, 0.0)
        chosen = entries[entries < p.d]
        terms = self.at.gradient[entries], np.zeros(len(entries)), p.thresholds[entries], self.u[entries]
        frame = np.ones(len(chosen)), np.zeros(len(chosen))
        stored = int((columns.indptr[chosen + 1] - columns.indptr[chosen]).sum())
        sweeps = max(1, int(VISITS / (stored + len(chosen) + 1)))
        v, parts = np.zeros(len(entries)), csr_parts(columns)
        for _ in range(MOST_CALLS):
            if _native.lasso_columns(*parts, curvature, chosen, frame, terms, self._tol, sweeps, v) <= self._tol:
                break
        return self.u[entries] + v

    def gap(self, aim: np.ndarray) -> float:
        return math.inf


def solve_lasso_hinge(
    data: Source,
    labels: Labels,
    intercept_scale: float,
    *,
    tol: float,
    max_iter: int,
    after_step: AfterStep = lambda theta, value, gap: False,
) -> Solution:
    """Until the gap is bounded by `tol` times F."""
    problem = LassoHinge(data, labels, intercept_scale)

    def told(u: np.ndarray, at: Evaluation, moved: np.ndarray) -> bool:
        return after_step(problem.theta(u), at.value, problem.gap(at, u))

    found = minimize_composite(problem, np.zeros(problem.width), tol=tol, max_iter=max_iter, after_step=told)
    theta = problem.theta(found.u)
    return Solution(theta[:-1], float(theta[-1]), found.at.value, found.gap, found.n_iter, found.history)
