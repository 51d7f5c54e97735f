"""The target of a table: which rows have one, what task it asks for, and whether it can be learnt at all."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from surefit._core.errors import InvalidData
from surefit._core.optional import require
from surefit.model_selection.candidates.candidate import Task
from surefit.model_selection.prepare.dates import as_dates
from surefit.model_selection.prepare.kinds import as_numbers, first_text, read_column
from surefit.model_selection.prepare.target import labels_of, numbers_of, task_of_numbers


def take_target(
    frame: Any, target: str, task: Task | None, where: str, read_labels: Callable[..., np.ndarray] = labels_of
) -> tuple[Any, np.ndarray, Task]:
    """(the rows that have a target, their targets, the task); `classes_of` lets a class have one row."""
    gone = frame[target].isna().to_numpy()
    frame = frame[~gone]
    if len(frame) == 0:
        raise InvalidData(f"the target {target!r} of {where} is missing in every row")
    if task is None:
        task = "regression" if as_dates(frame[target]) is not None else task_of(frame[target])
    what = f"the target {target!r}"
    if task == "classification":
        return frame, read_labels(_labels(target, frame[target]), len(frame), what), task
    types = require("pandas", extra="cli", purpose="Reading a table").api.types
    if as_dates(frame[target]) is not None:
        raise InvalidData(f"{what} holds dates: make a number of them (days since …) or choose another")
    read = frame[target] if types.is_numeric_dtype(frame[target]) else as_numbers(frame[target])
    if read is None:
        raise InvalidData(f"{what} is not numeric: {first_text(frame[target])}")
    return frame, numbers_of(read.to_numpy(dtype=np.float64), len(frame), what), task


def task_of(target: Any) -> Task:
    """Text, booleans and a handful of repeated whole numbers are classes; other numbers are a regression."""
    types = require("pandas", extra="cli", purpose="Reading a table").api.types
    if types.is_bool_dtype(target):
        return "classification"
    if not types.is_numeric_dtype(target):
        numeric = types.is_datetime64_any_dtype(target) or as_numbers(target) is not None
        return "regression" if numeric else "classification"
    return task_of_numbers(target.dropna().to_numpy(dtype=np.float64))


def _labels(name: str, target: Any) -> np.ndarray:
    """Booleans and numbers as they are, everything else as text."""
    types = require("pandas", extra="cli", purpose="Reading a table").api.types
    if types.is_bool_dtype(target):
        return target.to_numpy(dtype=bool)
    if types.is_numeric_dtype(target):
        return target.to_numpy(dtype=np.float64)
    read_column(name, target)  # lists and records are refused by name
    return target.to_numpy(dtype=str)
