"""One model on all folds: scores, predictions of unseen rows, the fit on all rows and its certificates."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone

from surefit.model_selection.checked_steps import certify_steps
from surefit.model_selection.clusterings.explained_share import answers_unseen, split_last
from surefit.model_selection.clusterings.indices import internal_indices
from surefit.model_selection.comparison import Outcome
from surefit.model_selection.prepare.columns import take
from surefit.model_selection.scoring import LOG_LOSS, Score, log_loss, probabilities_of
from surefit.model_selection.significance.intervals import Interval, corrected_interval
from surefit.model_selection.validation.folds import Split


@dataclass(frozen=True)
class Trial:
    """What all models have in common: the rows, the folds, the score; of classes also their sorted labels and codes."""

    X: Any
    y: np.ndarray | None
    splits: list[Split]
    score: Score
    level: float
    classes: np.ndarray | None = None
    codes: np.ndarray | None = None

    @property
    def ratio(self) -> float:
        """Test rows for each training row, of one split."""
        return float(np.mean([test.size / train.size for train, test in self.splits]))

    def outcome(self, name: str, estimator: Any, tick: Callable[[int], None]) -> Outcome:
        unseen = Unseen(self)
        scores = np.full(len(self.splits), np.nan)
        coefficients: list[np.ndarray] = []
        seconds: list[float] = []
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            for number, (train, test) in enumerate(self.splits if answers_unseen(estimator) else ()):
                X_train, X_test = take(self.X, train), take(self.X, test)
                model = _timed_fit(estimator, X_train, None if self.y is None else self.y[train], seconds)
                scores[number] = self.score(model, X_train, X_test, None if self.y is None else self.y[test])
                unseen.add(model, X_test, test)
                coefficient = getattr(split_last(model)[1], "coef_", None)
                if coefficient is not None:
                    coefficients.append(np.ravel(coefficient))
                tick(number + 1)
            final = _timed_fit(estimator, self.X, self.y, seconds)
            certificates = certify_steps(final, self.X, self.y)
            extra = internal_indices(final, self.X) if self.y is None else unseen.extra
            tick(len(self.splits) + 1)
        same = len({one.size for one in coefficients}) == 1
        return Outcome(
            name=name,
            estimator=final,
            scores=scores,
            interval=self._interval(scores),
            fit_seconds=float(np.median(seconds)),
            certificates=certificates,
            predictions=unseen.predictions,
            probabilities=unseen.probabilities,
            fold_coefficients=np.stack(coefficients) if same else None,
            extra=extra,
            warnings=_distinct(caught),
        )

    def _interval(self, scores: np.ndarray) -> Interval:
        """Of a model that says nothing about unseen rows: no score."""
        if np.isnan(scores).all():
            return Interval(np.nan, np.nan, self.level)
        return corrected_interval(scores, self.ratio, self.level)


class Unseen:
    """Predictions of rows that a model has not seen, each row once: in the first fold that tests on it."""

    def __init__(self, trial: Trial) -> None:
        self._y, self._classes, self._codes = trial.y, trial.classes, trial.codes
        n = 0 if trial.y is None else trial.y.shape[0]
        self._known = np.zeros(n, dtype=bool)
        self._labels = None if trial.y is None else np.empty_like(trial.y)
        self._P = None if trial.classes is None else np.full((n, trial.classes.size), np.nan)
        self._losses: list[float] = []

    def add(self, model: Any, X_test: Any, test: np.ndarray) -> None:
        if self._labels is None:
            return
        first = not self._known[test].any()
        if first:
            self._labels[test] = model.predict(X_test)
            self._known[test] = True
        if self._classes is not None and self._codes is not None and self._P is not None:
            P = probabilities_of(model, X_test, self._classes)
            if P is not None:
                self._losses.append(log_loss(P, self._codes[test]))
                if first:
                    self._P[test] = P

    @property
    def predictions(self) -> np.ndarray | None:
        """None where the folds do not test on every row."""
        return self._labels if self._known.size and self._known.all() else None

    @property
    def probabilities(self) -> np.ndarray | None:
        return self._P if self._losses and self.predictions is not None else None

    @property
    def extra(self) -> dict[str, float]:
        """The mean over the folds of the log-loss, where the model gives probabilities."""
        return {LOG_LOSS: float(np.mean(self._losses))} if self._losses else {}


def _timed_fit(estimator: Any, X: Any, y: np.ndarray | None, seconds: list[float]) -> Any:
    model = clone(estimator)
    start = time.perf_counter()
    model.fit(X, y)
    seconds.append(time.perf_counter() - start)
    return model


def _distinct(caught: list[warnings.WarningMessage]) -> list[str]:
    lines = [" ".join(str(one.message).split()) for one in caught]
    return [f"{line} ({lines.count(line)} times)" if lines.count(line) > 1 else line for line in dict.fromkeys(lines)]
