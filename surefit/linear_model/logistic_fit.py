"""A whole fit of logistic regression: solve, prove the gap or the separation, bring back the user's coordinates."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from surefit.engine.source import Source
from surefit.linear_model.logistic_options import Penalty
from surefit.solvers.logistic.elastic_net import SparseLogisticProblem
from surefit.solvers.logistic.logistic import At, LogisticProblem
from surefit.solvers.logistic.separation import separating_direction
from surefit.solvers.logistic.stochastic import ascend
from surefit.solvers.optimise.metric import Whole
from surefit.solvers.optimise.newton import minimise
from surefit.solvers.optimise.proximal_newton import minimise_sparse

Coefficients = Callable[[], tuple[np.ndarray, np.ndarray]]
AfterStep = Callable[[Coefficients, float, int], bool]

PROVED = 1e-6
"""With a penalty a relative gap above this is told, however little could be gained by going on."""

_FAILED = {
    "liblinear": "Liblinear failed to converge, increase the number of iterations.",
    "newton-cholesky": "Newton solver did not converge after {n} iterations.",
    "sag": "The max_iter was reached which means the coef_ did not converge.",
    "saga": "The max_iter was reached which means the coef_ did not converge.",
}


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

    def warnings(self, solver: str, max_iter: int, target: float) -> Iterator[tuple[str, type[Warning]]]:
        """What the user must be told."""
        if self.separation is not None:
            yield (
                "the classes can be separated and there is no penalty, so the likelihood has no maximum: coefficients "
                f"grow for ever (stopped after {self.n_iter} iterations; separation_ holds the direction that proves "
                "it). Use a penalty (a finite C) for coefficients that mean something.",
                ConvergenceWarning,
            )
        elif self.at_rounding:
            yield (
                f"stopped after {self.n_iter} iterations at a relative gap of {self.rel_gap:.1e} (tol {target:.0e}): "
                "rounding hides what is left. Columns of similar size, or a smaller C, leave less.",
                ConvergenceWarning,
            )
        elif not self.finished:
            lead = _FAILED.get(solver, f"{solver} failed to converge. Increase the number of iterations.")
            lead = lead.format(n=self.n_iter)
            missing = "unknown" if math.isnan(self.rel_gap) else f"{self.rel_gap:.1e}"
            yield (
                f"{lead} It stopped after {self.n_iter} iterations at a relative gap of {missing} (tol {target:.0e}); "
                f"max_iter={max_iter}.",
                ConvergenceWarning,
            )


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
    random: np.random.Generator | None,
    before: Callable[[Coefficients], None],
    after_step: AfterStep,
) -> Fit:
    problem = _problem(data, n_classes, class_weight, penalty, fit_intercept)
    if max_iter == 0 or start is not None:
        coef, intercept = start or (np.zeros((problem.m, data.n_features)), np.zeros(problem.m))
        u = problem.inner(coef, intercept)
    else:
        u = problem.start()
    watch = _Watch(problem, after_step)
    at_rounding = False
    before(watch.coefficients(u))
    if random is not None:
        u, at, gap, n_iter, history = ascend(problem, u, tol, max_iter, random, watch)
        finished, inference = gap <= tol * at.value, None
    elif isinstance(problem, SparseLogisticProblem):
        sparse = minimise_sparse(problem, u, tol=tol, max_iter=max_iter, after_step=watch)
        u, at, gap, n_iter, history = sparse.u, sparse.at, sparse.gap, sparse.n_iter, sparse.history
        finished, inference = sparse.stopped, None
        at_rounding = not finished and not watch.ended and n_iter < max_iter
    else:
        free = penalty.ridge == 0
        metric = problem.start_metric() if start is None and problem.at_start(u) else None
        found = minimise(problem, u, metric=metric, tol=tol, max_iter=max_iter, after_step=watch)
        u, at, gap, n_iter, history = found.u, found.at, found.gap, found.n_iter, found.history
        finished = found.stopped and not watch.ended
        if not watch.ended and n_iter < max_iter:
            proved = gap <= max(tol, PROVED) * at.value or at.value <= problem.negligible
            at_rounding = not finished or (not free and not proved)
        if free and not finished and watch.separation is None:
            watch.separation = separating_direction(data, problem.m, fit_intercept)
        inference = _inference(problem, u) if free and finished and watch.separation is None else None
    rel_gap = max(gap / at.value, np.finfo(float).eps) if at.value > 0 and math.isfinite(gap) else math.nan
    if watch.separation is not None:
        rel_gap, finished = math.nan, True
    coef, intercept = _answer(problem, u)
    return Fit(coef, intercept, n_iter, float(rel_gap), watch.separation, history, finished, inference, at_rounding)


def _answer(problem: LogisticProblem, u: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Coefficients and intercepts, where several give the same scores the one that scikit-learn gives."""
    if not isinstance(problem, SparseLogisticProblem):
        point = problem.point(problem.shortest(u))
        return point.coef, point.intercept
    point = problem.point(u)
    centred = problem.m > 1 and problem.centred
    return point.coef, point.intercept - point.intercept.mean() if centred else point.intercept


def _problem(
    data: Source, n_classes: int, class_weight: np.ndarray | None, penalty: Penalty, fit_intercept: bool
) -> LogisticProblem:
    ridge, lasso, intercept_ridge, intercept_lasso = penalty
    if lasso > 0:
        return SparseLogisticProblem(
            data, n_classes, class_weight, ridge, lasso, fit_intercept, intercept_ridge, intercept_lasso
        )
    return LogisticProblem(data, n_classes, class_weight, ridge, fit_intercept, intercept_ridge)


class _Watch:
    """Told of every step: hands it to the callbacks, and without a penalty looks for a separating direction."""

    def __init__(self, problem: LogisticProblem, after_step: AfterStep) -> None:
        self.problem, self.after_step = problem, after_step
        self.n_steps, self.ended = 0, False
        self.separation: np.ndarray | None = None

    def __call__(self, u: np.ndarray, at: At, moved: np.ndarray) -> bool:
        self.n_steps += 1
        if self.after_step(self.coefficients(u), at.value, self.n_steps):
            self.ended = True
            return True
        if self.problem.penalty > 0 or isinstance(self.problem, SparseLogisticProblem):
            return False
        if at.passed.margin > 0:
            self.separation = self._direction(u)
        elif self.n_steps >= 12 and self.n_steps % 4 == 0 and self.problem.reach(moved).spread > 0.5:
            self.separation = separating_direction(self.problem.data, self.problem.m, self.problem.fit_intercept)
        return self.separation is not None

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
    if not problem.whole:
        return None
    metric = problem.metric(u)
    if not isinstance(metric, Whole) or not metric.full:
        return None
    m, width, d = problem.m, problem.width, len(problem.scale)
    V = metric.inverse().reshape(m, width, m, width)
    if m > 1:  # coefficients are those that sum to zero over the classes
        centring = np.eye(m) - 1.0 / m
        V = np.einsum("ka,aibj,bl->kilj", centring, V, centring)
    errors = np.empty((m, width))
    for k in range(m):
        block = V[k, :, k, :]
        errors[k, :d] = np.sqrt(np.maximum(np.diagonal(block)[:d], 0.0)) * problem.scale
        if problem.fit_intercept:
            back = np.append(-problem.centre * problem.scale, 1.0)
            errors[k, d] = math.sqrt(max(float(back @ block @ back), 0.0))
    return {"errors": errors, "weight": problem.weight}
