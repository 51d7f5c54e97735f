"""Dates as numbers: year, month, day of the week, and days since 1970 (with the time of the day as their fraction).

Nothing is learnt, so new rows are read in the same way.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from surefit._core.optional import require

ISO = re.compile(r"^\s*\d{4}-\d{2}-\d{2}([ T]\d{2}:\d{2}.*)?\s*$")
PARTS = ("year", "month", "weekday", "days")


def as_dates(values: Any) -> Any | None:
    """A column of dates, or of text that is ISO dates throughout ("2024-02-29", "2024-02-29 13:45"); else None."""
    pandas = require("pandas", extra="cli", purpose="Reading a table")
    types = pandas.api.types
    if types.is_datetime64_any_dtype(values):
        return values
    if types.is_numeric_dtype(values) or types.is_bool_dtype(values) or types.is_timedelta64_dtype(values):
        return None
    known = values.dropna()
    first = known.iloc[0]
    if hasattr(first, "year") and hasattr(first, "month"):  # Python's dates
        return _parsed(pandas, values, known)
    if not all(isinstance(value, str) and ISO.match(value) for value in known.iloc[:100]):
        return None
    return _parsed(pandas, values, known)


def date_numbers(name: str, dates: Any) -> dict[str, np.ndarray]:
    """The columns that stand for a date; NaN where it is missing."""
    pandas = require("pandas", extra="cli", purpose="Reading a table")
    if getattr(dates.dt, "tz", None) is not None:
        dates = dates.dt.tz_convert("UTC").dt.tz_localize(None)
    days = (dates - pandas.Timestamp("1970-01-01")) / pandas.Timedelta(days=1)
    parts = (dates.dt.year, dates.dt.month, dates.dt.day_of_week, days)
    return {f"{name} {part}": values.to_numpy(dtype=np.float64) for part, values in zip(PARTS, parts, strict=True)}


def _parsed(pandas: Any, values: Any, known: Any) -> Any | None:
    try:
        return pandas.to_datetime(values, format="ISO8601", utc=bool(getattr(known.iloc[0], "tzinfo", None)))
    except (ValueError, TypeError, OverflowError):
        return None
