"""Stochastic gradient ascent of the likelihood: one row at a time.

    w ← w + η ω (e_k − p) xᵀ − η λ w ω/Σω            b ← b + η ω (e_k − p)

as the textbooks have it, on centered and scaled columns. The step size of epoch t = 0, 1, … is η₀ / (1 + t), where η₀
is one over the largest curvature of a row, ω (‖x̃‖² + 1)/4 for two classes and twice that for more. Rows in memory are
visited in a new random order each epoch, rows of a stream in their order.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import scipy.sparse as sp
from scipy.special import expit

from surefit.engine.block import row_weights
from surefit.solvers.logistic.logistic import Evaluation, LogisticProblem


def epoch(problem: LogisticProblem, u: np.ndarray, number: int, random: np.random.Generator) -> np.ndarray:
    """u after one visit of every row."""
    U = u.reshape(problem.m, problem.width).copy()
    d = len(problem.scale)
    slopes = problem.penalties() / problem.weight
    for block in problem.data.blocks():
        w = row_weights(block, problem.class_weight)
        for leaf in block.leaves():
            X = leaf.X.toarray() if sp.issparse(leaf.X) else leaf.X
            rows = np.ones((len(X), problem.width))
            rows[:, :d] = (X - problem.center) * problem.scale
            first = leaf.start - block.start
            weights = np.ones(len(rows)) if w is None else w[first : first + len(rows)]
            order = random.permutation(len(rows)) if problem.data.resident else np.arange(len(rows))
            curvature = np.einsum("ij,ij->i", rows, rows) * (0.25 if problem.m == 1 else 0.5)
            rate = 1.0 / (max(float((weights * curvature).max()), 1e-300) * (1 + number))
            _visit(U, rows, leaf.codes, weights, order, rate, slopes)
    return U.ravel()


def _visit(
    U: np.ndarray,
    rows: np.ndarray,
    codes: np.ndarray,
    weights: np.ndarray,
    order: np.ndarray,
    rate: float,
    slopes: np.ndarray,
) -> None:
    """Plain NumPy, row by row; U is changed in place."""
    one = len(U) == 1
    for i in order:
        if weights[i] == 0:
            continue
        x = rows[i]
        z = U @ x
        if one:
            missing = np.array([codes[i] - expit(z[0])])
        else:
            p = np.exp(z - z.max())
            missing = -p / p.sum()
            missing[codes[i]] += 1.0
        size = rate * weights[i]
        U *= 1.0 - np.minimum(size * slopes, 1.0)
        U += size * np.outer(missing, x)


def ascend(
    problem: LogisticProblem,
    u: np.ndarray,
    tol: float,
    max_iter: int,
    random: np.random.Generator,
    after_step: Callable[[np.ndarray, Evaluation, np.ndarray], bool],
) -> tuple[np.ndarray, Evaluation, float, int, list[float]]:
    """(u, at, gap, epochs, history): until the proven gap is at most `tol` times the value."""
    at = problem.evaluate(u)
    gap, history, done = math.inf, [at.value], 0
    for number in range(max_iter):
        u = epoch(problem, u, number, random)
        at = problem.evaluate(u)
        done += 1
        history.append(at.value)
        gap = problem.gap_by_penalty(at, u, tol)
        if after_step(u, at, u) or gap <= tol * at.value:
            break
    return u, at, gap, done, history
