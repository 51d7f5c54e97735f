"""What is measured for the report alone: the best model on growing parts of the rows, and with its columns shuffled."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.inspection import permutation_importance
from sklearn.metrics import get_scorer
from sklearn.model_selection import ShuffleSplit, StratifiedShuffleSplit

from surefit._core.errors import SurefitError
from surefit.metrics import NAMES
from surefit.model_selection.comparison import Comparison
from surefit.model_selection.describe.columns import take
from surefit.plot.judging.learning_curve import SHARES

SECONDS = 6.0
"""For each of the two: folds that are done by then count, the others are left out."""
SLOW_FIT = 10.0
"""A model that takes longer is not fitted again."""
FOLDS, TEST_SHARE, SHUFFLES = 5, 0.2, 3
MOST_COLUMNS = 60
MOST_ROWS = 500
"""Importances are measured on so many rows of each fold at most."""

Scorer = Callable[[Any, Any, Any], float]


@dataclass(frozen=True)
class Learning:
    """Scores (sizes × folds) of the rows a model learnt from and of unseen ones."""

    sizes: np.ndarray
    seen: np.ndarray
    unseen: np.ndarray


def scorer_of(comparison: Comparison) -> Scorer | None:
    """The scorer behind the name of the metric; None for a function of the caller, which has no name."""
    several = comparison.classes is not None and comparison.classes.size > 2
    words = {metric.words: name for name, metric in reversed(NAMES.items())}
    if comparison.metric == NAMES["roc_auc"].words and several:
        return get_scorer("roc_auc_ovr")
    return get_scorer(words[comparison.metric]) if comparison.metric in words else None


def may_be_measured(comparison: Comparison) -> bool:
    best = comparison.best
    return comparison.y is not None and not best.is_baseline and best.fit_seconds <= SLOW_FIT


def learning_of(comparison: Comparison, score: Scorer) -> Learning | None:
    """The best model, fitted on growing parts of the training rows of each fold.

    A size at which it cannot be fitted (a class is missing, a number of neighbors is too large) is left out.
    """
    X, y, estimator = comparison.X, comparison.y, comparison.best.estimator
    end = time.monotonic() + SECONDS
    folds: list[np.ndarray] = []
    sizes = np.zeros(0, dtype=int)
    for train, test in _splits(comparison):
        sizes = np.unique(np.maximum((np.array(SHARES) * train.size).astype(int), min(10, train.size)))
        scores = np.full((sizes.size, 2), np.nan)
        for place, size in enumerate(sizes):
            if time.monotonic() < end:
                scores[place] = _scores(estimator, X, y, train[:size], test, score)
        if folds and time.monotonic() >= end:  # a fold that was cut short; the first one is kept as far as it goes
            break
        folds.append(scores)
    table = np.stack(folds, axis=1)  # sizes × folds × (seen, unseen)
    known = np.isfinite(table).all(axis=(1, 2))
    if known.sum() < 3:
        return None
    return Learning(sizes[known], table[known, :, 0], table[known, :, 1])


def importances_of(comparison: Comparison, score: Scorer) -> np.ndarray | None:
    """What the best model loses on unseen rows when a column is shuffled: (folds × shuffles, columns)."""
    X, y = comparison.X, comparison.y
    if y is None or sp.issparse(X) or not 1 < len(comparison.columns) <= MOST_COLUMNS:
        return None
    end = time.monotonic() + SECONDS
    found = []
    for number, (train, test) in enumerate(_splits(comparison)):
        model = _fitted(comparison.best.estimator, take(X, train), y[train])
        if model is None:
            continue
        rows = test[:MOST_ROWS]
        for seed in range(SHUFFLES * number, SHUFFLES * (number + 1)):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                lost = permutation_importance(
                    model, take(X, rows), y[rows], scoring=score, n_repeats=1, random_state=seed
                )
            found.append(lost.importances.T)
            if time.monotonic() > end:
                return np.concatenate(found)
    return np.concatenate(found) if found else None


def _splits(comparison: Comparison) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Random training and test parts; each class in both, where every class has two rows."""
    y = comparison.y
    even = comparison.classes is not None and np.unique(np.asarray(y), return_counts=True)[1].min() >= 2
    enough = comparison.classes is None or TEST_SHARE * comparison.n_rows >= comparison.classes.size
    splitter = StratifiedShuffleSplit if even and enough else ShuffleSplit
    yield from splitter(FOLDS, test_size=TEST_SHARE, random_state=0).split(np.zeros(comparison.n_rows), y)


def _scores(estimator: Any, X: Any, y: Any, train: np.ndarray, test: np.ndarray, score: Scorer) -> tuple[float, float]:
    """Of the rows learnt from and of unseen ones; not a number where the model cannot be fitted."""
    X_train = take(X, train)
    model = _fitted(estimator, X_train, y[train])
    if model is None:
        return np.nan, np.nan
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return float(score(model, X_train, y[train])), float(score(model, take(X, test), y[test]))


def _fitted(estimator: Any, X: Any, y: Any) -> Any:
    """A fitted clone; None where the rows are refused. What fits warn of was told with the scores."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return clone(estimator).fit(X, y)
        except (SurefitError, ValueError):
            return None
