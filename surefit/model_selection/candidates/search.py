"""A small search inside the training part: a handful of settings of one model, scored on rows held out of it.

The rows of the training part are put in the order of their targets (equal ones in a random order) and dealt out in
turn, so that each of the inner folds has the classes in their shares, or numbers of every size. Rows that belong to one
group are dealt together; where rows follow each other in time, the latest third is held out. Of a large training part
every so many-th row of that order is looked at; the model itself is always fitted to all of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from time import perf_counter
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.metrics import check_scoring
from sklearn.pipeline import Pipeline
from sklearn.utils import get_tags
from sklearn.utils.metaestimators import available_if

from surefit.model_selection.describe.columns import take

SEARCH_ROWS = 5_000
FOLDS = 3


class Searched(BaseEstimator):
    """An estimator or pipeline whose last step is fitted with the best of a few settings.

    estimator     with its usual parameters, which stand where no setting can be fitted
    grid          settings of the last step, each a dict, the simplest first: of equal scores the first is taken
    scoring       a scorer of scikit-learn, by name or as a function; None for the estimator's own score
    max_rows      rows of the training part that the search looks at; beyond it one third of them is held out once,
                  below it each third in turn

    After `fit`: `best_estimator_`, `best_params_`, `cv_scores_` (one for each setting, NaN where it cannot be
    fitted), `n_search_rows_`, and `refit_time_`, the seconds of the last fit alone.

    >>> from sklearn.datasets import load_iris
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> search = Searched(KNeighborsClassifier(), grid=({"n_neighbors": 1}, {"n_neighbors": 100})).fit(X, y)
    >>> search.best_params_, search.n_search_rows_
    ({'n_neighbors': 1}, 150)
    """

    def __init__(
        self,
        estimator: Any,
        grid: Sequence[dict[str, Any]] = (),
        scoring: Any = None,
        max_rows: int = SEARCH_ROWS,
        random_state: int = 0,
    ) -> None:
        self.estimator = estimator
        self.grid = grid
        self.scoring = scoring
        self.max_rows = max_rows
        self.random_state = random_state

    def fit(self, X: Any, y: Any, groups: Any = None, time: Any = None) -> Searched:
        """`groups`: rows of one group stay on one side of each inner fold; `time`: numbers that rise with time."""
        y = np.asarray(y)
        rows = spread_rows(y, self.max_rows, self.random_state)
        folds = _held_out(rows, y.size, groups, time)
        scorer = check_scoring(self.estimator, scoring=self.scoring)
        self.cv_scores_ = np.array([self._score(setting, X, y, rows, folds, scorer) for setting in self.grid])
        self.n_search_rows_ = int(rows.size)
        fitted = np.isfinite(self.cv_scores_)
        best = int(np.argmax(np.where(fitted, self.cv_scores_, -np.inf)))
        self.best_params_ = dict(self.grid[best]) if fitted.any() else {}
        start = perf_counter()
        self.best_estimator_ = with_parameters(self.estimator, self.best_params_).fit(X, y)
        self.refit_time_ = perf_counter() - start
        return self

    def _score(self, setting: dict[str, Any], X: Any, y: np.ndarray, rows: Any, folds: list, scorer: Any) -> float:
        """The mean score over the inner folds; NaN for a setting that the rows do not allow."""
        scores = []
        for held in folds:
            train, test = rows[~held], rows[held]
            try:
                model = with_parameters(self.estimator, setting).fit(take(X, train), y[train])
                scores.append(float(scorer(model, take(X, test), y[test])))
            except ValueError:  # such as a singular covariance: this setting takes no part
                return float("nan")
        return float(np.mean(scores)) if scores else float("nan")

    def predict(self, X: Any) -> np.ndarray:
        return self.best_estimator_.predict(X)

    @available_if(lambda self: hasattr(self.estimator, "predict_proba"))
    def predict_proba(self, X: Any) -> np.ndarray:
        return self.best_estimator_.predict_proba(X)

    @property
    def classes_(self) -> np.ndarray:
        return self.best_estimator_.classes_

    def __sklearn_tags__(self) -> Any:
        return get_tags(self.estimator)


def with_parameters(model: Any, setting: dict[str, Any]) -> Any:
    """A fresh copy of the model, the parameters of its last step set."""
    fresh = clone(model)
    last = fresh[-1] if isinstance(fresh, Pipeline) else fresh
    last.set_params(**setting)
    return fresh


def unwrapped(model: Any) -> Any:
    """What a fitted search found; any other model as it is."""
    return model.best_estimator_ if isinstance(model, Searched) else model


def chosen_parameters(model: Any) -> dict[str, Any]:
    """What a fitted model chose by itself inside the training part: by a search, or by its own cross-validation.

    An attribute `name_` is a choice where the parameter `name` is no number, or does not exist (`RidgeCV.alpha_`).
    """
    if isinstance(model, Searched):
        own = {name.removeprefix("regressor__"): value for name, value in model.best_params_.items()}
        return {**own, **chosen_parameters(model.best_estimator_)}
    if hasattr(model, "best_params_"):
        return dict(model.best_params_)
    last = model[-1] if isinstance(model, Pipeline) else model
    given = last.get_params(deep=False) if hasattr(last, "get_params") else {}
    found = {}
    for name in OWN_CHOICES:
        if hasattr(last, f"{name}_") and not isinstance(given.get(name), (int, float)):
            found[name] = getattr(last, f"{name}_")
    return found


OWN_CHOICES = ("alpha", "l1_ratio", "C", "gamma", "n_neighbors", "ccp_alpha")


def n_rows_searched(model: Any) -> int | None:
    """Rows that the search of a fitted model looked at; None without a search."""
    return model.n_search_rows_ if isinstance(model, Searched) else None


def _held_out(rows: np.ndarray, n: int, groups: Any, time: Any) -> list[np.ndarray]:
    """For each inner fold which of the rows are held out; no fold where all rows are of one group."""
    if time is not None:
        when = np.argsort(np.argsort(np.asarray(time)[rows], kind="stable"), kind="stable")
        return [when >= rows.size - rows.size // FOLDS]
    turn = np.arange(rows.size) % FOLDS
    if groups is not None:
        _, first, codes = np.unique(np.asarray(groups)[rows], return_index=True, return_inverse=True)
        turn = np.argsort(np.argsort(first))[codes] % FOLDS
    folds = [turn == 0] if rows.size < n else [turn == fold for fold in range(FOLDS)]
    return [held for held in folds if held.any() and not held.all()]


def spread_rows(y: np.ndarray, most: int, seed: int) -> np.ndarray:
    """At most so many rows, evenly from those in the order of y, equal ones in a random order."""
    order = np.random.default_rng(seed).permutation(y.size)
    order = order[np.argsort(np.unique(y, return_inverse=True)[1][order], kind="stable")]
    m = min(y.size, most)
    return order[np.arange(m) * y.size // m]
