"""Perceptrons, one for each class against the rest, taken through the rows epoch by epoch.

For a visited row x of weight ω, class weight c, sign σ = ±1 and p = σ(x·w + b):

    w ← max(0, 1 − η l2)^ω w                                     the L2 penalty
    w ← w + min(ω, k) η c σ x,  b ← b + min(ω, k) η c σ          if p ≤ 0,  k = ⌊−p / (η c q)⌋ + 1
    w ← towards zero by ω η l1 and what is still due              the L1 penalty (Tsuruoka, Tsujii, Ananiadou 2009)

q = ‖x‖² (+ 1 with an intercept), so k is the fewest unit updates that put the row right: ω updates in a row, of which
those after the row is right do nothing. An epoch's objective is the mean over its visits of −p where p ≤ 0, and the
penalty as it stood.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from surefit import _native
from surefit._core.data.intake import refuse_all_zero
from surefit._core.errors import InvalidData
from surefit._core.precision import linear_scores
from surefit.engine.sources.block import Block
from surefit.engine.step import Step
from surefit.summaries.visits import Visits, Window


class Rule(NamedTuple):
    eta: float
    l2: float
    l1: float
    fit_intercept: bool


class Stopping(NamedTuple):
    max_iter: int
    tol: float | None
    """The least improvement of the objective (of the validation score) that counts; None: all epochs are done."""
    n_iter_no_change: int
    by_score: bool


@dataclass
class Planes:
    """The hyperplanes, changed in place; rows of class codes[i] are on the positive side of plane i."""

    coef: np.ndarray
    intercept: np.ndarray
    codes: np.ndarray
    positive: np.ndarray
    """Class weight, a factor of updates, of the positive side of each plane; `negative`: of the other."""
    negative: np.ndarray
    l1: bool
    paid: np.ndarray | None = field(init=False, default=None)
    due: np.ndarray | None = field(init=False, default=None)

    def __post_init__(self) -> None:
        if self.l1:
            self.paid, self.due = np.zeros_like(self.coef), np.zeros(len(self.coef))


class Epoch(NamedTuple):
    number: int
    planes: np.ndarray
    """The planes that were still learning, their objectives, their scores, and which of them are finished."""
    objective: np.ndarray
    score: np.ndarray | None
    finished: np.ndarray


def epochs(visits: Visits, planes: Planes, rule: Rule, stopping: Stopping, n_threads: int) -> Iterator[Epoch]:
    """Learn; yields after every epoch, until every plane is finished or `max_iter`.

    A plane is finished when `n_iter_no_change` epochs in a row have not improved on the best by `tol`.
    """
    m = len(planes.coef)
    active = np.arange(m)
    best, waited = np.full(m, math.inf), np.zeros(m, dtype=np.intp)
    total = 0.0
    for number in range(stopping.max_iter):
        sums = np.zeros(len(active))
        for window in visits.epoch(number):
            sums += visit(window, planes, active, rule, n_threads)
            if number == 0:
                total += len(window.order) if window.w is None else float(window.w.sum())
        if total == 0:
            refuse_all_zero()
        objective = sums / total
        if not np.isfinite(objective).all():
            raise InvalidData(overflow_words(number))
        score = held_scores(visits, planes, active) if stopping.by_score else None
        reached = objective if score is None else -score
        if stopping.tol is not None:
            stands_still = reached > best[active] - stopping.tol
            waited[active] = np.where(stands_still, waited[active] + 1, 0)
        best[active] = np.minimum(best[active], reached)
        finished = waited[active] >= stopping.n_iter_no_change
        yield Epoch(number, active, objective, score, finished)
        active = active[~finished]
        if not len(active):
            return


def overflow_words(number: int) -> str:
    return (
        f"Floating-point under-/overflow occurred at epoch #{number + 1}. Scaling input data with StandardScaler or "
        "MinMaxScaler might help: products of the coefficients with rows of X are beyond the numbers there are."
    )


def visit(window: Window, planes: Planes, active: np.ndarray, rule: Rule, n_threads: int) -> np.ndarray:
    """Take the active planes through a window; Σ ω (loss + penalty) of each, not finite where a coefficient is not."""
    rest = (
        np.ascontiguousarray(window.y, dtype=np.float64),
        window.w,
        window.order,
        *rule,
        planes.coef,
        planes.intercept,
        planes.paid,
        planes.due,
        active,
        planes.codes[active],
        planes.positive[active],
        planes.negative[active],
        n_threads,
    )
    X = window.X
    if sp.issparse(X):
        indptr = X.indptr if X.indptr.dtype == X.indices.dtype else X.indptr.astype(X.indices.dtype)
        return _native.perceptron_window_csr(X.data, X.indices, indptr, X.shape[1], *rest)
    return _native.perceptron_window(np.ascontiguousarray(X), *rest)


def held_scores(visits: Visits, planes: Planes, active: np.ndarray) -> np.ndarray:
    """The share of the weight held out that each active plane has on the right side."""
    right, total = np.zeros(len(active)), 0.0
    for X, y, w in visits.held():
        scores = np.asarray(X @ planes.coef[active].T) + planes.intercept[active]
        hits = (scores > 0) == (y[:, None] == planes.codes[active])
        weights = np.ones(len(y)) if w is None else w
        right += weights @ hits
        total += float(weights.sum())
    if total == 0:
        raise InvalidData(
            "Splitting the samples into a train set and a validation set led to an empty set: no class has enough "
            "distinct rows. Please either change validation_fraction, increase number of samples, or disable "
            "early_stopping."
        )
    return right / total


class MistakesStep(Step):
    """How many rows of positive weight a model (coef, intercept) answers wrongly."""

    def map_leaf(self, state: tuple[np.ndarray, np.ndarray], leaf: Block) -> int:
        coef, intercept = state
        scores = linear_scores(leaf.X, coef, intercept)
        answers = scores[:, 0] > 0 if scores.shape[1] == 1 else scores.argmax(axis=1)
        wrong = answers != leaf.y
        return int(np.count_nonzero(wrong if leaf.w is None else wrong & (leaf.w > 0)))

    def combine(self, left: int, right: int) -> int:
        return left + right
