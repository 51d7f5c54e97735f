"""Which value of the data is at fault, in words: the column, the row, and what it holds."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp

from surefit import _native
from surefit._core.data.frames import is_missing
from surefit._core.errors import InvalidData
from surefit._core.threads import threads_for

COMPILED_FROM = 2**16
"""Numbers from which the compiled loop is quicker than NumPy."""

NOT_NUMBERS = {"O": "objects", "U": "text", "S": "bytes", "T": "text", "V": "records", "M": "dates", "m": "durations"}


def refuse_non_finite(
    X: Any, name: str, columns: Any = None, first_row: int = 0, source: str = "", *, missing: bool = False
) -> None:
    """Raise if X holds a NaN or an infinity, and say where. With `missing` only infinities are refused.

    `first_row` is the number of the first row of X in the whole data, `source` names where the rows come from.
    """
    values = X.data if sp.issparse(X) else X
    if _all_finite(values):
        return
    bad = np.isinf(values) if missing else ~np.isfinite(values)
    if not bad.any():
        return
    if sp.issparse(X):
        entry = int(np.flatnonzero(bad)[0])
        row, column = int(np.searchsorted(X.indptr, entry, side="right")) - 1, int(X.indices[entry])
        value = values[entry]
    elif values.ndim == 1:
        row, column = int(np.flatnonzero(bad)[0]), 0
        value = values[row]
    else:
        row, column = (int(i) for i in np.argwhere(bad)[0])
        value = values[row, column]
    kind = "NaN" if np.isnan(value) else "infinity or a value too large for dtype('float64')"
    where = f"column {columns[column]!r}, " if columns is not None else f"column {column}, "
    if columns is None and values.ndim == 1 and not sp.issparse(X):
        where = ""
    count = int(bad.sum())
    raise InvalidData(
        f"Input {name} contains {kind}.\n{count} bad value{'s' if count > 1 else ''}; the first is in "
        f"{where}row {first_row + row}{source}. Impute or drop such rows first."
    )


def squarable(y: np.ndarray) -> np.ndarray:
    """Targets whose squares can be told apart in floating point: what every squared loss needs."""
    refuse_overflow(y)
    largest = float(np.abs(y).max(initial=0.0))
    if 0 < largest < 1e-140:
        raise InvalidData(
            f"y has no number larger than {largest:g} in size: squares of such numbers vanish in floating point. "
            "Multiply y by a power of ten, fit, and divide the predictions by it."
        )
    return y


def refuse_overflow(y: np.ndarray) -> None:
    largest = max(float(y.max(initial=0.0)), -float(y.min(initial=0.0)))
    if largest > 1e140:
        raise InvalidData(
            f"y has numbers up to {largest:g} in size: sums of their squares overflow. Divide y by a power of ten, "
            "fit, and multiply the predictions by it."
        )


def _all_finite(values: np.ndarray) -> bool:
    if values.size >= COMPILED_FROM and values.dtype in (np.float64, np.float32):
        if values.flags.c_contiguous or values.flags.f_contiguous:
            return _native.all_finite(values.ravel(order="K"), threads_for(values.size))
    return bool(np.isfinite(values).all())


def refuse_dates_and_masks(X: Any) -> None:
    """What NumPy would turn into numbers without a word: dates become counts, masked entries what lies under them."""
    if isinstance(X, np.ma.MaskedArray) and np.ma.is_masked(X):
        row = int(np.argwhere(np.ma.getmaskarray(X))[0][0])
        raise InvalidData(f"X has masked entries; the first is in row {row}. Fill them or drop such rows first.")
    if isinstance(X, np.ndarray) and X.dtype.kind in "mM":
        raise InvalidData(
            f"X holds {NOT_NUMBERS[X.dtype.kind]} ({X.dtype}), not numbers. Turn them into numbers first."
        )
    for name, kind in column_kinds(X):
        if kind.startswith(("date", "time", "duration")):
            raise InvalidData(f"Column {name!r} holds dates or times ({kind}). Turn them into numbers or leave it out.")


def column_kinds(X: Any) -> list[tuple[Any, str]]:
    """The columns of a dataframe and the types of their values, in the words of pandas, polars or pyarrow."""
    if not hasattr(X, "columns"):
        return []
    if hasattr(X, "column_names"):
        return [(name, str(kind).lower()) for name, kind in zip(X.column_names, X.schema.types, strict=True)]
    return [(name, str(kind).lower()) for name, kind in zip(X.columns, getattr(X, "dtypes", ()), strict=False)]


def culprit(X: Any, advice: str = "Encode it or leave it out.") -> str | None:
    """The first column that cannot be read as numbers, and what to do; None if X has none, or no columns."""
    for name, values in _columns(X):
        if values.dtype.kind == "c":
            return f"Column {name!r} is complex. Pass its real and imaginary parts as two columns."
        if values.dtype.kind in NOT_NUMBERS:
            for row, value in enumerate(values):
                if not _is_number(value):
                    shown = value.item() if isinstance(value, np.generic) else value
                    return f"Column {name!r} is not numeric: row {row} holds {shown!r}. {advice}"
    return None


def refuse_column_name(values: Any, name: str) -> None:
    """A single text in the place of targets or weights: the name of a column, which rows in memory do not have."""
    if isinstance(values, str):
        raise InvalidData(
            f"{name} is the name of a column ({values!r}), which goes with a Parquet path or a Dask dataframe; "
            "with X in memory pass the column itself"
        )


def labels_fault(y: Any) -> str | None:
    """What keeps labels from being sorted into classes: a missing one, or two kinds without a common order."""
    labels = np.asarray(y, dtype=object)
    rows = labels.reshape(len(labels), -1) if labels.ndim else labels.reshape(1, 1)
    missing = [row for row, values in enumerate(rows) if any(is_missing(value) for value in values)]
    if missing:
        count = f"{len(missing)} rows have" if len(missing) > 1 else "1 row has"
        return (
            f"Input y contains NaN or None: {count} no label; the first is row {missing[0]}. Drop such rows, or give "
            "them a label of their own."
        )
    kinds: dict[str, tuple[int, Any]] = {}
    for row, values in enumerate(rows):
        for value in values:
            kinds.setdefault("text" if isinstance(value, str) else type(value).__name__, (row, value))
    if len(kinds) < 2:
        return None
    (first, second), *_ = zip(kinds.values(), list(kinds.values())[1:], strict=False)
    return (
        f"The labels in y are of several kinds ({', '.join(kinds)}), which have no common order: row {first[0]} holds "
        f"{first[1]!r}, row {second[0]} holds {second[1]!r}. Make them one kind, for example all text."
    )


def numbers_fault(values: Any, name: str) -> str | None:
    """The first target or weight that is not a number; None if all are, be they complex."""
    for row, value in enumerate(np.asarray(values, dtype=object)):
        if np.ndim(value) == 0 and not isinstance(value, (complex, np.complexfloating)) and not _is_number(value):
            shown = value.item() if isinstance(value, np.generic) else value
            advice = " For labels take a classifier." if name == "y" else ""
            kind = "string" if isinstance(shown, str) else type(shown).__name__
            return f"{name}: could not convert {kind} to float: row {row} holds {shown!r}.{advice}"
    return None


def no_columns(X: Any) -> bool:
    return hasattr(X, "columns") and len(getattr(X, "shape", ())) == 2 and X.shape[1] == 0


def ragged(X: Any) -> str | None:
    """Which row of a list of lists has another length than the first."""
    if not isinstance(X, (list, tuple)):
        return None
    lengths = [len(row) if hasattr(row, "__len__") and not isinstance(row, str) else None for row in X]
    for row, length in enumerate(lengths):
        if length != lengths[0]:
            sizes = ["one value" if n in (None, 1) else f"{n} values" for n in (lengths[0], length)]
            return f"Rows must have the same length: row 0 has {sizes[0]}, row {row} has {sizes[1]}."
    return None


def _is_number(value: Any) -> bool:
    try:
        float(value)
    except (TypeError, ValueError):
        return False
    except OverflowError:  # a whole number beyond floating point
        return True
    return not isinstance(value, (np.datetime64, np.timedelta64))


def _columns(X: Any) -> Iterator[tuple[Any, np.ndarray]]:
    """The columns of a dataframe by name, of an array or list by number; nothing for other things."""
    names = getattr(X, "columns", None)
    if names is not None and hasattr(X, "__getitem__") and not callable(names):
        for position, name in enumerate(getattr(X, "column_names", names)):
            column = X[name] if not hasattr(X, "iloc") else X.iloc[:, position]
            yield name, np.asarray(column)
        return
    if sp.issparse(X) or names is not None:
        return
    if not isinstance(X, (np.ndarray, list, tuple)) or ragged(X) is not None:
        return
    rows = X if isinstance(X, np.ndarray) else np.array(X, dtype=object)
    if rows.ndim == 2:
        for position in range(rows.shape[1]):
            yield position, rows[:, position]
