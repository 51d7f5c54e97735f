"""Data intake: NumPy, pandas, polars, pyarrow and SciPy containers become plain arrays; bad ones get a clear error.

What comes out is a float32 or float64 ndarray (any memory order), or a CSR matrix with sorted indices and no
duplicates. float32 stays float32; everything else becomes float64.
"""

from __future__ import annotations

from numbers import Real
from typing import Any, Literal

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import check_array, validate_data

from surefit._core.data.faults import (
    column_kinds,
    culprit,
    no_columns,
    numbers_fault,
    ragged,
    refuse_column_name,
    refuse_dates_and_masks,
    refuse_non_finite,
)
from surefit._core.data.sparse_faults import refuse_malformed
from surefit._core.errors import InvalidData

FLOATS = (np.float64, np.float32)
INTEGERS = (np.int64, np.int32)
NotFinite = Literal["refuse", "NaN", "later"]
"""NaN and infinities are refused; or NaN is let through; or the caller's own pass over the rows looks for them."""


def take_rows(
    estimator: Any,
    X: Any,
    *,
    reset: bool,
    sparse: bool = True,
    min_rows: int = 1,
    not_finite: NotFinite = "refuse",
    integers: bool = False,
) -> Any:
    """X as an ndarray or CSR, checked against (or, with `reset`, setting) the estimator's feature count and names.

    `integers`: an array of 32 or 64-bit integers stays one.
    """
    kinds = FLOATS + INTEGERS if integers else FLOATS
    if type(X) is np.ndarray and X.ndim == 2 and X.dtype in kinds and X.shape[0] >= min_rows and X.shape[1] > 0:
        plain = reset or (
            not hasattr(estimator, "feature_names_in_") and getattr(estimator, "n_features_in_", -1) == X.shape[1]
        )
        if plain:  # the common case, without the general machinery: iris must not wait
            if reset:
                estimator.n_features_in_ = X.shape[1]
                estimator.__dict__.pop("feature_names_in_", None)
            _look(X, not_finite)
            return X
    if sp.issparse(X):
        refuse_malformed(X)
    rows = _general(estimator, X, reset=reset, sparse=sparse, min_rows=min_rows)
    if sp.issparse(rows):
        rows = _canonical_csr(rows, X)
    _look(rows, not_finite, getattr(estimator, "feature_names_in_", None))
    return rows


def _look(rows: Any, not_finite: NotFinite, columns: Any = None) -> None:
    if not_finite != "later":
        refuse_non_finite(rows, "X", columns, missing=not_finite == "NaN")


def _general(estimator: Any, X: Any, *, reset: bool, sparse: bool, min_rows: int) -> Any:
    if X is None:
        raise InvalidData("X is None; it must be an array, a dataframe, a sparse matrix, a Parquet path or Dask data")
    if hasattr(X, "collect") and not hasattr(X, "__array__"):
        raise InvalidData(f"X is a lazy {type(X).__name__}: call .collect() first, or write it to Parquet")
    if isinstance(X, dict) and not sp.issparse(X):
        raise InvalidData(f"X is a dict ({type(X).__name__}): pass its rows, or make its columns a dataframe first")
    refuse_dates_and_masks(X)
    try:
        return validate_data(
            estimator,
            X,
            reset=reset,
            accept_sparse="csr" if sparse else False,
            dtype=np.float32 if _all_float32(X) else FLOATS,
            ensure_all_finite=False,
            ensure_min_samples=min_rows,
        )
    except OverflowError as error:
        raise InvalidData(f"X holds a number beyond floating point: {error}") from error
    except (ValueError, TypeError) as error:
        uneven = ragged(X)
        if uneven is not None or no_columns(X):
            raise InvalidData(uneven or "X is a dataframe without columns: Found array with 0 feature(s)") from error
        first_line = str(error).partition("\n")[0]
        where = None if first_line.startswith("The feature names") else culprit(X, _advice(estimator))
        if isinstance(error, TypeError) and (where is None or not hasattr(X, "columns")):
            raise
        raise InvalidData(str(error) if where is None else f"{first_line.rstrip('.')}. {where}") from error


def _advice(estimator: Any) -> str:
    """What to do about a column of texts."""
    takes = hasattr(estimator, "categorical_features")
    return "Encode it, leave it out, or name it in categorical_features." if takes else "Encode it or leave it out."


