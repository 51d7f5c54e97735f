"""From a table as people keep it to a matrix: which columns are numbers, which are categories, what is missing.

Nothing is learnt here from more than the rows it is applied to: medians, levels and scales are fitted inside each
training part, by the pipeline that `pipeline_for` builds.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, StandardScaler
from sklearn.utils import get_tags

from surefit._core.errors import InvalidData
from surefit._core.optional import require
from surefit.model_selection.candidates.candidate import Task
from surefit.model_selection.prepare.target import labels_of, task_of_numbers

MAX_LEVELS = 20
MISSING = "(missing)"
SCALED = "numbers are scaled to unit variance inside each training part"


@dataclass
class Table:
    """A table made ready: features, target, the task, and what was done to it, in words."""

    X: Any
    y: np.ndarray | None
    task: Task
    target: str | None
    numbers: list[str]
    categories: list[str]
    has_missing: bool
    notes: list[str] = field(default_factory=list)

    @property
    def n_rows(self) -> int:
        return len(self.X)

    @property
    def flags(self) -> list[str]:
        """The numbers that are 0 in some rows and 1 in all others."""
        return [name for name in self.numbers if set(self.X[name].dropna().unique()) == {0.0, 1.0}]

    @property
    def mixed(self) -> bool:
        return bool(self.categories or self.flags)

    @property
    def n_columns(self) -> int:
        """Columns of the matrix the estimators see."""
        levels = [max(int(self.X[name].nunique()) - 1, 1) for name in self.categories]
        return len(self.numbers) + sum(levels)


def prepare_table(
    frame: Any,
    target: str | None = None,
    task: Task | None = None,
    drop: tuple[str, ...] = (),
    where: str = "the table",
) -> Table:
    """Check a dataframe column by column and decide the task."""
    notes: list[str] = []
    frame = frame.copy(deep=False)
    frame.columns = [str(name) for name in frame.columns]
    for name in (*drop, *([target] if target else [])):
        if name not in frame.columns:
            raise InvalidData(f"{where} has no column {name!r}; it has {_list(frame.columns)}")
    repeated = sorted({name for name in frame.columns if list(frame.columns).count(name) > 1})
    if repeated:
        raise InvalidData(f"{where} has more than one column {repeated[0]!r}: rename one")
    if len(frame) == 0:
        raise InvalidData(f"{where} has no rows")
    frame = frame.drop(columns=list(drop))
    y = None
    if target is not None and task != "clustering":
        frame, y, task = _take_target(frame, target, task, notes, where)
    elif target is not None:
        notes.append(f"the column {target!r} is left out: clustering has no target")
    features = frame.drop(columns=[target]) if target else frame
    numbers: list[str] = []
    categories: list[str] = []
    columns: dict[str, Any] = {}
    for name in features.columns:
        kind, values = _column(name, features[name], notes)
        columns[name] = values
        if kind == "number":
            numbers.append(name)
        elif kind == "category":
            categories.append(name)
    X = features.assign(**columns)[[name for name in features.columns if name in numbers or name in categories]]
    if X.shape[1] == 0:
        raise InvalidData(f"{where} has no column to learn from{' besides the target' if target else ''}")
    has_missing = bool(numbers) and bool(X[numbers].isna().to_numpy().any())
    if has_missing:
        rows = int(X[numbers].isna().any(axis=1).sum())
        notes.append(f"{rows} of {len(X)} rows have missing numbers: medians of the training rows stand in for them")
    return Table(X, y, task or "clustering", target, numbers, categories, has_missing, notes)


def pipeline_for(table: Table, estimator: Any) -> Pipeline:
    """impute and scale numbers, encode categories, then the estimator: all of it fitted on training rows only.

    An estimator with parameters `bernoulli` and `categorical` takes flags and codes of categories as they are. One that
    takes missing values (trees) gets the numbers as they are.
    """
    if {"bernoulli", "categorical"} <= set(estimator.get_params(deep=False)):
        return _kinds_apart(table, estimator)
    if get_tags(estimator).input_tags.allow_nan:
        return _as_they_are(table, estimator)
    numbers: Any = StandardScaler()
    if table.has_missing:
        numbers = make_pipeline(SimpleImputer(strategy="median"), numbers)
    if not table.categories:
        before = numbers
    else:
        encode = OneHotEncoder(drop="first", handle_unknown="ignore", sparse_output=False)
        before = ColumnTransformer(
            [("numbers", numbers, table.numbers), ("categories", encode, table.categories)],
            verbose_feature_names_out=False,
        )
    return _behind(before, estimator)


def _kinds_apart(table: Table, estimator: Any) -> Pipeline:
    """Numbers scaled, flags as 0 and 1, categories as 0, 1, … in the order of the levels of the whole table."""
    plain = [name for name in table.numbers if name not in table.flags]
    levels = [np.unique(table.X[name].to_numpy(dtype=str)) for name in table.categories]
    parts = [
        ("numbers", make_pipeline(SimpleImputer(strategy="median"), StandardScaler()), plain),
        ("flags", SimpleImputer(strategy="most_frequent"), table.flags),
        ("categories", OrdinalEncoder(categories=levels), table.categories),
    ]
    ends = np.cumsum([0, len(plain), len(table.flags), len(table.categories)])
    own = clone(estimator).set_params(
        bernoulli=np.arange(ends[1], ends[2]),
        categorical=np.arange(ends[2], ends[3]),
        min_categories=np.array([len(one) for one in levels]) if levels else None,
    )
    before = ColumnTransformer([part for part in parts if part[2]], verbose_feature_names_out=False)
    return _behind(before, own)


def _as_they_are(table: Table, estimator: Any) -> Pipeline:
    """Numbers untouched; categories as codes where the estimator has `categorical_features`, else a column for each."""
    own = clone(estimator)
    encode: Any = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    if "categorical_features" in own.get_params(deep=False):
        levels = [np.unique(table.X[name].to_numpy(dtype=str)) for name in table.categories]
        encode = OrdinalEncoder(categories=levels)
        first = len(table.numbers)
        own.set_params(categorical_features=list(range(first, first + len(levels))) or None)
    parts = [("numbers", "passthrough", table.numbers), ("categories", encode, table.categories)]
    before = ColumnTransformer([part for part in parts if part[2]], verbose_feature_names_out=False)
    return _behind(before, own)


def scaled(estimator: Any, *, sparse: bool = False) -> Pipeline:
    """The estimator behind a scaling of the columns (of sparse ones without moving their zeros)."""
    return _behind(StandardScaler(with_mean=not sparse), estimator)


def _behind(before: Any, estimator: Any) -> Pipeline:
    last = estimator.steps if isinstance(estimator, Pipeline) else [(type(estimator).__name__.lower(), estimator)]
    return Pipeline([("prepare", before), *[(name, clone(step)) for name, step in last]])


def _take_target(
    frame: Any, target: str, task: Task | None, notes: list[str], where: str
) -> tuple[Any, np.ndarray | None, Task]:
    gone = frame[target].isna().to_numpy()
    if gone.any():
        notes.append(f"{int(gone.sum())} rows without a value of {target!r} are left out")
        frame = frame[~gone]
    if len(frame) == 0:
        raise InvalidData(f"the target {target!r} of {where} is missing in every row")
    if task is None:
        task = task_of(frame[target])
    if task == "classification":
        return frame, labels_of(_labels(frame[target]), len(frame), f"the target {target!r}"), task
    kind, values = _column(target, frame[target], [])
    if kind != "number":
        raise InvalidData(f"the target {target!r} is not numeric: {_first_text(frame[target])}")
    return frame, np.asarray(values, dtype=np.float64), task


def task_of(target: Any) -> Task:
    """Text, booleans and a handful of repeated whole numbers are classes; other numbers are a regression."""
    types = require("pandas", extra="cli", purpose="Reading a table").api.types
    if types.is_bool_dtype(target) or not types.is_numeric_dtype(target):
        return "regression" if _as_numbers(target) is not None else "classification"
    return task_of_numbers(target.dropna().to_numpy(dtype=np.float64))


def _labels(target: Any) -> np.ndarray:
    """Booleans and numbers as they are, everything else as text."""
    types = require("pandas", extra="cli", purpose="Reading a table").api.types
    if types.is_bool_dtype(target):
        return target.to_numpy(dtype=bool)
    return target.to_numpy(dtype=np.float64 if types.is_numeric_dtype(target) else str)


def _column(name: str, values: Any, notes: list[str]) -> tuple[str, Any]:
    """("number" | "category" | "nothing", the values as floats or as strings)."""
    types = require("pandas", extra="cli", purpose="Reading a table").api.types
    if values.isna().all():
        notes.append(f"the column {name!r} is empty and is left out")
        return "nothing", values
    if types.is_datetime64_any_dtype(values) or types.is_timedelta64_dtype(values):
        raise InvalidData(f"column {name!r} holds dates: make numbers of them (year, month, days since …) or drop it")
    if types.is_bool_dtype(values) or types.is_numeric_dtype(values):
        if types.is_complex_dtype(values):
            raise InvalidData(f"column {name!r} holds complex numbers: split it into real and imaginary parts")
        numbers = values.astype("float64")
        bad = np.flatnonzero(np.isinf(numbers.to_numpy()))
        if bad.size:
            raise InvalidData(f"column {name!r} holds an infinite number in row {int(bad[0])}")
        return "number", numbers
    numbers = _as_numbers(values)
    if numbers is not None:
        return _column(name, numbers, notes)
    levels = int(values.nunique())
    if levels > MAX_LEVELS:
        raise InvalidData(
            f"column {name!r} is text with {levels} levels (at most {MAX_LEVELS} are encoded): "
            f"{_first_text(values)}; mend it or drop it"
        )
    text = values.astype("object").where(values.notna(), MISSING).astype(str)
    if int(text.nunique()) == 1:
        notes.append(f"the column {name!r} has one value only and is left out")
        return "nothing", values
    kept = text.nunique() - 1
    notes.append(f"the column {name!r} has {text.nunique()} levels: encoded as {kept} column{'s' if kept > 1 else ''}")
    return "category", text


def _as_numbers(values: Any) -> Any | None:
    """Text that is numbers throughout (and not booleans) as floats, else None."""
    pandas = require("pandas", extra="cli", purpose="Reading a table")
    if pandas.api.types.is_bool_dtype(values):
        return None
    try:
        return pandas.to_numeric(values.astype("object").where(values.notna(), None)).astype("float64")
    except (ValueError, TypeError):
        return None


def _first_text(values: Any) -> str:
    """Where the first value is that is no number."""
    for row, value in enumerate(values):
        try:
            float(value)
        except (TypeError, ValueError):
            return f"row {row} holds {str(value)[:40]!r}"
    return "no row holds text"


def _list(names: Any, most: int = 8) -> str:
    shown = ", ".join(repr(str(name)) for name in list(names)[:most])
    return shown + (f" and {len(names) - most} more" if len(names) > most else "")
