"""The folds: drawn once, so that every model sees the same rows in the same order."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from typing import Any

import numpy as np
from sklearn.model_selection import RepeatedKFold, RepeatedStratifiedKFold, check_cv

from surefit._core.errors import InvalidData, InvalidParameter

FOLDS, REPEATS = 5, 5
SMALL, LARGE = 200_000, 1_000_000
"""Numbers in the table."""
Split = tuple[np.ndarray, np.ndarray]


def usual_repeats(X: Any) -> int:
    """5; of larger tables, whose folds tell models apart earlier, 2 and 1."""
    cells = X.shape[0] * X.shape[1]
    return REPEATS if cells <= SMALL else 2 if cells <= LARGE else 1


def repeated_folds(folds: int, repeats: int, seed: int | None, labels: np.ndarray | None) -> Any:
    """The splitter: with labels, each class is spread evenly over the folds."""
    kind = RepeatedKFold if labels is None else RepeatedStratifiedKFold
    return kind(n_splits=folds, n_repeats=repeats, random_state=seed)


def draw_folds(
    cv: Any, X: Any, y: np.ndarray | None, n_rows: int, seed: int, *, classes: bool
) -> tuple[list[Split], str]:
    """(train, test) of every split, and in words what was drawn."""
    if cv is None or isinstance(cv, (int, np.integer)):
        folds = FOLDS if cv is None else int(cv)
        if not 2 <= folds <= n_rows:
            raise InvalidParameter(f"cv must be a whole number ≥ 2 and at most the {n_rows} rows; got {folds}")
        cv = repeated_folds(folds, usual_repeats(X), seed, y if classes else None)
    splitter = check_cv(cv, y, classifier=classes)
    words = _words(cv, n_rows)
    if isinstance(cv, RepeatedStratifiedKFold) and y is not None:
        _refuse_rare(np.unique(y, return_counts=True)[1], cv.get_n_splits() // cv.n_repeats)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="The least populated class", category=UserWarning)  # told as a note
        splits = [(np.asarray(train), np.asarray(test)) for train, test in splitter.split(X, y)]
    for number, (train, test) in enumerate(splits):
        if np.intersect1d(train, test).size:
            raise InvalidData(f"fold {number} tests on rows it was trained on: the scores would mean nothing")
    return splits, words


def lacking(splits: list[Split], codes: np.ndarray, n_classes: int) -> list[int]:
    """The classes that some test part does not hold."""
    present = np.array([np.bincount(codes[test], minlength=n_classes) > 0 for _, test in splits])
    return np.flatnonzero(~present.all(axis=0)).tolist()


def _words(cv: Any, n_rows: int) -> str:
    if isinstance(cv, (RepeatedKFold, RepeatedStratifiedKFold)):
        folds = cv.get_n_splits(np.empty((n_rows, 1))) // cv.n_repeats
        kind = "stratified folds" if isinstance(cv, RepeatedStratifiedKFold) else "folds"
        seed = f", seed {cv.random_state}" if cv.random_state is not None else ""
        return f"{folds} {kind} × {cv.n_repeats}{seed}"
    return "folds as given" if isinstance(cv, Iterable) else type(cv).__name__


def _refuse_rare(counts: np.ndarray, folds: int) -> None:
    if counts.max() < folds:
        raise InvalidParameter(f"{folds} folds are too many: no class has more than {counts.max()} rows")