def _all_float32(X: Any) -> bool:
    """A dataframe of nothing but single precision, in the words of pandas, polars or pyarrow."""
    kinds = column_kinds(X)
    return bool(kinds) and all(kind in ("float32", "float", "float[pyarrow]") for _, kind in kinds)


def _canonical_csr(rows: Any, original: Any) -> Any:
    if not rows.has_canonical_format:
        rows = rows.copy() if _shares_memory(rows, original) else rows
        rows.sum_duplicates()
    return rows


def _shares_memory(rows: Any, original: Any) -> bool:
    return rows is original or (hasattr(original, "data") and np.shares_memory(rows.data, original.data))


def take_targets(estimator: Any, y: Any, n_rows: int) -> np.ndarray:
    """A numeric target as a 1-D or 2-D float array with one row for each row of X."""
    if y is None:
        raise InvalidData(
            f"This {type(estimator).__name__} estimator requires y to be passed, but the target y is None."
        )
    if type(y) is not np.ndarray or y.dtype not in FLOATS or y.ndim not in (1, 2):
        y = _numbers(y, "y")
        if y.ndim == 0 or y.ndim > 2:
            raise InvalidData(f"y must have one or two dimensions; got shape {y.shape}")
    if y.ndim == 2 and y.shape[1] == 0:
        raise InvalidData(f"y has no columns: Found 0 feature(s) (shape={y.shape})")
    if y.shape[0] != n_rows:
        raise InvalidData(
            f"Found input variables with inconsistent numbers of samples: X has {n_rows} rows, y has {y.shape[0]}"
        )
    refuse_non_finite(y, "y")
    return y


def _numbers(values: Any, name: str) -> np.ndarray:
    """Targets or weights as floats of any shape."""
    refuse_column_name(values, name)
    if type(values) is np.ndarray and values.dtype in FLOATS:
        return values
    try:
        kind = getattr(np.asarray(values) if isinstance(values, (list, tuple)) else values, "dtype", None)
    except ValueError as error:
        raise InvalidData(f"{name}: {error}") from error
    if isinstance(kind, np.dtype) and kind.kind in "mM":
        raise InvalidData(f"{name} holds dates ({kind}), not numbers. Turn them into numbers first.")
    try:
        return check_array(
            values,
            ensure_2d=False,
            allow_nd=True,
            dtype=FLOATS,
            ensure_all_finite=False,
            ensure_min_samples=0,
            input_name=name,
        )
    except (ValueError, OverflowError) as error:
        raise InvalidData(numbers_fault(values, name) or f"{name}: {error}") from error


def take_weights(sample_weight: Any, n_rows: int, *, any_sign: bool = False) -> np.ndarray | None:
    """Weights as a 1-D float64 array; None stays None (every row counts once).

    `any_sign`: weights may be negative.
    """
    if sample_weight is None:
        return None
    if isinstance(sample_weight, Real):
        sample_weight = np.full(n_rows, float(sample_weight))
    w = np.asarray(_numbers(sample_weight, "sample_weight"), dtype=np.float64, order="C")
    if w.ndim != 1:
        raise InvalidData(f"Sample weights must be 1D array or scalar; got {w.ndim} dimensions")
    if w.shape[0] != n_rows:
        raise InvalidData(f"sample_weight.shape == {w.shape}, expected {(n_rows,)}!")
    refuse_non_finite(w, "sample_weight")
    if not any_sign:
        refuse_negative(w)
    if not w.any():
        refuse_all_zero()
    refuse_extreme_total(np.abs(w) if any_sign else w)
    return w


LEAST_TOTAL = float(np.finfo(np.float64).tiny / np.finfo(np.float64).eps)
"""Below this a share of the weight loses digits."""


def refuse_extreme_total(w: np.ndarray) -> None:
    """A total that overflows, or that has lost digits near the end of floating point, weighs nothing rightly."""
    with np.errstate(over="ignore"):
        total = float(w.sum())
    if not LEAST_TOTAL <= total < np.inf:
        raise InvalidData(
            f"Sample weights add up to {total:g}, which is beyond the range of floating point. Multiply all of them by "
            "the same number, so that they add up to the number of rows."
        )


def refuse_negative(w: np.ndarray, first_row: int = 0, source: str = "") -> None:
    if (w < 0).any():
        row = int(np.argmax(w < 0))
        raise InvalidData(
            f"Negative values in data passed to `sample_weight`: row {first_row + row}{source} has {w[row]}"
        )


def refuse_all_zero() -> None:
    raise InvalidData("Sample weights must contain at least one non-zero number: all weights are zero")
