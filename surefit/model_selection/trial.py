"""One model on all folds: scores, predictions of unseen rows, the fit on all rows and its certificates."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.dummy import DummyClassifier, DummyRegressor

from surefit.certificates import Certificate
from surefit.model_selection.budget import Share, Stopped, TooSlow, in_seconds, time_limit
from surefit.model_selection.candidates.search import Searched, chosen_parameters, n_rows_searched, unwrapped
from surefit.model_selection.checked_steps import certify_steps
from surefit.model_selection.clusterings.explained_share import answers_unseen, split_last
from surefit.model_selection.clusterings.indices import internal_indices
from surefit.model_selection.estimate import refuse_slow
from surefit.model_selection.fold import Data, FoldResult, messages, run_fold, timed_fit
from surefit.model_selection.outcome import Outcome
from surefit.model_selection.running import in_order
from surefit.model_selection.scoring import LOG_LOSS
from surefit.model_selection.significance.intervals import Interval, corrected_interval
from surefit.model_selection.validation.folds import Split

Tick = Callable[[int], None]


@dataclass(frozen=True)
class Trial:
    """What all models have in common: the rows, the score and the folds, with their fingerprint."""

    data: Data
    splits: list[Split]
    level: float
    fingerprint: str = ""
    processes: int = 1

    @property
    def ratio(self) -> float:
        """Test rows for each training row, of one split."""
        return float(np.mean([test.size / train.size for train, test in self.splits]))

    def outcome(self, name: str, estimator: Any, tick: Tick, share: Share | None = None) -> Outcome:
        """Within its share of the time: a model with a search goes without it where that does not fit, and a model
        that does not fit at all is `TooSlow`. The baseline takes what it needs: without it no score says anything."""
        if share is None or is_baseline(estimator):
            share = Share()
        if not isinstance(estimator, Searched):
            return self._outcome(name, estimator, tick, share)
        try:
            return self._outcome(name, estimator, tick, share)
        except TooSlow:
            found = self._outcome(name, estimator.estimator, tick, share)
            found.notes.append("usual settings, because a search does not fit into its share of the time")
            return found

    def _outcome(self, name: str, estimator: Any, tick: Tick, share: Share) -> Outcome:
        unseen = answers_unseen(estimator.estimator if isinstance(estimator, Searched) else estimator)
        folds = self._folds(estimator, tick, share) if unseen else []
        final = Final(self.data, estimator, share)
        tick(len(self.splits) + 1)
        scores = np.array([one.score for one in folds]) if folds else np.full(len(self.splits), np.nan)
        predictions, probabilities = self._of_unseen_rows(folds)
        _, last = split_last(final.model)
        return Outcome(
            name=name,
            estimator=final.model,
            scores=scores,
            interval=self._interval(scores),
            fit_seconds=float(np.median([*[one.fit_seconds for one in folds], final.fit_seconds])),
            certificates=final.certificates,
            predictions=predictions,
            probabilities=probabilities,
            fold_coefficients=_stacked([one.coefficients for one in folds if one.coefficients is not None]),
            extra=internal_indices(final.model, self.data.X) if self.data.y is None else _losses(folds),
            warnings=_distinct([line for one in folds for line in one.warnings] + final.warnings),
            parameters=final.parameters,
            fold_parameters=[one.parameters for one in folds],
            search_rows=final.search_rows,
            family=family_of(last),
            is_baseline=is_baseline(last),
            folds=self.fingerprint,
            not_certified=final.not_certified,
        )

    def _folds(self, estimator: Any, tick: Tick, share: Share) -> list[FoldResult]:
        refuse_slow(self.data, estimator, self.splits, share, self.processes)
        found: list[FoldResult] = []
        try:
            for result in in_order(run_fold, self._jobs(estimator, share), self.processes):
                found.append(result)
                tick(len(found))
                self._refuse_first(found, share)
        except Stopped as error:
            raise TooSlow(
                f"its share of the time, {share}, was over after {len(found)} of {len(self.splits)} folds"
            ) from error
        return found

    def _jobs(self, estimator: Any, share: Share) -> Iterator[tuple]:
        """What the model says about the test rows is kept in the first fold that tests on them."""
        known = np.zeros(max(int(test.max()) for _, test in self.splits) + 1, dtype=bool)
        for number, (train, test) in enumerate(self.splits):
            yield self.data, estimator, number, train, test, not known[test].any(), share.left_for_folds
            known[test] = True

    def _refuse_first(self, found: list[FoldResult], share: Share) -> None:
        """After the first folds it is known how long the others take."""
        rounds = -(-(len(self.splits) - len(found)) // self.processes)
        each = float(np.median([one.seconds for one in found]))
        if rounds * each > 1.5 * max(share.left_for_folds, 0.0):
            raise TooSlow(
                f"a fold takes {in_seconds(each)}: {len(self.splits)} of them do not fit into its share of the time, "
                f"{share}"
            )

    def _of_unseen_rows(self, folds: list[FoldResult]) -> tuple[np.ndarray | None, np.ndarray | None]:
        """Each row in the first fold that tests on it; None where the folds do not test on every row."""
        y, classes = self.data.y, self.data.classes
        if y is None:
            return None, None
        labels, P = np.empty_like(y), None if classes is None else np.full((y.size, classes.size), np.nan)
        known = np.zeros(y.size, dtype=bool)
        given = classes is not None
        for (_, test), one in zip(self.splits, folds, strict=True):
            if one.predictions is None:
                continue
            labels[test], known[test] = one.predictions, True
            if P is not None and one.probabilities is not None:
                P[test] = one.probabilities
            else:
                given = False
        return (labels, P if given else None) if known.all() else (None, None)

    def _interval(self, scores: np.ndarray) -> Interval:
        """Of a model that says nothing about unseen rows: no score."""
        if np.isnan(scores).all():
            return Interval(np.nan, np.nan, self.level)
        return corrected_interval(scores, self.ratio, self.level)


class Final:
    """The fit on all rows, and its certificates unless their share of the time is over."""

    def __init__(self, data: Data, estimator: Any, share: Share) -> None:
        self.certificates: dict[str, Certificate] = {}
        self.not_certified = ""
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                with time_limit(share.left):
                    whole, self.fit_seconds = timed_fit(estimator, data.X, data.y, data.dependence())
            except Stopped as error:
                raise TooSlow(f"its share of the time, {share}, was over before its fit on all rows") from error
            self.model = unwrapped(whole)
            seconds = share.left
            try:
                with time_limit(seconds):
                    self.certificates = certify_steps(self.model, data.X, data.y)
            except Stopped:
                self.not_certified = f"its check did not end within {in_seconds(max(seconds, 0.0))}"
        self.warnings = messages(caught)
        self.parameters, self.search_rows = chosen_parameters(whole), n_rows_searched(whole)


def is_baseline(estimator: Any) -> bool:
    """Does it predict without looking at the columns?"""
    return isinstance(split_last(estimator)[1], (DummyClassifier, DummyRegressor))


def family_of(estimator: Any) -> str:
    """The class of an estimator; of one that transforms its targets first, that of the regression inside."""
    return type(getattr(estimator, "regressor_", estimator)).__name__


def _losses(folds: list[FoldResult]) -> dict[str, float]:
    """The mean over the folds of the log-loss, where the model gives probabilities."""
    losses = [one.log_loss for one in folds if one.log_loss is not None]
    return {LOG_LOSS: float(np.mean(losses))} if losses else {}


def _stacked(coefficients: list[np.ndarray]) -> np.ndarray | None:
    """None where the folds have different numbers of them, as with levels that some training parts lack."""
    return np.stack(coefficients) if len({one.size for one in coefficients}) == 1 else None


def _distinct(lines: list[str]) -> list[str]:
    return [f"{line} ({lines.count(line)} times)" if lines.count(line) > 1 else line for line in dict.fromkeys(lines)]
