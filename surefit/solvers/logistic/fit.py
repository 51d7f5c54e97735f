"""A whole fit of logistic regression: solve, prove the gap or the separation, bring back the user's coordinates."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from surefit.engine.sources.source import Source
from surefit.solvers.logistic.elastic_net import ElasticNetProblem
from surefit.solvers.logistic.logistic import Evaluation, LogisticProblem, Penalty
from surefit.solvers.logistic.separation import moved_along, separating_direction, tied_rows
from surefit.solvers.logistic.stochastic import ascend
from surefit.solvers.optimise.metric import FullMetric
from surefit.solvers.optimise.newton import minimize
from surefit.solvers.optimise.proximal_newton import minimize_composite

Coefficients = Callable[[], tuple[np.ndarray, np.ndarray]]
AfterStep = Callable[[Coefficients, float, int], bool]

PROVED = 1e-6
"""With a penalty a relative gap above this is told, however little could be gained by going on."""
STEPS = 10
"""Quasi-Newton steps that make one iteration, where there are too many parameters for a step of Newton's method."""
STATISTICS = 1e-10
"""Relative gap of a fit without a penalty, whose coefficients are read as estimates: half of their digits are right."""


class Fit(NamedTuple):
    coef: np.ndarray
    intercept: np.ndarray
    n_iter: int
    rel_gap: float
    separation: np.ndarray | None
    history: list[float]
    finished: bool
    inference: dict[str, Any] | None
    at_rounding: bool = False
    """Whether it ended because no step lowers F any more, short of the gap asked for."""


def fit_logistic(
    data: Source,
    n_classes: int,
    *,
    class_weight: np.ndarray | None,
    penalty: Penalty,
    fit_intercept: bool,
    tol: float,
    max_iter: int,
    start: tuple[np.ndarray, np.ndarray] | None,
    seed: int | None,
    before: Callable[[Coefficients], None],
    after_step: AfterStep,
) -> Fit:
    if penalty.ridge == penalty.lasso == 0:
        tol = min(tol, STATISTICS)
    problem = _problem(data, n_classes, class_weight, penalty, fit_intercept)
    if max_iter == 0 or start is not None:
        coef, intercept = start or (np.zeros((problem.m, data.n_features)), np.zeros(problem.m))
        u = problem.inner(coef, intercept)
    else:
        u = problem.start()
    watch = _Watch(problem, after_step)
    at_rounding = False
    before(watch.coefficients(u))
    if seed is not None:
        u, at, gap, n_iter, history = ascend(problem, u, tol, max_iter, seed, watch)
        finished, inference = gap <= tol * at.value, None
    elif isinstance(problem, ElasticNetProblem):
        sparse = minimize_composite(problem, u, tol=tol, max_iter=max_iter, after_step=watch)
        u, at, gap, n_iter, history = sparse.u, sparse.at, sparse.gap, sparse.n_iter, sparse.history
        finished, inference = sparse.stopped, None
        at_rounding = not finished and not watch.ended and n_iter < max_iter
    else:
        free = penalty.ridge == 0
        metric = problem.start_metric() if start is None and problem.at_start(u) else None
        watch.every = 1 if problem.full_hessian else STEPS
        found = minimize(problem, u, metric=metric, tol=tol, max_iter=watch.every * max_iter, after_step=watch)
        u, at, gap = found.u, found.at, found.gap
        n_iter, history = watch.finish(u, at, found.history)
        finished = found.stopped and not watch.ended
        if not watch.ended and n_iter < max_iter:
            proved = gap <= max(tol, PROVED) * at.value or at.value <= problem.negligible
            at_rounding = not finished or (not free and not proved)
        if free and not finished and watch.separation is None:
            watch.separation = separating_direction(data, problem.m, fit_intercept)
        inference = _inference(problem, u) if free and finished and watch.separation is None else None
    rel_gap = max(gap / at.value, np.finfo(float).eps) if at.value > 0 and math.isfinite(gap) else math.nan
    if penalty.ridge == penalty.lasso == 0 and not problem.full_rank:
        rel_gap = 1.0  # along the directions that rounding hides nothing is known
    if watch.separation is not None:
        rel_gap, finished = math.nan, True
    coef, intercept = _answer(problem, u)
    if watch.separation is not None and n_iter < max_iter:  # where iterations ran out a warm start goes on from u
        d, tied = data.n_features, tied_rows(data, watch.separation, fit_intercept)
        if (
            tied is not None and seed is None
        ):  # the others' loss goes to zero along the ray; these have a least of their own
            rest = fit_logistic(
                tied, n_classes, class_weight=class_weight, penalty=penalty, fit_intercept=fit_intercept, tol=tol,
                max_iter=max_iter - n_iter, start=(coef, intercept), seed=None,
                before=lambda coefficients: None, after_step=lambda coefficients, value, step: False,
            )  # fmt: skip
            coef, intercept, n_iter, finished = rest.coef, rest.intercept, n_iter + rest.n_iter, rest.finished
        theta = np.hstack([coef, intercept[:, None]]) if fit_intercept else coef
        theta = moved_along(data, watch.separation, theta, fit_intercept)
        coef, intercept = theta[:, :d], theta[:, d] if fit_intercept else intercept
    return Fit(coef, intercept, n_iter, float(rel_gap), watch.separation, history, finished, inference, at_rounding)


