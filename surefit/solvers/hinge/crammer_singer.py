"""Crammer and Singer's machine for many classes at once:

    P(W) = ½ ‖W‖² + Σ c max over m of ([m ≠ y] + x̃·W_m − x̃·W_y) ,      x̃ = (x, s) .

Its dual, by descent over rows (`native/src/svm/crammer_singer.hpp`): A with A_im ≤ c [m = y], rows that sum to zero,
W = Σ A_i ⊗ x̃, and D(A) = −½ ‖W‖² − Σ over m ≠ y of A_im. With t_m = [m ≠ y] + x̃·W_m the gap is

    P − D = Σ (c (max t − t_y) + Σ_m A_im t_m) ,

a sum of terms that are not negative.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from surefit import _native
from surefit._core.memory import refuse_beyond_memory
from surefit.engine.sources.block import row_weights
from surefit.engine.sources.source import Source
from surefit.solvers.hinge.clipped_pass import leaf_sum
from surefit.solvers.hinge.solution import AfterStep, Solution
from surefit.summaries.row_products import csr_parts

VISITS, EPOCHS = 3e6, 100
"""Numbers visited by an iteration at most, and the epochs in it: one where the data is large."""


class Look(NamedTuple):
    value: float
    gap: float
    W: np.ndarray
    """(d + 1, k), the intercepts' row last."""


class CrammerSinger:
    """P on rows in memory."""

    def __init__(self, data: Source, cost: np.ndarray, scale: float) -> None:
        self.block, self.scale, self.k, self.d = next(data.blocks()), scale, len(cost), data.n_features
        refuse_beyond_memory(
            24.0 * data.n_rows * self.k, f"the dual variables of {self.k} classes", "Use multi_class='ovr'."
        )
        self.codes = self.block.codes
        weights = row_weights(self.block, cost)
        assert weights is not None
        self.cost = weights
        X = self.block.X
        self.work = (len(self.codes) + (X.size if isinstance(X, np.ndarray) else X.nnz)) * self.k

    def descend(self, A: np.ndarray, W: np.ndarray, tol: float, epochs: int, number: int) -> float:
        X = self.block.X
        rest: tuple[Any, ...] = (self.codes, self.cost, self.scale, tol, epochs, number, A, W)
        if isinstance(X, np.ndarray):
            return _native.crammer_singer(X, *rest)
        parts: tuple[Any, ...] = (*csr_parts(X), self.d, *rest)
        return _native.crammer_singer_csr(*parts)

    def look(self, A: np.ndarray) -> Look:
        """W anew from A, the primal value there, and the gap."""
        X = self.block.X
        W = np.vstack([np.asarray(X.T @ A), self.scale * A.sum(axis=0)]).astype(np.float64)
        T = np.asarray(X @ W[:-1]) + self.scale * W[-1] + 1.0
        rows = np.arange(len(T))
        T[rows, self.codes] -= 1.0
        loss = self.cost * (T.max(axis=1) - T[rows, self.codes])
        terms = np.column_stack([loss, loss + (A * T).sum(axis=1)])
        value, gap = leaf_sum(terms, self.block).tolist()
        return Look(0.5 * float((W**2).sum()) + value, max(gap, 0.0), W)

    def coefficients(self, look: Look) -> np.ndarray:
        """(k, d + 1): w, then b of every class."""
        return np.column_stack([look.W[:-1].T, self.scale * look.W[-1]])


def solve_crammer_singer(
    data: Source,
    cost: np.ndarray,
    intercept_scale: float,
    *,
    tol: float,
    max_iter: int,
    after_step: AfterStep = lambda theta, value, gap: False,
) -> Solution:
    """Until the gap is bounded by `tol` times P. An iteration is up to EPOCHS epochs over all rows.

    `cost`: C times the weight of each class.
    """
    problem = CrammerSinger(data, cost, intercept_scale)
    A, W = np.zeros((data.n_rows, problem.k)), np.zeros((problem.d + 1, problem.k))
    best = problem.look(A)
    history, n_iter = [best.value], 0
    epochs = max(1, min(EPOCHS, int(VISITS / problem.work)))
    while n_iter < max_iter and best.gap > tol * best.value:
        problem.descend(A, W, 0.0, epochs, n_iter * epochs)
        n_iter += 1
        look = problem.look(A)
        W[:] = look.W
        history.append(look.value)
        best = look if look.gap < best.gap else best
        if after_step(problem.coefficients(look), look.value, look.gap):
            break
    theta = problem.coefficients(best)
    return Solution(theta[:, :-1], theta[:, -1], best.value, best.gap, n_iter, history)
