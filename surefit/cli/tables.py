"""The rows a model is fitted on, certified on or asked about: in memory, or streamed from Parquet."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from surefit._core.errors import InvalidData, InvalidParameter
from surefit.cli.sources import Source
from surefit.engine.sources.scan import scan
from surefit.model_selection import Table, prepare_table
from surefit.model_selection.describe.leaks import find_leaks
from surefit.model_selection.prepare.kinds import first_text
from surefit.model_selection.prepare.table_notes import counted
from surefit.model_selection.prepare.table_target import take_target
from surefit.model_selection.prepare.target import classes_of

Task = Literal["regression", "classification"] | None


@dataclass(frozen=True)
class Rows:
    """X and y in a form `fit` takes, and in words which way they were read."""

    X: Any
    y: Any
    how: str
    notes: list[str] = field(default_factory=list)
    leaks: list[str] = field(default_factory=list)
    table: Table | None = None
    """Where columns have to be prepared; X is that of the table."""


def rows_to_fit(source: Source, target: str | None, drop: Sequence[str], task: Task, prepare: bool | None) -> Rows:
    """The rows of a table. `prepare`: None where text, dates or gaps ask for it; False for numbers as they are."""
    streamed = _streamed_to_fit(source, target, drop, task, prepare)
    if streamed is not None:
        return streamed
    notes: list[str] = []
    frame = source.read(notes)
    source.refuse_absent([*([target] if target else []), *drop], frame.columns)
    frame = frame.drop(columns=list(drop))
    how = f"Read {source.path} into memory: {len(frame)} rows."
    frame, y = _with_target(frame, source, target, task, notes)
    features = frame.drop(columns=[target]) if target else frame
    if features.shape[1] == 0:
        raise InvalidData(f"{source.path} has no column to learn from")
    leaks = find_leaks(features, y, [])
    if prepare is False or (prepare is None and _complete_numbers(features)):
        return Rows(_numeric(features, source), y, how, notes, leaks)
    table = prepare_table(features, where=source.path)
    leaks = [line for line in leaks if not line.endswith("leave them out")]  # identifiers: they are left out
    return Rows(table.X, y, how, [*notes, *table.notes], leaks, table)


def _streamed_to_fit(
    source: Source, target: str | None, drop: Sequence[str], task: Task, prepare: bool | None
) -> Rows | None:
    """The rows block by block; None where they are read into memory: several files too, where columns need it."""
    reason = source.streaming_reason()
    if reason is None:
        return None
    from surefit.engine.sources.parquet import parquet_columns

    n_rows, there = parquet_columns(source.path)
    source.refuse_absent([*([target] if target else []), *drop], there)
    features = [name for name in there if name not in drop and name != target]
    text = source.not_numeric(features)
    if source.several and not source.stream and (text or prepare):
        return None
    if prepare:
        raise InvalidParameter("--prepare reads the table whole, and it is to be streamed: leave out --prepare")
    if text:
        raise InvalidData(f"{text}: only numbers can be streamed; leave it out with --drop")
    _refuse_measured_classes(source, target, features, task)
    return _streamed(source, target, features, n_rows, reason)


def rows_for(model: Any, source: Source, target: str | None = None, task: Task = None) -> Rows:
    """The columns a fitted model asks for, in its order; others are left aside."""
    names, steps = fitted_names(model), hasattr(model, "steps")
    reason = None if steps and not source.stream else source.streaming_reason()
    if reason is not None and not steps:
        from surefit.engine.sources.parquet import parquet_columns

        n_rows, there = parquet_columns(source.path)
        source.refuse_absent([*([target] if target else []), *(names or ())], there)
        return _streamed(source, target, names or [name for name in there if name != target], n_rows, reason)
    notes: list[str] = []
    frame = source.read(notes)
    how = f"Read {source.path} into memory: {len(frame)} rows."
    source.refuse_absent([*([target] if target else []), *(names or ())], frame.columns)
    frame, y = _with_target(frame, source, target, task, notes)
    features = frame[names] if names is not None else frame.drop(columns=[target] if target else [])
    if names is None and features.shape[1] != model.n_features_in_:
        raise InvalidData(
            f"{source.path} has {features.shape[1]} feature columns; the model knows {model.n_features_in_}"
        )
    if not steps:
        features = _numeric(features, source)
    return Rows(features if names is not None else features.to_numpy(), y, how, notes)


def _with_target(frame: Any, source: Source, target: str | None, task: Task, notes: list[str]) -> tuple[Any, Any]:
    """(rows that have a target, their targets); without a task the target is a column to leave aside."""
    if target is None or task is None:
        return frame, None
    n = len(frame)
    frame, y, _ = take_target(frame, target, task, source.path, classes_of)
    if len(frame) < n:
        notes.append(f"{counted(n - len(frame), 'row')} without a value of {target!r} left out")
    return frame, y


def _streamed(source: Source, target: str | None, features: list[str], n_rows: int, reason: str) -> Rows:
    if not features:
        raise InvalidData(f"{source.path} has no column to learn from")
    how = f"Streamed {source.path}: {n_rows} rows, block by block ({reason})."
    return Rows(scan(source.path, columns=features), target, how)


def _refuse_measured_classes(source: Source, target: str | None, features: list[str], task: Task) -> None:
    """A classifier is not fitted to the measurements of a streamed column."""
    if task != "classification" or target is None:
        return
    from surefit.engine.sources.parquet import parquet_labels

    _, classes, codes = parquet_labels(scan(source.path, columns=features), target, None, None)
    if classes.dtype.kind in "fiu":
        classes_of(classes[codes], codes.size, f"the target {target!r}")


def _complete_numbers(features: Any) -> bool:
    return all(str(kind) in ("bool", "boolean") or _is_number(kind) for kind in features.dtypes) and not (
        features.isna().to_numpy().any()
    )


def _is_number(kind: Any) -> bool:
    return getattr(kind, "kind", "O") in "iuf"


def _numeric(features: Any, source: Source) -> Any:
    return type(features)({name: _numbers(features[name], name, source.path) for name in features.columns})


def _numbers(values: Any, name: str, data: str) -> np.ndarray:
    """A column as floats, all of them known and finite."""
    import pandas as pd

    if pd.api.types.is_datetime64_any_dtype(values):
        raise InvalidData(f"column {name!r} of {data} holds dates; make numbers of them or leave it out")
    gone = np.flatnonzero(values.isna().to_numpy())
    if gone.size:
        raise InvalidData(
            f"column {name!r} of {data} has {counted(gone.size, 'missing value')}, the first in row {int(gone[0])}: "
            "fill or drop such rows first"
        )
    try:
        numbers = values.to_numpy(dtype=np.float64)
    except (ValueError, TypeError) as error:
        raise InvalidData(
            f"column {name!r} of {data} is not numeric: {first_text(values)}; encode it or leave it out"
        ) from error
    bad = np.flatnonzero(~np.isfinite(numbers))
    if bad.size:
        raise InvalidData(f"column {name!r} of {data} is not finite in row {int(bad[0])}")
    return numbers.astype(np.float32) if str(values.dtype) == "float32" else numbers


def fitted_names(model: Any) -> list[str] | None:
    names = getattr(model, "feature_names_in_", None)
    return None if names is None else [str(name) for name in names]
