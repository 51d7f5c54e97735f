"""What a column of a table is: numbers, text with levels, dates, a name of the row, or nothing to learn from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from surefit._core.errors import InvalidData
from surefit._core.optional import require
from surefit.model_selection.describe.identifiers import is_identifier
from surefit.model_selection.prepare.dates import as_dates
from surefit.model_selection.prepare.levels import MISSING

Kind = Literal["number", "category", "date", "identifier", "empty", "constant"]
MOSTLY = 0.9
"""A column with at least so many numbers among its values is meant to be numbers: what is none is named."""
WHOLE = 2.0**53
"""Whole numbers beyond it are not exact as floats."""
NESTED = (list, tuple, dict, set, np.ndarray)


@dataclass(frozen=True)
class Column:
    """`values` as floats (number), as text (category), as dates, or as they came."""

    name: str
    kind: Kind
    values: Any


def read_column(name: str, values: Any) -> Column:
    """Decide the kind of a pandas column, refusing what no model can take."""
    types = require("pandas", extra="cli", purpose="Reading a table").api.types
    if values.isna().all():
        return Column(name, "empty", values)
    if types.is_timedelta64_dtype(values):
        return Column(name, "number", values.dt.total_seconds().astype("float64"))
    if types.is_bool_dtype(values) or types.is_numeric_dtype(values):
        return _numbers(name, values)
    _refuse_nested(name, values)
    numbers = as_numbers(values)
    if numbers is not None:
        return _numbers(name, numbers)
    dates = as_dates(values)
    if dates is not None:
        return Column(name, "date", dates)
    _refuse_stray_text(name, values)
    if is_identifier(name, values.to_numpy(dtype=object)):
        return Column(name, "identifier", values)
    text = as_text(values)
    return Column(name, "constant" if text.nunique() == 1 else "category", text)


def as_text(values: Any) -> Any:
    """Levels as text, missing values as "(missing)"; pandas' categories, so that rows are picked quickly."""
    return values.astype("object").where(values.notna(), MISSING).astype(str).astype("category")


def as_numbers(values: Any) -> Any | None:
    """Text that is numbers throughout (and not booleans) as floats, else None."""
    pandas = require("pandas", extra="cli", purpose="Reading a table")
    if pandas.api.types.is_bool_dtype(values):
        return None
    try:
        return pandas.to_numeric(values.astype("object").where(values.notna(), None)).astype("float64")
    except (ValueError, TypeError, OverflowError):
        return None


def first_text(values: Any) -> str:
    """Where the first value is that is no number."""
    for row, value in enumerate(values):
        try:
            float(value)
        except (TypeError, ValueError, OverflowError):
            return f"row {row} holds {str(value)[:40]!r}"
    return "no row holds text"


def _numbers(name: str, values: Any) -> Column:
    types = require("pandas", extra="cli", purpose="Reading a table").api.types
    if types.is_complex_dtype(values):
        raise InvalidData(f"column {name!r} holds complex numbers: split it into real and imaginary parts")
    numbers = values.astype("float64")
    array = numbers.to_numpy()
    bad = np.flatnonzero(np.isinf(array))
    if bad.size:
        raise InvalidData(f"column {name!r} holds an infinite number in row {int(bad[0])}")
    if not types.is_bool_dtype(values) and _names_rows(name, values, array):
        return Column(name, "identifier", values)
    return Column(name, "number", numbers)


def _names_rows(name: str, values: Any, array: np.ndarray) -> bool:
    """Running numbers and the like; whole numbers too large to be measured that are different in every row."""
    if is_identifier(name, array):
        return True
    huge = np.abs(array[np.isfinite(array)]).min(initial=np.inf) >= WHOLE
    return bool(huge and (array % 1 == 0).all() and values.nunique() == len(values))


def _refuse_nested(name: str, values: Any) -> None:
    if str(values.dtype) in ("str", "string", "category"):
        return
    for row, value in enumerate(values):
        if isinstance(value, NESTED):
            what = {"dict": "records", "ndarray": "lists"}.get(type(value).__name__, f"{type(value).__name__}s")
            raise InvalidData(
                f"column {name!r} holds {what} (row {row}: {str(value)[:40]}): make columns of its parts or drop it"
            )
        if isinstance(value, (bytes, bytearray)):
            raise InvalidData(f"column {name!r} holds bytes (row {row}): make text of them or drop it")


def _refuse_stray_text(name: str, values: Any) -> None:
    """A word among numbers is a mistake in the file, not a level."""
    pandas = require("pandas", extra="cli", purpose="Reading a table")
    known = values.dropna()
    numeric = pandas.to_numeric(known.astype(str), errors="coerce").notna()
    if MOSTLY * len(known) <= numeric.sum() < len(known) and known[numeric].nunique() > 2:
        some = first_text(values.where(values.notna(), 0))
        raise InvalidData(
            f"column {name!r} is numbers but for {int(len(known) - numeric.sum())} of {len(known)} values: {some}; "
            "mend it or drop it"
        )
