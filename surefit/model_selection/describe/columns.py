"""Rows and columns of whatever container holds the data: picking rows, counting them, describing columns."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from surefit._core.errors import InvalidData


def n_rows_of(X: Any) -> int:
    shape = getattr(X, "shape", None) or np.shape(X)
    if len(shape) != 2:
        raise InvalidData(f"X must have rows and columns; got shape {tuple(shape)}")
    return int(shape[0])


def take(X: Any, rows: np.ndarray) -> Any:
    """The given rows, in the same kind of container."""
    if hasattr(X, "iloc"):
        return X.iloc[rows]
    if hasattr(X, "take") and hasattr(X, "column_names"):  # a pyarrow table
        return X.take(rows)
    if isinstance(X, (np.ndarray, sp.csr_matrix, sp.csr_array)) or hasattr(X, "columns"):
        return X[rows]
    return X.tocsr()[rows] if sp.issparse(X) else np.asarray(X)[rows]


def describe_columns(X: Any) -> list[dict[str, Any]]:
    """For each column: name, kind, missing values, and smallest, mean and largest (or the levels of a category)."""
    if sp.issparse(X):
        low, high = (np.ravel(side.toarray()) for side in (X.min(axis=0), X.max(axis=0)))
        numbers = zip(low.tolist(), np.ravel(X.mean(axis=0)).tolist(), high.tolist(), strict=True)
        return [
            {"name": f"column {j}", "kind": "sparse number", "missing": 0, "low": a, "mean": m, "high": b}
            for j, (a, m, b) in enumerate(numbers)
        ]
    names = getattr(X, "column_names", None)
    if names is None and hasattr(X, "columns"):
        names = list(X.columns)
    if names is None:
        array = np.asarray(X)
        return [_describe(f"column {j}", array[:, j]) for j in range(array.shape[1])]
    return [_describe(str(name), np.asarray(X[name])) for name in names]


def _describe(name: str, values: np.ndarray) -> dict[str, Any]:
    if values.dtype.kind not in "fiub":
        try:
            values = values.astype(np.float64)
        except (TypeError, ValueError):
            levels, counts = np.unique(values.astype(str), return_counts=True)
            common = levels[np.argsort(-counts, kind="stable")][:3]
            return {"name": name, "kind": "category", "missing": 0, "levels": len(levels), "common": common.tolist()}
    values = values.astype(np.float64)
    known = values[np.isfinite(values)]
    one: dict[str, Any] = {"name": name, "kind": "number", "missing": int(values.size - known.size)}
    if known.size:
        one |= {"low": float(known.min()), "mean": float(known.mean()), "high": float(known.max())}
    return one


def columns_of(X: Any) -> list[tuple[str, np.ndarray]]:
    """(name, values) of every column of a dense container; the columns of an array are named by their number."""
    names = getattr(X, "column_names", None)
    if names is None and hasattr(X, "columns"):
        names = list(X.columns)
    if names is None:
        array = np.asarray(X)
        return [(f"column {j}", array[:, j]) for j in range(array.shape[1])]
    return [(str(name), np.asarray(X.iloc[:, j] if hasattr(X, "iloc") else X[name])) for j, name in enumerate(names)]
