"""What models compete on: the columns of a file, its target, and who and when its rows are of."""

from __future__ import annotations

import difflib
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from surefit._core.errors import InvalidData, InvalidParameter
from surefit.model_selection import Table, prepare_table
from surefit.model_selection.prepare.absent import absent_columns
from surefit.model_selection.prepare.dates import as_dates
from surefit.model_selection.prepare.table_notes import counted
from surefit.model_selection.prepare.table_target import take_target

ZERO_ONE = ("f1", "precision", "recall")
"""Scores of the class 1 against the class 0; for other labels scikit-learn wants to be told which one is meant."""
TWO_CLASSES = ("roc_auc", "average_precision")


@dataclass(frozen=True)
class ContestData:
    X: Any
    y: np.ndarray | None
    task: Any
    name: str
    target: str | None
    table: Table
    """The columns made ready, as the models will see them."""
    groups: np.ndarray | None = None
    time: np.ndarray | None = None
    notes: list[str] = field(default_factory=list)


def contest_data(request: Any) -> ContestData:
    """The data that a request names, everything about it that can be wrong refused before the first fit."""
    notes: list[str] = []
    frame, name, target = _frame(request, notes)
    given = {"--target": target, "--groups": request.groups, "--time": request.time}
    named = [column for column in given.values() if column]
    absent = absent_columns([*named, *request.drop], list(frame.columns), name)
    if absent:
        raise InvalidData(absent)
    repeated = [column for column in frame.columns if list(frame.columns).count(column) > 1]
    if repeated:
        raise InvalidData(f"{name} has more than one column {repeated[0]!r}: rename one")
    if len(set(named) | set(request.drop)) < len(named) + len(set(request.drop)):
        raise InvalidParameter("--target, --groups, --time and --drop must name different columns")
    if request.task in ("regression", "classification") and target is None:
        raise InvalidParameter(f"--task {request.task} needs --target COLUMN")
    frame = frame.drop(columns=list(request.drop))
    y, task, n = None, "clustering", len(frame)
    if target is not None and request.task != "clustering":
        frame, y, task = take_target(frame, target, request.task, name)
        if len(frame) < n:
            notes.append(f"{counted(n - len(frame), 'row')} without a value of {target!r} left out")
    elif target is not None:
        notes.append(f"the column {target!r} is left out: clustering has no target")
    if len(frame) < 2 * request.folds:
        raise InvalidData(f"{name} has {counted(len(frame), 'row')}: too few for {request.folds} folds; see --folds")
    _refuse_scoring(request.scoring, task, y)
    groups = None if request.groups is None else _groups(frame[request.groups], request.groups)
    time = None if request.time is None else _instants(frame[request.time], request.time)
    X = frame.drop(columns=named).reset_index(drop=True)
    if X.shape[1] == 0:
        raise InvalidData(f"{name} has no column to learn from{' besides the target' if target else ''}")
    table = prepare_table(X, where=name)
    return ContestData(X, y, task, name, target if task != "clustering" else None, table, groups, time, notes)


def _frame(request: Any, notes: list[str]) -> tuple[Any, str, str | None]:
    """(table, its name, target): the file that was named, or data that comes along."""
    if request.source is not None and request.dataset is not None:
        raise InvalidParameter("give a file or --dataset, not both")
    if request.source is not None:
        return request.source.read(notes), request.source.name, request.target
    from surefit.cli.datasets import bundled

    name = request.dataset or "diabetes"
    frame, usual = bundled(name)
    return frame, name, request.target or usual


def _refuse_scoring(name: str | None, task: str, y: np.ndarray | None) -> None:
    """A score that is unknown, or not one of this task."""
    from sklearn.metrics import get_scorer_names

    from surefit.metrics.names import NAMES

    if name is None:
        return
    if task == "clustering":
        raise InvalidParameter("--scoring needs a target; clusterings have indices of their own")
    if name not in NAMES and name not in get_scorer_names():
        close = difflib.get_close_matches(name, NAMES, n=2)
        meant = f"did you mean {' or '.join(close)}?" if close else ""
        suited = [one.name for one in NAMES.values() if one.task == task]
        raise InvalidParameter(f"no score {name!r}; {meant or 'there are ' + ', '.join(suited)}")
    if name in NAMES and NAMES[name].task != task:
        suited = [one.name for one in NAMES.values() if one.task == task]
        raise InvalidParameter(
            f"--scoring {name} is of a {NAMES[name].task}, this is a {task}: take {', '.join(suited[:4])} …"
        )
    classes = np.unique(y) if task == "classification" and y is not None else np.arange(2)
    if name in ZERO_ONE and not np.array_equal(classes.astype(str), ["0", "1"]):
        raise InvalidParameter(f"--scoring {name} is of classes 0 and 1: take {NAMES['f1_macro'].name} or rename them")
    if name in TWO_CLASSES and classes.size > 2:
        raise InvalidParameter(f"--scoring {name} is of two classes, here are {classes.size}: take roc_auc_ovr")


def _groups(values: Any, name: str) -> np.ndarray:
    _refuse_gaps(values, name, "--groups")
    return values.astype(str).to_numpy(dtype=object)


def _instants(values: Any, name: str) -> np.ndarray:
    _refuse_gaps(values, name, "--time")
    if values.dtype.kind in "iuf":
        return values.to_numpy(dtype=np.float64)
    dates = as_dates(values)
    if dates is None:
        raise InvalidData(f"the column {name!r} of --time holds neither dates (2024-02-29) nor numbers")
    if getattr(dates.dt, "tz", None) is not None:
        dates = dates.dt.tz_convert("UTC").dt.tz_localize(None)
    return dates.to_numpy(dtype="datetime64[us]")


def _refuse_gaps(values: Any, name: str, option: str) -> None:
    gone = np.flatnonzero(values.isna().to_numpy())
    if gone.size:
        raise InvalidData(
            f"the column {name!r} of {option} has {counted(gone.size, 'missing value')}, the first in row "
            f"{int(gone[0])}: fill it or drop such rows"
        )
