"""Rows as 64-bit numbers: equal rows have equal numbers, and different rows different ones but for a chance of 2⁻⁶⁰."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import scipy.sparse as sp

from surefit.model_selection.describe.columns import columns_of

PRIME = np.uint64(0x9E3779B97F4A7C15)


def row_hashes(X: Any) -> np.ndarray:
    """A number for each row of a frame, an array or a sparse matrix. Missing values equal each other."""
    if sp.issparse(X):
        return _sparse_hashes(X.tocsr())
    return hashes_of(values for _, values in columns_of(X))


def hashes_of(columns: Iterable[np.ndarray]) -> np.ndarray:
    total: Any = np.uint64(0)
    for values in columns:
        total = _mixed(total * PRIME + _mixed(value_codes(values)))
    return np.atleast_1d(total)


def value_codes(values: np.ndarray) -> np.ndarray:
    """A 64-bit number for each value: the bits of numbers (0 and −0 alike, NaN one value), a code of all else."""
    values = np.asarray(values)
    if values.dtype.kind in "iub":
        return values.astype(np.uint64)
    if values.dtype.kind == "f":
        numbers = values.astype(np.float64) + 0.0
        return np.where(np.isnan(numbers), np.nan, numbers).view(np.uint64)
    if values.dtype.kind in "mM":
        return values.view(np.uint64)
    seen: dict[Any, int] = {}
    return np.array([seen.setdefault(_key(value), len(seen)) for value in values.tolist()], dtype=np.uint64)


def _key(value: Any) -> Any:
    if value is None or value != value:
        return None
    return value if isinstance(value, (str, int, float, bool)) else repr(value)


def _mixed(x: Any) -> Any:
    """splitmix64's finalizer: every bit of the input changes half of the output."""
    with np.errstate(over="ignore"):
        x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return x ^ (x >> np.uint64(31))


def _sparse_hashes(X: Any) -> np.ndarray:
    """The sum over the stored values that are not zero of a number made of column and value."""
    X = X.copy()
    X.sum_duplicates()
    X.eliminate_zeros()
    cells = _mixed(_mixed(X.indices.astype(np.uint64) + PRIME) + value_codes(X.data))
    ends = np.concatenate([[np.uint64(0)], np.cumsum(cells, dtype=np.uint64)])
    return ends[X.indptr[1:]] - ends[X.indptr[:-1]]