def _answer(problem: LogisticProblem, u: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Coefficients and intercepts, where several give the same scores the one that scikit-learn gives."""
    if not isinstance(problem, ElasticNetProblem):
        point = problem.point(problem.shortest(u))
        return point.coef, point.intercept
    point = problem.point(u)
    centered = problem.m > 1 and problem.centered
    return point.coef, point.intercept - point.intercept.mean() if centered else point.intercept


def _problem(
    data: Source, n_classes: int, class_weight: np.ndarray | None, penalty: Penalty, fit_intercept: bool
) -> LogisticProblem:
    kind = ElasticNetProblem if penalty.lasso > 0 else LogisticProblem
    return kind(data, n_classes, class_weight, penalty, fit_intercept)


class _Watch:
    """Told of every step: hands it to the callbacks, and without a penalty looks for a separating direction."""

    def __init__(self, problem: LogisticProblem, after_step: AfterStep) -> None:
        self.problem, self.after_step = problem, after_step
        self.n_steps, self.every, self.ended = 0, 1, False
        self.separation: np.ndarray | None = None

    def __call__(self, u: np.ndarray, at: Evaluation, moved: np.ndarray) -> bool:
        self.n_steps += 1
        if self.n_steps % self.every == 0:
            self.ended = self.after_step(self.coefficients(u), at.value, self.n_steps // self.every)
        if self.ended:
            return True
        if self.problem.penalty > 0 or isinstance(self.problem, ElasticNetProblem):
            return False
        if at.passed.margin > 0:
            self.separation = self._direction(u)
        elif self.n_steps >= 12 and self.n_steps % 4 == 0 and self.problem.score_range(moved).spread > 0.5:
            self.separation = separating_direction(self.problem.data, self.problem.m, self.problem.fit_intercept)
        return self.separation is not None

    def finish(self, u: np.ndarray, at: Evaluation, values: list[float]) -> tuple[int, list[float]]:
        """(iterations, F before the first and after each); a last one of fewer steps is told here."""
        n_iter = math.ceil((len(values) - 1) / self.every)
        if (len(values) - 1) % self.every and not self.ended:
            self.ended = self.after_step(self.coefficients(u), at.value, n_iter)
        return n_iter, [*values[: -1 : self.every], values[-1]]

    def coefficients(self, u: np.ndarray) -> Coefficients:
        def of() -> tuple[np.ndarray, np.ndarray]:
            point = self.problem.point(u)
            return point.coef, point.intercept

        return of

    def _direction(self, u: np.ndarray) -> np.ndarray:
        point = self.problem.point(u)
        v = np.hstack([point.coef, point.intercept[:, None]]) if self.problem.fit_intercept else point.coef
        return v / np.abs(v).max()


def _inference(problem: LogisticProblem, u: np.ndarray) -> dict[str, Any] | None:
    """Standard errors of coefficients and intercepts in the user's coordinates; None where there are none."""
    if not problem.full_hessian:
        return None
    metric = problem.metric(u)
    if not isinstance(metric, FullMetric) or not metric.full:
        return None
    m, width, d = problem.m, problem.width, len(problem.scale)
    V = metric.inverse().reshape(m, width, m, width)
    if m > 1:  # coefficients are those that sum to zero over the classes
        centering = np.eye(m) - 1.0 / m
        V = np.einsum("ka,aibj,bl->kilj", centering, V, centering)
    errors = np.empty((m, width))
    for k in range(m):
        block = V[k, :, k, :]
        errors[k, :d] = np.sqrt(np.maximum(np.diagonal(block)[:d], 0.0)) * problem.scale
        if problem.fit_intercept:
            back = np.append(-problem.center * problem.scale, 1.0)
            errors[k, d] = math.sqrt(max(float(back @ block @ back), 0.0))
    return {"errors": errors, "weight": problem.weight}
