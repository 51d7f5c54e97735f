"""Stochastic gradient ascent of the likelihood: one row at a time.

    w ← w + η ω (e_k − p) xᵀ − η λ w ω/Σω            b ← b + η ω (e_k − p)

as the textbooks have it, on centered and scaled columns. The step size of epoch t = 0, 1, … is η₀ / (1 + t), where η₀
is one over the largest curvature of a row, ω (‖x̃‖² + 1)/4 for two classes and twice that for more. Rows are visited in
the order of `summaries/visits.py`, a new one each epoch: the same from memory, Parquet and Dask, and a row of weight
two is visited as a row given twice, once with both weights.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import scipy.sparse as sp

from surefit.objectives import logistic, softmax
from surefit.solvers.logistic.logistic import Evaluation, LogisticProblem
from surefit.summaries.visits import Visits, Window

CHUNK = 1024
"""Rows that are centered and scaled together."""


def epoch(problem: LogisticProblem, visits: Visits, u: np.ndarray, number: int) -> np.ndarray:
    """u after one visit of every row."""
    U = u.reshape(problem.m, problem.width).copy()
    shrink = problem.penalties() / problem.weight
    for window in visits.epoch(number):
        w = np.ones(len(window.order)) if window.w is None else window.w.copy()
        codes = window.y[window.order].astype(np.intp)
        if problem.class_weight is not None:
            w *= problem.class_weight[codes]
        chunks = range(0, len(codes), CHUNK)
        steepest = max((_steepest(_rows(problem, window, i), w[i : i + CHUNK]) for i in chunks), default=0.0)
        rate = 1.0 / (max(steepest * (0.25 if problem.m == 1 else 0.5), 1e-300) * (1 + number))
        for i in chunks:
            part = slice(i, i + CHUNK)
            _visit(U, _rows(problem, window, i), codes[part], rate * w[part], shrink)
    return U.ravel()


def _rows(problem: LogisticProblem, window: Window, first: int) -> np.ndarray:
    """The next rows to be visited, in the solver's coordinates."""
    d = len(problem.scale)
    X = window.X[window.order[first : first + CHUNK]]
    X = X.toarray() if sp.issparse(X) else X
    rows = np.ones((len(X), problem.width))
    rows[:, :d] = (X - problem.center) * problem.scale
    return rows


def _steepest(rows: np.ndarray, w: np.ndarray) -> float:
    return float((w * np.einsum("ij,ij->i", rows, rows)).max(initial=0.0))


def _visit(U: np.ndarray, rows: np.ndarray, codes: np.ndarray, sizes: np.ndarray, shrink: np.ndarray) -> None:
    """Plain NumPy, row by row; U is changed in place."""
    for x, code, size in zip(rows, codes, sizes, strict=True):
        if size == 0:
            continue
        z = U @ x
        slope = logistic.gradient(z, code) if len(U) == 1 else softmax.gradient(z[None], np.array([code]))[0]
        U *= 1.0 - np.minimum(size * shrink, 1.0)
        U -= size * np.outer(slope, x)


def ascend(
    problem: LogisticProblem,
    u: np.ndarray,
    tol: float,
    max_iter: int,
    seed: int,
    after_step: Callable[[np.ndarray, Evaluation, np.ndarray], bool],
) -> tuple[np.ndarray, Evaluation, float, int, list[float]]:
    """(u, at, gap, epochs, history): until the gap is bounded by `tol` times the value."""
    visits = Visits(problem.data, seed, shuffle=True)
    at = problem.evaluate(u)
    gap, history, done = math.inf, [at.value], 0
    for number in range(max_iter):
        u = epoch(problem, visits, u, number)
        at = problem.evaluate(u)
        done += 1
        history.append(at.value)
        gap = problem.gap_by_penalty(at, u, tol)
        if after_step(u, at, u) or gap <= tol * at.value:
            break
    return u, at, gap, done, history
