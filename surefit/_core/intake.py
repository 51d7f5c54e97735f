"""Data intake: NumPy, pandas, polars, pyarrow and SciPy containers become plain arrays; bad ones get a clear error.

What comes out is a float32 or float64 ndarray (any memory order), or a CSR matrix with sorted indices and no
duplicates. float32 stays float32; everything else becomes float64.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import check_array, validate_data

from surefit._core.errors import InvalidData

FLOATS = (np.float64, np.float32)


def take_rows(estimator: Any, X: Any, *, reset: bool, sparse: bool = True, min_rows: int = 1) -> Any:
    """X as an ndarray or CSR, checked against (or, with `reset`, setting) the estimator's feature count and names."""
    if type(X) is np.ndarray and X.ndim == 2 and X.dtype in FLOATS and X.shape[0] >= min_rows and X.shape[1] > 0:
        plain = reset or (
            not hasattr(estimator, "feature_names_in_") and getattr(estimator, "n_features_in_", -1) == X.shape[1]
        )
        if plain:  # the common case, without the general machinery: iris must not wait
            if reset:
                estimator.n_features_in_ = X.shape[1]
                estimator.__dict__.pop("feature_names_in_", None)
            _refuse_non_finite(X, "X", None)
            return X
    rows = _general(estimator, X, reset=reset, sparse=sparse, min_rows=min_rows)
    if sp.issparse(rows):
        rows = _canonical_csr(rows, X)
    _refuse_non_finite(rows, "X", getattr(estimator, "feature_names_in_", None))
    return rows


def _general(estimator: Any, X: Any, *, reset: bool, sparse: bool, min_rows: int) -> Any:
    try:
        return validate_data(
            estimator,
            X,
            reset=reset,
            accept_sparse="csr" if sparse else False,
            dtype=FLOATS,
            ensure_all_finite=False,
            ensure_min_samples=min_rows,
        )
    except (ValueError, TypeError) as error:
        culprit = _text_column(X)
        if culprit is None:
            raise
        raise InvalidData(f"{error}. {culprit}") from error


def _text_column(X: Any) -> str | None:
    """Which column of a dataframe is not numeric, in words; None if X is no dataframe or all are."""
    columns = getattr(X, "columns", None)
    if columns is None or not hasattr(X, "__getitem__") or callable(columns):
        return None
    for name in getattr(X, "column_names", columns):
        values = np.asarray(X[name])
        if values.dtype.kind in "OUSTV":
            for row, value in enumerate(values):
                try:
                    float(value)
                except (TypeError, ValueError):
                    return f"Column {name!r} is not numeric: row {row} holds {value!r}. Encode it or leave it out."
    return None


def _canonical_csr(rows: Any, original: Any) -> Any:
    if not rows.has_canonical_format:
        rows = rows.copy() if _shares_memory(rows, original) else rows
        rows.sum_duplicates()
    return rows


def _shares_memory(rows: Any, original: Any) -> bool:
    return rows is original or (hasattr(original, "data") and np.shares_memory(rows.data, original.data))


def _refuse_non_finite(X: Any, name: str, columns: Any) -> None:
    """The sum of finite numbers is finite unless it overflows; only then every entry is looked at."""
    values = X.data if sp.issparse(X) else X
    with np.errstate(over="ignore", invalid="ignore"):
        total = values.sum(dtype=np.float64)
    if np.isfinite(total):
        return
    bad = ~np.isfinite(values)
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
    where = f"column {columns[column]!r}" if columns is not None else f"column {column}"
    count = int(bad.sum())
    raise InvalidData(
        f"Input {name} contains {kind}.\n{count} bad value{'s' if count > 1 else ''}; the first is in "
        f"{where + ', ' if values.ndim > 1 or sp.issparse(X) else ''}row {row}. Impute or drop such rows first."
    )


def take_targets(estimator: Any, y: Any, n_rows: int) -> np.ndarray:
    """A numeric target as a 1-D or 2-D float array with one row for each row of X."""
    if y is None:
        raise InvalidData(
            f"This {type(estimator).__name__} estimator requires y to be passed, but the target y is None."
        )
    if type(y) is not np.ndarray or y.dtype not in FLOATS or y.ndim not in (1, 2):
        y = check_array(y, ensure_2d=False, dtype=FLOATS, ensure_all_finite=False, input_name="y")
        if y.ndim == 0 or y.ndim > 2:
            raise InvalidData(f"y must have one or two dimensions; got shape {y.shape}")
    if y.shape[0] != n_rows:
        raise InvalidData(
            f"Found input variables with inconsistent numbers of samples: X has {n_rows} rows, y has {y.shape[0]}"
        )
    _refuse_non_finite(y, "y", None)
    return y


def take_weights(sample_weight: Any, n_rows: int) -> np.ndarray | None:
    """Weights as a 1-D float64 array; None stays None (every row counts once)."""
    if sample_weight is None:
        return None
    if np.ndim(sample_weight) == 0:
        sample_weight = np.full(n_rows, sample_weight, dtype=np.float64)
    w = np.ascontiguousarray(sample_weight, dtype=np.float64)
    if w.ndim != 1:
        raise InvalidData(f"Sample weights must be 1D array or scalar; got {w.ndim} dimensions")
    if w.shape[0] != n_rows:
        raise InvalidData(f"sample_weight.shape == {w.shape}, expected {(n_rows,)}!")
    _refuse_non_finite(w, "sample_weight", None)
    if (w < 0).any():
        raise InvalidData(f"Negative values in sample_weight: row {int(np.argmax(w < 0))} has {w[w < 0][0]}")
    if not w.any():
        raise InvalidData("Sample weights must contain at least one non-zero number: all weights are zero")
    return w
