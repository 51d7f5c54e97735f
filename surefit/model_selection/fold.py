"""One model on one fold: fitted to the training part, scored on the test part, and what it says about those rows."""

from __future__ import annotations

import time
import warnings
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.base import clone

from surefit._core.errors import InvalidData
from surefit.model_selection.budget import time_limit
from surefit.model_selection.candidates.search import Searched, chosen_parameters, unwrapped
from surefit.model_selection.clusterings.explained_share import split_last
from surefit.model_selection.describe.columns import take
from surefit.model_selection.scoring import Score, log_loss, probabilities_of


@dataclass(frozen=True)
class Data:
    """What all folds of all models have in common; of classes also their sorted labels and codes.

    `groups` and `time` are what a search inside the training part has to respect: rows that stay together, and rows
    that follow each other.
    """

    X: Any
    y: np.ndarray | None
    score: Score
    classes: np.ndarray | None = None
    codes: np.ndarray | None = None
    groups: np.ndarray | None = None
    time: np.ndarray | None = None

    def dependence(self, rows: Any = slice(None)) -> dict[str, np.ndarray]:
        """Groups and time of these rows, where they were given."""
        given = {"groups": self.groups, "time": self.time}
        return {name: values[rows] for name, values in given.items() if values is not None}


@dataclass
class FoldResult:
    score: float
    fit_seconds: float
    """Of the fit alone."""
    seconds: float
    """Of the search, the fit and the score."""
    parameters: dict[str, Any]
    coefficients: np.ndarray | None = None
    predictions: np.ndarray | None = None
    probabilities: np.ndarray | None = None
    log_loss: float | None = None
    warnings: list[str] = field(default_factory=list)


def run_fold(
    data: Data, estimator: Any, number: int, train: np.ndarray, test: np.ndarray, keep: bool, seconds: float
) -> FoldResult:
    """`keep`: what the model says about the test rows is part of the result. `Stopped` is raised after `seconds`."""
    start = time.perf_counter()
    X_train, X_test = take(data.X, train), take(data.X, test)
    y_train, y_test = (None, None) if data.y is None else (data.y[train], data.y[test])
    with warnings.catch_warnings(record=True) as caught, time_limit(seconds):
        warnings.simplefilter("always")
        whole, fit_seconds = timed_fit(estimator, X_train, y_train, data.dependence(train))
        model = unwrapped(whole)
        score = data.score(model, X_train, X_test, y_test)
        if y_test is not None and not np.isfinite(score):
            raise InvalidData(f"its score on fold {number} is {score}: such a fold cannot be paired with others")
        P = None
        if data.classes is not None:
            P = probabilities_of(model, X_test, data.classes)
        found = FoldResult(score, fit_seconds, 0.0, chosen_parameters(whole))
        if keep and y_test is not None:
            found.predictions, found.probabilities = np.asarray(model.predict(X_test)), P
    if P is not None and data.codes is not None:
        found.log_loss = log_loss(P, data.codes[test])
    coefficients = getattr(split_last(model)[1], "coef_", None)
    if coefficients is not None:
        found.coefficients = np.ravel(coefficients)
    found.warnings = messages(caught)
    found.seconds = time.perf_counter() - start
    return found


def timed_fit(estimator: Any, X: Any, y: np.ndarray | None, dependence: dict[str, np.ndarray]) -> tuple[Any, float]:
    """The fitted model and the seconds of the fit; of a search, those of its last fit."""
    model = clone(estimator)
    if isinstance(model, Searched):
        return model.fit(X, y, **dependence), model.refit_time_
    start = time.perf_counter()
    model.fit(X, y)
    return model, time.perf_counter() - start


def messages(caught: list[warnings.WarningMessage]) -> list[str]:
    return [" ".join(str(one.message).split()) for one in caught]
