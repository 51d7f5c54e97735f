"""Quadratic models of logistic regression with an elastic net, for Newton's method (`optimise/proximal_newton.py`)."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from surefit import _native
from surefit._core.memory import refuse_beyond_memory
from surefit.solvers.logistic.gap_bounds import elastic_net_gap
from surefit.solvers.logistic.logistic import Evaluation
from surefit.solvers.logistic.second_derivative import HessianStep, SparseGramStep, row_curvatures
from surefit.solvers.optimise.lasso_quadratic import minimize_lasso
from surefit.summaries.row_products import by_columns, csr_parts

if TYPE_CHECKING:
    from surefit.solvers.logistic.elastic_net import ElasticNetProblem

ROUNDS = 5
"""Spent on the first model at most; the next gets so many more, for it is nearer to the truth."""
VISITS = 2e8
"""Stored numbers visited by one call of the compiled descent, about a fifth of a second: then signals are heard."""
MOST_CALLS = 50


class HessianModel:
    """With the second derivative over the entries as a matrix."""

    def __init__(
        self, problem: ElasticNetProblem, at: Evaluation, u: np.ndarray, entries: np.ndarray, n_iter: int
    ) -> None:
        self.problem, self.at, self.u, self.entries = problem, at, u, entries
        self._rounds = ROUNDS * (1 + n_iter)
        refuse_beyond_memory(
            32.0 * len(entries) ** 2,
            f"a second derivative for {problem.m} classes",
            "Use l1_ratio=0, or fewer classes.",
        )
        self.H = problem.second(u) if problem.full_hessian else working_hessian(problem, u, entries)
        if (
            problem.m > 1 and problem.centered
        ):  # intercepts that all move together change nothing: any curvature will do
            width = len(self.H) // problem.m
            last = np.arange(problem.m) * width + width - 1
            self.H[np.ix_(last, last)] += self.H[last, last].mean()

    def minimum(self) -> np.ndarray:
        p, entries = self.problem, self.entries
        flat = partial(p.without_flat_moves, entries=entries)
        return minimize_lasso(
            self.H, self.at.gradient[entries], self.u[entries], p.thresholds[entries], self._rounds, flat
        )

    def gap(self, aim: np.ndarray) -> float:
        """The bound of `elastic_net.py` by the Newton step."""
        p, step = self.problem, aim - self.u[self.entries]
        if not p.full_hessian or not p.score_range(step).spread <= 1.0:
            return math.inf
        moved = self.H @ step
        ridge = np.tile(p.penalties(), p.m)
        G = self.at.gradient + moved - ridge * aim
        some = p.thresholds > 0
        divergence = max(float(step @ moved), 0.0)
        exact = np.zeros(int(some.sum()))
        return elastic_net_gap(
            self.u[some], G[some], exact, p.thresholds[some], ridge[some], divergence, self.at.passed.loss
        )


def working_hessian(problem: ElasticNetProblem, u: np.ndarray, entries: np.ndarray) -> np.ndarray:
    """The second derivative of the smooth part over the entries of some columns, in the solver's coordinates."""
    d = len(problem.scale)
    columns = entries[: len(entries) // problem.m]
    slopes = columns[columns < d]
    H = _of_loss(problem, slopes, u)
    scales = np.tile(np.append(problem.scale, 1.0)[columns], problem.m)
    H = H * scales[:, None] * scales
    H[np.diag_indices_from(H)] += np.tile(problem.penalties()[columns], problem.m)
    return H


def _of_loss(problem: ElasticNetProblem, columns: np.ndarray, u: np.ndarray) -> np.ndarray:
    """That of the loss over these columns less their centers, and the intercept."""
    center, point = problem.center[columns], problem.point(u)
    if problem.m > 1 or not problem.data.is_sparse:
        return problem.data.fold(HessianStep(center, problem.fit_intercept, columns), point)
    gram = problem.data.fold(SparseGramStep(columns), point)
    # products of the stored entries, then the shift: right to rounding where the columns are mostly zero
    H = gram.products.toarray() + gram.weight * np.outer(center, center)
    H -= np.outer(gram.sums, center) + np.outer(center, gram.sums)
    if not problem.fit_intercept:
        return H
    last = (gram.sums - gram.weight * center)[:, None]
    return np.block([[H, last], [last.T, np.array([[gram.weight]])]])


class ColumnsModel:
    """Of two classes over columns of CSR rows in memory: coordinate descent, no second derivative is formed.

    The descent ends when no entry breaks its condition by more than a share of what the worst breaks it by at u, a
    share that falls with it: near the minimum each step of Newton's method squares what is missing. A tenth of `tol`,
    the relative gap that is asked for, is enough.
    """

    def __init__(
        self, problem: ElasticNetProblem, at: Evaluation, u: np.ndarray, entries: np.ndarray, breach: float, tol: float
    ) -> None:
        self.problem, self.at, self.u, self.entries = problem, at, u, entries
        self._tol = min(0.1 * breach, max(breach**2, 0.1 * tol))

    def minimum(self) -> np.ndarray:
        p, entries = self.problem, self.entries
        block = next(p.data.blocks())
        columns = by_columns(block)
        chosen = entries[entries < len(p.scale)]
        terms = self.at.gradient[entries], p.penalties()[entries], p.thresholds[entries], self.u[entries]
        frame = p.scale[chosen], p.center[chosen]
        curvature = row_curvatures(block, p.point(self.u))
        stored = int((columns.indptr[chosen + 1] - columns.indptr[chosen]).sum())
        sweeps = max(1, int(VISITS / (stored + len(chosen) + 1)))
        v = np.zeros(len(entries))
        for _ in range(MOST_CALLS):
            parts = csr_parts(columns)
            if _native.lasso_columns(*parts, curvature, chosen, frame, terms, self._tol, sweeps, v) <= self._tol:
                break
        return self.u[entries] + v

    def gap(self, aim: np.ndarray) -> float:
        return math.inf
