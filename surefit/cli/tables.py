"""The rows a model is fitted on, certified on or asked about: in memory, or streamed from Parquet."""

from __future__ import annotations

import glob
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from surefit._core.errors import InvalidData
from surefit._core.memory import available_bytes, human_bytes
from surefit.engine.paths import ENDINGS
from surefit.engine.scan import scan
from surefit.io import read_table

COPIES = 3.0
"""A table in memory is read, turned into a matrix, and worked on."""


@dataclass(frozen=True)
class Rows:
    """X and y in a form `fit` takes, and in words which way they were read."""

    X: Any
    y: Any
    how: str


def open_rows(
    data: str,
    target: str | None,
    *,
    drop: Sequence[str] = (),
    stream: bool = False,
    model: Any = None,
    classes: bool = False,
) -> Rows:
    """The rows of a table; of a fitted `model` only the columns that it knows. `classes`: the target may be text."""
    names = None if model is None else _fitted_names(model)
    reason = _streaming_reason(data, stream, pipeline=hasattr(model, "steps"))
    if reason is not None:
        return _streamed(data, target, drop, names, reason)
    frame = read_table(data)
    frame.columns = [str(name) for name in frame.columns]
    for name in (*drop, *([target] if target else [])):
        _refuse_missing([name], frame, data)
    if target is not None:
        y: Any = (_classes if classes else _numbers)(frame[target], target, data)
    else:
        y = None
    features = frame.drop(columns=[*drop, *([target] if target else [])])
    return Rows(_matrix(features, names, model, data), y, f"Read {data} into memory: {len(frame)} rows.")


def features_for(model: Any, data: str, *, stream: bool = False) -> Rows:
    """The columns a fitted model asks for; others are left aside."""
    return open_rows(data, None, stream=stream, model=model)


def _streaming_reason(data: str, asked: bool, pipeline: bool) -> str | None:
    """Why a table is streamed; None when it is read into memory."""
    folder = Path(data).is_dir() or glob.has_magic(data)
    if not folder and Path(data).suffix.lower() not in ENDINGS:
        if asked:
            raise InvalidData(f"only Parquet can be streamed; {data} is read whole: leave out --stream")
        return None
    if pipeline:
        return None
    if folder:
        return "several files"
    if asked:
        return "as asked"
    if not Path(data).is_file() or Path(data).stat().st_size == 0:
        return None
    from surefit.engine.parquet import parquet_columns

    n_rows, names = parquet_columns(data)
    need, free = COPIES * 8.0 * n_rows * len(names), available_bytes()
    if need > free:
        return f"in memory it would take {human_bytes(need)}, and {human_bytes(free)} are free"
    return None


def _streamed(data: str, target: str | None, drop: Sequence[str], names: list[str] | None, reason: str) -> Rows:
    from surefit.engine.parquet import parquet_columns

    n_rows, there = parquet_columns(data)
    for name in (*drop, *([target] if target else []), *(names or ())):
        _refuse_missing([name], there, data)
    features = names if names is not None else [name for name in there if name not in drop and name != target]
    if not features:
        raise InvalidData(f"{data} has no column to learn from")
    return Rows(scan(data, columns=features), target, f"Streamed {data}: {n_rows} rows, block by block ({reason}).")


def _matrix(features: Any, names: list[str] | None, model: Any, data: str) -> Any:
    """The features as numbers, in the columns and the order of the model; a pipeline encodes its columns itself."""
    if names is not None:
        _refuse_missing(names, features.columns, data)
        features = features[names]
    elif model is not None and features.shape[1] != model.n_features_in_:
        raise InvalidData(f"{data} has {features.shape[1]} feature columns; the model knows {model.n_features_in_}")
    if features.shape[1] == 0:
        raise InvalidData(f"{data} has no column to learn from")
    if hasattr(model, "steps"):
        return features
    numeric = features.assign(**{name: _numbers(features[name], name, data) for name in features.columns})
    return numeric if names is not None or model is None else numeric.to_numpy()


def _classes(values: Any, name: str, data: str) -> np.ndarray:
    """A column of labels, all of them known."""
    _refuse_gaps(values, name, data)
    return values.to_numpy() if values.dtype.kind in "iufb" else values.astype(str).to_numpy(dtype=object)


def _numbers(values: Any, name: str, data: str) -> np.ndarray:
    """A column as floats, all of them known and finite."""
    import pandas as pd

    if pd.api.types.is_datetime64_any_dtype(values):
        raise InvalidData(f"column {name!r} of {data} holds dates; make numbers of them or leave it out with --drop")
    _refuse_gaps(values, name, data)
    try:
        numbers = values.to_numpy(dtype=np.float64)
    except (ValueError, TypeError) as error:
        raise InvalidData(
            f"column {name!r} of {data} is not numeric: {_first_text(values)}; encode it or leave it out with --drop"
        ) from error
    bad = np.flatnonzero(~np.isfinite(numbers))
    if bad.size:
        raise InvalidData(f"column {name!r} of {data} is not finite in row {int(bad[0])}")
    keep = str(values.dtype) == "float32"
    return numbers.astype(np.float32) if keep else numbers


def _refuse_gaps(values: Any, name: str, data: str) -> None:
    gone = np.flatnonzero(values.isna().to_numpy())
    if gone.size:
        raise InvalidData(
            f"column {name!r} of {data} has {gone.size} missing value{'s' if gone.size > 1 else ''}, the first in row "
            f"{int(gone[0])}: fill or drop such rows first"
        )


def _first_text(values: Any) -> str:
    for row, value in enumerate(values):
        try:
            float(value)
        except (TypeError, ValueError):
            return f"row {row} holds {str(value)[:40]!r}"
    return f"its type is {values.dtype}"


def _fitted_names(model: Any) -> list[str] | None:
    names = getattr(model, "feature_names_in_", None)
    return None if names is None else [str(name) for name in names]


def _refuse_missing(wanted: Sequence[str], there: Any, data: str) -> None:
    missing = [name for name in wanted if name not in list(there)]
    if missing:
        some = [str(name) for name in there]
        has = ", ".join(repr(name) for name in some[:8]) + (" …" if len(some) > 8 else "")
        noun = "column" if len(missing) == 1 else "columns"
        raise InvalidData(f"{data} has no {noun} {', '.join(map(repr, missing[:5]))}; it has {has}")
