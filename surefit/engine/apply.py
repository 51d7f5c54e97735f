"""Row-by-row results (predict, transform) on every source: arrays at once, files block by block, Dask lazily."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import numpy as np

from surefit._core.data.intake import NotFinite, take_rows
from surefit._core.errors import InvalidData
from surefit._core.threads import single_threaded_blas
from surefit.engine.open import kind_of


def apply_rows(
    estimator: Any,
    X: Any,
    function: Callable[[Any], np.ndarray],
    *,
    sparse: bool = True,
    not_finite: NotFinite = "refuse",
    integers: bool = False,
    little: Callable[[Any], bool] | None = None,
) -> Any:
    """`function` of the rows of X, checked against what `estimator` was fitted on.

    `little` tells of rows whose products BLAS makes on one thread without being told to, which takes its time.
    Memory and Parquet give an ndarray, Dask a lazy Dask array. Answers that left the range of floating-point numbers
    are told with a warning.
    """
    kind = kind_of(X)
    if kind == "memory":
        rows = take_rows(estimator, X, reset=False, sparse=sparse, not_finite=not_finite, integers=integers)
        with nullcontext() if little is not None and little(rows) else single_threaded_blas():
            return _told(estimator, function(rows))
    if kind == "parquet":
        from surefit.engine.sources.parquet import open_parquet

        source = open_parquet(
            X, columns=getattr(estimator, "feature_names_in_", None), target=False, missing=not_finite == "NaN"
        )
        if source.n_features != estimator.n_features_in_:
            raise InvalidData(
                f"X has {source.n_features} features, but {type(estimator).__name__} is expecting "
                f"{estimator.n_features_in_} features as input"
            )
        with single_threaded_blas():
            return _told(estimator, np.concatenate([function(block.X) for block in source.blocks()]))
    from surefit.engine.sources.dask import apply_dask

    return apply_dask(estimator, X, function, missing=not_finite == "NaN")


def _told(estimator: Any, answers: np.ndarray) -> np.ndarray:
    """The answers; with a warning where some are NaN or +∞ (−∞ is the logarithm of a probability of zero)."""
    if answers.dtype.kind == "f" and not (answers < np.inf).all():
        rows = np.flatnonzero(~(answers.reshape(len(answers), -1) < np.inf).all(axis=1))
        warnings.warn(
            f"{type(estimator).__name__}: the answers for {len(rows)} rows left the range of floating-point numbers "
            f"(the first is row {rows[0]}): these rows are too far from those it was fitted on",
            stacklevel=4,
        )
    return answers
