"""The target: numbers for a regression, labels for a classification, and which of the two it is."""

from __future__ import annotations

from typing import Any

import numpy as np

from surefit._core.errors import InvalidData
from surefit.model_selection.candidates.candidate import Task

FEW_CLASSES = 10
ROWS_PER_CLASS = 5
MANY_NUMBERS = 20
MOST_CLASSES = 1000


def task_of_numbers(values: np.ndarray) -> Task:
    """A handful of repeated whole numbers are classes; other numbers are a regression."""
    distinct = np.unique(values[np.isfinite(values)])
    few = distinct.size <= FEW_CLASSES and values.size >= ROWS_PER_CLASS * distinct.size
    return "classification" if few and np.all(distinct % 1 == 0) else "regression"


def task_of_array(y: Any) -> Task:
    """Text and booleans are classes; of numbers, see `task_of_numbers`."""
    values = _unboxed(np.asarray(y))
    return task_of_numbers(values.astype(np.float64)) if values.dtype.kind in "fiu" else "classification"


def numbers_of(y: Any, n_rows: int, what: str = "y") -> np.ndarray:
    """A numeric target, one finite number for each row, not the same in all of them."""
    y = _one_each(y, n_rows)
    if y.dtype.kind not in "fiu":
        raise InvalidData(f"{what} must be numeric for a regression; got {y.dtype}")
    if not np.isfinite(y).all():
        raise InvalidData(f"{what} is not finite in row {int(np.flatnonzero(~np.isfinite(y))[0])}")
    if y.size > 1 and (y == y[0]).all():
        raise InvalidData(f"{what} is {y[0]:g} in every row: there is nothing to predict")
    return y.astype(np.float64, copy=False)


def classes_of(y: Any, n_rows: int, what: str = "y") -> np.ndarray:
    """Labels, one for each row: text, booleans or whole numbers that are no measurements; at least two classes."""
    y = _unboxed(_one_each(y, n_rows))
    if y.dtype.kind == "f":
        if not np.isfinite(y).all():
            raise InvalidData(f"{what} is missing or not finite in row {int(np.flatnonzero(~np.isfinite(y))[0])}")
        broken = np.flatnonzero(y % 1 != 0)
        if broken.size:
            row = int(broken[0])
            raise InvalidData(
                f"{what} holds {y[row]:g} in row {row}: classes are text, booleans or whole numbers; for other numbers "
                "take regressions"
            )
        if np.abs(y).max(initial=0.0) >= 2.0**53:
            raise InvalidData(
                f"{what} holds {np.abs(y).max():g}: whole numbers so large are not exact; make text of them"
            )
        y = y.astype(np.int64)
    classes, counts = np.unique(y, return_counts=True)
    if classes.size < 2:
        raise InvalidData(f"{what} has one class only ({short(classes[0])}): there is nothing to tell apart")
    single = classes[counts < 2]
    if single.size and y.dtype.kind in "iu" and classes.size > MANY_NUMBERS:
        raise InvalidData(
            f"{what} has {classes.size} different numbers in {n_rows} rows, {single.size} of them once only: that is a "
            "target of a regression, not of classes"
        )
    if classes.size > MOST_CLASSES:
        raise InvalidData(f"{what} has {classes.size} classes, at most {MOST_CLASSES} are taken: group them first")
    return y


def labels_of(y: Any, n_rows: int, what: str = "y") -> np.ndarray:
    """Labels as `classes_of` takes them, each class with two rows or more."""
    y = classes_of(y, n_rows, what)
    classes, counts = np.unique(y, return_counts=True)
    single = classes[counts < 2]
    if single.size:
        more = f" (and {single.size - 1} more like it)" if single.size > 1 else ""
        raise InvalidData(
            f"the class {short(single[0])} of {what} has one row only{more}: a class needs two rows or more, to learn "
            "from and to test on"
        )
    return y


def short(label: Any, most: int = 30) -> str:
    text = str(label)
    return repr(text if len(text) <= most else f"{text[: most - 1]}…")


def _one_each(y: Any, n_rows: int) -> np.ndarray:
    y = np.asarray(y)
    if y.ndim != 1 or y.shape[0] != n_rows:
        raise InvalidData(f"y must have one value for each of the {n_rows} rows of X; got shape {y.shape}")
    return y


def _unboxed(y: np.ndarray) -> np.ndarray:
    """Python objects as numbers or booleans where all of them are, else as text; other arrays as they are."""
    if y.dtype.kind != "O":
        return y
    gone = [row for row, value in enumerate(y) if value is None or value != value]
    if gone:
        raise InvalidData(f"y has {len(gone)} missing values, the first in row {gone[0]}")
    if all(isinstance(value, (bool, np.bool_)) for value in y):
        return y.astype(bool)
    if all(isinstance(value, (int, float, np.integer, np.floating)) for value in y):
        return y.astype(np.float64)
    return y.astype(str)
