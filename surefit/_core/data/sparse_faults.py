"""Is a sparse matrix what it says? SciPy's conversions trust it, and read or write outside of it where it is not."""

from __future__ import annotations

from typing import Any

import numpy as np

from surefit._core.errors import InvalidData


def refuse_malformed(X: Any) -> None:
    """Raise for a sparse matrix of any format whose parts do not fit together."""
    look = _LOOK.get(str(getattr(X, "format", "")))
    try:
        fault = None if look is None else look(X)
    except (TypeError, ValueError, AttributeError, IndexError) as error:
        fault = str(error)
    if fault is not None:
        raise InvalidData(f"X is not a well-formed sparse matrix: {fault}")


def _outside(numbers: Any, size: int, what: str) -> str | None:
    """Whole numbers must lie in [0, size)."""
    numbers = np.asarray(numbers)
    if numbers.size and numbers.dtype.kind not in "iu":
        return f"{what} numbers are {numbers.dtype}, not integers"
    if numbers.size and (numbers.min() < 0 or numbers.max() >= size):
        return f"{what} number {numbers.min() if numbers.min() < 0 else numbers.max()} of a matrix with {size}"
    return None


def _compressed(X: Any) -> str | None:
    """CSR, CSC and BSR."""
    if X.format == "bsr":
        block = X.data.shape[1:]
        if X.data.ndim != 3 or 0 in block or X.shape[0] % block[0] or X.shape[1] % block[1]:
            return f"blocks of shape {block} in a matrix of shape {X.shape}"
    else:
        block = (1, 1)
    if X.data.shape[0] != X.indices.shape[0]:
        return f"{X.data.shape[0]} values and {X.indices.shape[0]} indices"
    by_columns = X.format == "csc"
    lines, width = X.shape[int(by_columns)] // block[0], X.shape[int(not by_columns)] // block[1]
    if X.indptr.shape != (lines + 1,) or X.indptr[0] != 0 or X.indptr[-1] > X.indices.shape[0]:
        return f"indptr of shape {X.indptr.shape} that must go from 0 to {X.indices.shape[0]} in {lines} steps"
    if (np.diff(X.indptr) < 0).any():
        return "indptr falls"
    return _outside(X.indices, width, "row" if by_columns else "column")


def _coordinates(X: Any) -> str | None:
    """COO: one row and one column number for every value."""
    if len(X.shape) != 2:
        return None  # the number of dimensions is told by the general check
    if X.row.shape != X.data.shape or X.col.shape != X.data.shape or X.data.ndim != 1:
        return f"{X.data.size} values, {X.row.size} row numbers and {X.col.size} column numbers"
    return _outside(X.row, X.shape[0], "row") or _outside(X.col, X.shape[1], "column")


def _diagonals(X: Any) -> str | None:
    """DIA: one line of values for every offset, and the offsets differ."""
    if X.data.ndim != 2 or X.offsets.ndim != 1 or X.data.shape[0] != X.offsets.shape[0]:
        return f"{X.data.shape[0]} diagonals and {X.offsets.size} offsets"
    if len(np.unique(X.offsets)) < len(X.offsets):
        return "an offset stands there twice"
    largest = int(np.abs(X.offsets.astype(np.int64)).max(initial=0))
    return f"offset {largest} in a matrix of shape {X.shape}" if largest >= max(1, *X.shape) else None


def _lists(X: Any) -> str | None:
    """LIL: a list of column numbers and one of values for every row."""
    if len(X.rows) != X.shape[0] or len(X.data) != X.shape[0]:
        return f"{len(X.rows)} lists for {X.shape[0]} rows"
    if any(len(columns) != len(values) for columns, values in zip(X.rows, X.data, strict=True)):
        return "a row has more column numbers than values, or fewer"
    return _outside(np.array([c for columns in X.rows for c in columns]), X.shape[1], "column")


_LOOK = {
    "csr": _compressed,
    "csc": _compressed,
    "bsr": _compressed,
    "coo": _coordinates,
    "dia": _diagonals,
    "lil": _lists,
}
