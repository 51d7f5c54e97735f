"""Folds of rows that belong together or follow each other: groups stay whole, and time runs forward."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.model_selection import GroupKFold, StratifiedGroupKFold, TimeSeriesSplit, check_cv

from surefit._core.errors import InvalidData, InvalidParameter
from surefit.model_selection.describe.leaks import instants
from surefit.model_selection.validation.folds import FOLDS, Split


def draw_dependent_folds(
    cv: Any, X: Any, y: np.ndarray | None, groups: Any, time: Any, seed: int, *, classes: bool
) -> tuple[list[Split], str] | None:
    """(train, test) of every split and in words what was drawn; None without groups and time.

    A number of folds (None for 5) keeps groups whole, or cuts the rows in the order of time into parts, each tested by
    a model of the parts before it. A splitter gets the groups and does as it likes: `find_leaks` tells what it breaks.
    """
    if groups is None and time is None:
        return None
    n = y.size if y is not None else X.shape[0]
    for name, values in (("groups", groups), ("time", time)):
        if values is not None and np.shape(values) != (n,):
            raise InvalidData(f"{name} must have one value for each of the {n} rows; got shape {np.shape(values)}")
    if cv is not None and not isinstance(cv, (int, np.integer)):
        splitter = check_cv(cv, y, classifier=classes)
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="The groups parameter is ignored")  # told as a leak
            splits = [(np.asarray(a), np.asarray(b)) for a, b in splitter.split(X, y, groups)]
        return _checked(splits), _words(cv)
    folds = FOLDS if cv is None else int(cv)
    if time is not None:
        return _forward(instants(np.asarray(time)), folds), f"{folds} folds forward in time"
    codes = group_codes(groups)
    if not 2 <= folds <= codes.max() + 1:
        raise InvalidParameter(f"cv must be a whole number ≥ 2 and at most the {codes.max() + 1} groups; got {folds}")
    kind = StratifiedGroupKFold if classes else GroupKFold
    splitter = kind(folds, shuffle=True, random_state=seed)
    splits = [(a, b) for a, b in splitter.split(np.empty((n, 0)), y, codes)]
    return splits, f"{folds} folds of whole groups, seed {seed}"


def dependence_of(groups: Any, time: Any) -> tuple[np.ndarray | None, np.ndarray | None]:
    """The number of each row's group, and numbers that rise with time; None for what was not given."""
    return None if groups is None else group_codes(groups), None if time is None else instants(np.asarray(time))


def group_codes(groups: Any) -> np.ndarray:
    return np.unique(np.asarray(groups), return_inverse=True)[1]


def _forward(when: np.ndarray, folds: int) -> list[Split]:
    order = np.argsort(when, kind="stable")
    if not 2 <= folds < order.size:
        raise InvalidParameter(f"cv must be a whole number ≥ 2 and less than the {order.size} rows; got {folds}")
    return [(np.sort(order[a]), np.sort(order[b])) for a, b in TimeSeriesSplit(folds).split(order[:, None])]


def _checked(splits: list[Split]) -> list[Split]:
    for number, (train, test) in enumerate(splits):
        if np.intersect1d(train, test).size:
            raise InvalidData(f"fold {number} tests on rows it was trained on: the scores would mean nothing")
    return splits


def _words(cv: Any) -> str:
    return type(cv).__name__ if hasattr(cv, "split") else "folds as given"
