"""The loop of gradient boosting: a bag for each stage, the stage, its scores, and when to stop.

Scores are the mean loss times the loss's `score_factor`, as scikit-learn reports them: after each stage of the rows in
its bag, of those outside it, and of rows held out.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from surefit.objectives.losses import Loss
from surefit.solvers.boosting.gradient import Learner, Stage, fit_stage
from surefit.summaries.resample import Examples, draw_count, subsample_counts


class Bag(NamedTuple):
    """The weights of the rows in the bag (None: all rows, alike), and which rows are outside (None: no bags)."""

    w: np.ndarray | None
    outside: np.ndarray | None


class Bags:
    """A share of the examples drawn without replacement, in canonical order.

    Weights that are whole numbers are numbers of copies, drawn one by one; a copy takes its share of the weight of its
    rows. With other weights every distinct example is drawn as one, and takes its weight with it.
    """

    def __init__(self, examples: Examples, w: np.ndarray | None, share: float) -> None:
        self._examples, self._w = examples, w
        self._places = examples.places()
        whole = bool((examples.weights == np.rint(examples.weights)).all())
        self._copies = examples.weights if whole else np.ones(len(examples.weights))
        self._draws = draw_count(float(share), float(self._copies.sum()))

    def drawn(self, seed: int) -> Bag:
        counts = subsample_counts(seed, self._examples.hashes, self._copies, self._draws)
        known = self._places >= 0
        kept = np.where(known, (counts / self._copies)[self._places], 0.0)
        return Bag(kept if self._w is None else kept * self._w, known & (kept == 0))


@dataclass
class HeldOut:
    """Rows to judge by: their targets, weights and raw predictions, and how a stage's models move these."""

    y: np.ndarray
    w: np.ndarray | None
    raw: np.ndarray
    moved: Callable[[np.ndarray, Stage], np.ndarray]


@dataclass
class Scores:
    """A number for each stage: `train` (in its bag), `outside`, the `improvement` there, `held_out`; and `start`."""

    start: float = np.nan
    train: list[float] = field(default_factory=list)
    outside: list[float] = field(default_factory=list)
    improvement: list[float] = field(default_factory=list)
    held_out: list[float] = field(default_factory=list)


class Stopping:
    """Stop when the score of held-out rows is not below any of the last few by more than `tol`."""

    def __init__(self, patience: int, tol: float) -> None:
        self._recent, self._tol = np.full(patience, np.inf), tol

    def at(self, stage: int, score: float) -> bool:
        if np.any(score + self._tol < self._recent):
            self._recent[stage % len(self._recent)] = score
            return False
        return True


def boost(
    loss: Loss,
    y: np.ndarray,
    raw: np.ndarray,
    w: np.ndarray | None,
    learner: Learner,
    *,
    stages: range,
    seeds: np.ndarray,
    learning_rate: float,
    line_search: bool,
    bags: Bags | None,
    held_out: HeldOut | None,
    stopping: Stopping | None,
    scores: Scores,
    after: Callable[[int, Stage], bool],
) -> None:
    """Fit the stages one after the other; `after(i, stage)` takes each, and stops the loop by saying True."""
    for i in stages:
        bag = Bag(w, None) if bags is None else bags.drawn(int(seeds[i, 0]))
        now = loss.adapted(y, raw, w)
        if i == 0:
            scores.start = _score(now, y, raw, bag.w)
        before = _outside(now, y, raw, w, bag) if bag.outside is not None and not scores.outside else None
        stage = fit_stage(now, y, raw, bag.w, learner, seeds[i], learning_rate=learning_rate, line_search=line_search)
        raw = stage.raw
        scores.train.append(_score(now, y, raw, bag.w))
        if bag.outside is not None:
            previous = scores.outside[-1] if before is None else before
            scores.outside.append(_outside(now, y, raw, w, bag))
            scores.improvement.append(previous - scores.outside[-1])
        if held_out is not None:
            held_out.raw = held_out.moved(held_out.raw, stage)
            scores.held_out.append(_score(now, held_out.y, held_out.raw, held_out.w))
        if after(i, stage):
            return
        if stopping is not None and stopping.at(i, scores.held_out[-1]):
            return


def _score(loss: Loss, y: np.ndarray, raw: np.ndarray, w: np.ndarray | None) -> float:
    return loss.score_factor * loss.value(y, raw, w)


def _outside(loss: Loss, y: np.ndarray, raw: np.ndarray, w: np.ndarray | None, bag: Bag) -> float:
    """The score of the rows outside the bag; NaN where there are none."""
    assert bag.outside is not None
    rows = np.flatnonzero(bag.outside)
    return _score(loss, y[rows], raw[rows], None if w is None else w[rows]) if len(rows) else np.nan


def extended(earlier: Any, n_earlier: int, new: list[float]) -> np.ndarray:
    """Scores of earlier stages (zeros where there were none) followed by the new ones."""
    return np.concatenate([np.zeros(n_earlier) if earlier is None else np.asarray(earlier), new])
