"""From a table as people keep it to a matrix: which columns are numbers, which are categories, what is missing.

Nothing is learnt here from more than the rows it is applied to: medians, levels and scales are fitted inside each
training part, by the pipeline that `pipeline_for` builds.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from surefit._core.errors import InvalidData
from surefit.model_selection.candidates.candidate import Task
from surefit.model_selection.prepare.absent import absent_columns
from surefit.model_selection.prepare.dates import date_numbers
from surefit.model_selection.prepare.kinds import Column, read_column
from surefit.model_selection.prepare.levels import MAX_LEVELS
from surefit.model_selection.prepare.table_notes import notes_on
from surefit.model_selection.prepare.table_target import take_target

IN_MATRIX = ("number", "category")


@dataclass
class Table:
    """A table made ready: features, target, the task, and what was done to it, in words."""

    X: Any
    y: np.ndarray | None
    task: Task
    target: str | None
    numbers: list[Any]
    categories: list[str]
    has_missing: bool
    notes: list[str] = field(default_factory=list)
    dates: list[str] = field(default_factory=list)
    """Columns of the file that became several numbers each."""
    left_out: dict[str, str] = field(default_factory=dict)
    """Columns of the file that are not learnt from, and why."""

    @property
    def n_rows(self) -> int:
        return int(self.X.shape[0])

    @property
    def flags(self) -> list[Any]:
        """The numbers that are 0 in some rows and 1 in all others."""
        return [name for name in self.numbers if _is_flag(self._column(name))]

    @property
    def mixed(self) -> bool:
        return bool(self.categories or self.flags)

    @property
    def n_columns(self) -> int:
        """Columns of the matrix the estimators see."""
        levels = [min(int(self.X[name].nunique()), MAX_LEVELS) for name in self.categories]
        return len(self.numbers) + sum(max(n - 1, 1) for n in levels)

    def _column(self, name: Any) -> np.ndarray:
        return self.X[name].to_numpy() if hasattr(self.X, "iloc") else self.X[:, name]


def prepare_table(
    frame: Any,
    target: str | None = None,
    task: Task | None = None,
    drop: tuple[str, ...] = (),
    where: str = "the table",
) -> Table:
    """Check a dataframe column by column and decide the task."""
    frame = _checked(frame, target, drop, where)
    y, n_before = None, len(frame)
    if target is not None and task != "clustering":
        frame, y, task = take_target(frame, target, task, where)
    features = frame.drop(columns=[target]) if target else frame
    columns = [read_column(name, features[name]) for name in features.columns]
    X = _matrix(features, columns)
    if X.shape[1] == 0:
        lost = [f"{one.name!r} is left out ({one.kind})" for one in columns]
        raise InvalidData(
            f"{where} has no column to learn from{' besides the target' if target else ''}"
            + (f": {'; '.join(lost[:5])}" if lost else "")
        )
    categories = [one.name for one in columns if one.kind == "category"]
    numbers = [name for name in X.columns if name not in categories]
    table = Table(
        X,
        y,
        task or "clustering",
        target,
        numbers,
        categories,
        has_missing=bool(numbers) and bool(X[numbers].isna().to_numpy().any()),
        dates=[one.name for one in columns if one.kind == "date"],
        left_out={one.name: one.kind for one in columns if one.kind in ("identifier", "empty", "constant")},
    )
    table.notes = notes_on(table, without_target=n_before - len(frame))
    return table


def table_of_array(X: Any, task: Task, y: np.ndarray | None = None) -> Table:
    """A numeric array as a table: the columns by number, nothing left out."""
    X = np.asarray(X)
    has_missing = bool(X.dtype.kind == "f" and np.isnan(X).any())
    return Table(X, y, task, None, list(range(X.shape[1])), [], has_missing)


def _checked(frame: Any, target: str | None, drop: tuple[str, ...], where: str) -> Any:
    frame = frame.copy(deep=False)
    frame.columns = [str(name) for name in frame.columns]
    absent = absent_columns([*([target] if target else []), *drop], list(frame.columns), where)
    if absent:
        raise InvalidData(absent)
    repeated = sorted({name for name in frame.columns if list(frame.columns).count(name) > 1})
    if repeated:
        raise InvalidData(f"{where} has more than one column {repeated[0]!r}: rename one")
    if len(frame) == 0:
        raise InvalidData(f"{where} has no rows")
    return frame.drop(columns=list(drop))


def _matrix(features: Any, columns: list[Column]) -> Any:
    """The columns that models learn from, in the order of the table, dates as their numbers."""
    found: dict[str, Any] = {}
    for one in columns:
        if one.kind in IN_MATRIX:
            found[one.name] = one.values
        elif one.kind == "date":
            found |= {name: values for name, values in date_numbers(one.name, one.values).items() if _varies(values)}
    return type(features)(found, index=features.index)


def _is_flag(values: np.ndarray) -> bool:
    known = values[~np.isnan(values)] if values.dtype.kind == "f" else values
    return bool(known.size and ((known == 0) | (known == 1)).all() and (known != known[0]).any())


def _varies(values: np.ndarray) -> bool:
    known = values[np.isfinite(values)]
    return bool(known.size and (known != known[0]).any())
