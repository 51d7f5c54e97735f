"""The columns of a dataframe, pandas', polars' or pyarrow's alike, and which of their values are missing."""

from __future__ import annotations

from typing import Any

import numpy as np

CATEGORY_WORDS = ("category", "categorical", "enum", "dictionary")
"""How the types of columns that hold categories begin, in the words of pandas, polars and pyarrow."""


def frame_names(X: Any) -> list[Any] | None:
    """The names of the columns; None where X is no dataframe."""
    if hasattr(X, "column_names"):
        return list(X.column_names)
    return list(X.columns) if hasattr(X, "columns") and hasattr(X, "shape") else None


def frame_column(X: Any, j: int) -> np.ndarray:
    """The values of one column of a dataframe or an array: numbers as they are, categories as what they stand for."""
    if hasattr(X, "column_names"):
        column = X.column(j)
        return np.asarray(column.to_pylist(), dtype=object if "dictionary" in str(column.type) else None)
    if hasattr(X, "iloc"):
        return np.asarray(X.iloc[:, j])
    return np.asarray(X[:, j])


def missing(values: np.ndarray) -> np.ndarray:
    """True for None, NaN and the missing values of pandas, which are neither true nor false."""
    if values.dtype.kind == "f":
        return np.isnan(values)
    return np.array([is_missing(value) for value in values], dtype=bool)


def is_missing(value: Any) -> bool:
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, (float, np.floating)) and bool(np.isnan(value))
