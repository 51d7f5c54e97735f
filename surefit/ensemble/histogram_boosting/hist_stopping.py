"""Early stopping: scores of the training rows and of those held out, and when they stay as they are."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from sklearn.metrics import check_scoring

from surefit._core.threads import thread_count
from surefit.objectives.losses import Loss
from surefit.solvers.boosting.histogram_rounds import mean_loss, total_weight
from surefit.solvers.growing.histogram import bin_values, on_bins
from surefit.solvers.growing.predict import sum_of_trees
from surefit.solvers.growing.tree import Tree
from surefit.summaries.bins import Bins


class Held(NamedTuple):
    """Rows that are not trained on: their numbers (None where they are not in memory), targets and weights."""

    X: Any
    y: np.ndarray
    w: np.ndarray | None


class Validation:
    """in: rows held out, their bins, and raw predictions (of each row, or one for all)."""

    def __init__(self, held: Held, rows: np.ndarray, raw: np.ndarray, bins: Bins) -> None:
        self.X, self.y, self.w = held
        self.bins = bins
        self.values = bin_values(rows)
        self.raw = np.array(np.broadcast_to(raw, (len(rows), raw.shape[1])))

    def add(self, trees: list[Tree]) -> None:
        for k, tree in enumerate(trees):
            self.raw[:, k] += sum_of_trees([on_bins(tree, self.bins)], self.values, thread_count(None))[:, 0]

    def rows_of_fit(self) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
        """(raw predictions, targets, weights)."""
        return self.raw, self.y, self.w

    def mean_loss(self, loss: Loss) -> float:
        return mean_loss(loss, self.y, self.raw, self.w, total_weight(len(self.y), self.w))


class Judge:
    """The scores of all rounds (the larger the better), that before the first with them.

    `scoring` "loss": minus the mean loss; else a scorer of scikit-learn. Where that has a name the predictions it asks
    for are made from the raw ones at hand; a function of the user's own predicts by itself.
    """

    def __init__(self, estimator: Any, p: Any, rounds: Any, validation: Any, X: Any) -> None:
        self.estimator, self.p, self.rounds, self.held, self.X = estimator, p, rounds, validation, X
        self.train: list[float] = []
        self.validation: list[float] = []
        self._scorer = None if p.scoring == "loss" else check_scoring(estimator, p.scoring)

    def resume(self, train: np.ndarray, validation: np.ndarray) -> None:
        self.train, self.validation = list(train), list(validation)

    def after(self, trees: list[Tree]) -> bool:
        """The trees of a round are added; True if the fit should stop."""
        if self.held is not None:
            self.held.add(trees)
        return self.look()

    def look(self) -> bool:
        """Scores as things stand; True if they have stayed for long enough."""
        rounds, held = self.rounds, self.held
        if self._scorer is None:
            self.train.append(-rounds.slopes())
            if held is not None:
                self.validation.append(-held.mean_loss(rounds.loss))
        else:
            self.train.append(self._score(self.X, *rounds.rows_of_fit()))
            if held is not None:
                self.validation.append(self._score(held.X, *held.rows_of_fit()))
        return stays(self.train if held is None else self.validation, self.p.n_iter_no_change, self.p.tol)

    def _score(self, X: Any, raw: np.ndarray, y: np.ndarray, w: np.ndarray | None) -> float:
        labels = self.estimator.classes_[y.astype(np.intp)] if hasattr(self.estimator, "classes_") else y
        if not callable(self.p.scoring):
            self.estimator._known_raw = raw
        try:
            rows = X if X is not None else np.zeros((len(y), 1))
            weights = {} if w is None else {"sample_weight": w}
            return float(self._scorer(self.estimator, rows, labels, **weights))  # type: ignore[misc]
        finally:
            self.estimator.__dict__.pop("_known_raw", None)


def stays(scores: list[float], n_rounds: int, tol: float) -> bool:
    """Whether none of the last `n_rounds` scores is better by `tol` than the one before them."""
    if len(scores) <= n_rounds:
        return False
    reference = scores[-n_rounds - 1] + tol
    return not any(score > reference for score in scores[-n_rounds:])
