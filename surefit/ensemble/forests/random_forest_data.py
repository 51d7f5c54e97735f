"""Rows and targets of a forest: one or several outputs in memory, one from files and Dask collections."""

from __future__ import annotations

import warnings
from types import SimpleNamespace
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.exceptions import DataConversionWarning
from sklearn.utils import check_array

from surefit._core.data.faults import squarable
from surefit._core.data.intake import take_targets
from surefit._core.errors import InvalidData
from surefit.engine.labels import check_labels, memory_codes
from surefit.engine.open import kind_of, open_data
from surefit.engine.sources.source import Source
from surefit.ensemble.forests.random_forest import is_exact
from surefit.summaries.bins import MOST_BINS

INSTEAD = "a forest with max_bins=255 and the default of criterion, max_leaf_nodes and monotonic_cst"


def open_classes(
    forest: Any, p: SimpleNamespace, X: Any, y: Any, sample_weight: Any
) -> tuple[Source, list[np.ndarray], np.ndarray | None]:
    """(rows, the classes of each output, codes): codes (n,) or (n, outputs) for rows in memory, else None."""
    if kind_of(X) != "memory":
        data = _open_stream(forest, p, X, y, sample_weight, "classes")
        return data, [data.classes], None
    y = _plain_targets(forest, y)
    data = _open_memory(forest, p, X, sample_weight)
    if np.asarray(y).ndim == 2:
        y = check_array(y, dtype=None, ensure_all_finite=True, ensure_min_samples=0, input_name="y")
        if len(y) != data.n_rows:
            raise InvalidData(
                f"Found input variables with inconsistent numbers of samples: X has {data.n_rows} rows, y has {len(y)}"
            )
        check_labels(y)
        found = [np.unique(column, return_inverse=True) for column in y.T]
        return data, [c for c, _ in found], np.column_stack([codes for _, codes in found]).astype(np.float64)
    classes, codes = memory_codes(forest, y, data.n_rows, None)
    return data, [classes], codes


def open_numbers(
    forest: Any, p: SimpleNamespace, X: Any, y: Any, sample_weight: Any
) -> tuple[Source, int, np.ndarray | None]:
    """(rows, outputs, targets): targets (n,) or (n, outputs) for rows in memory, else None."""
    if kind_of(X) != "memory":
        data = _open_stream(forest, p, X, y, sample_weight, True)
        if data.target_ndim == 2 and data.n_targets > 1:
            raise InvalidData(f"{type(forest).__name__} takes one target from files; got {data.n_targets}")
        return data, 1, None
    y = _plain_targets(forest, y)
    data = _open_memory(forest, p, X, sample_weight)
    targets = squarable(np.asarray(take_targets(forest, y, data.n_rows), dtype=np.float64))
    return data, 1 if targets.ndim == 1 else targets.shape[1], targets


def _open_memory(forest: Any, p: SimpleNamespace, X: Any, sample_weight: Any) -> Source:
    def open_rows(rows: Any) -> Source:
        return open_data(forest, rows, None, sample_weight, not_finite="NaN", n_jobs=p.n_jobs)

    return forest._open_coded(X, MOST_BINS, open_rows)


def _open_stream(forest: Any, p: SimpleNamespace, X: Any, y: Any, sample_weight: Any, target: Any) -> Source:
    def open_rows(rows: Any) -> Source:
        return open_data(
            forest,
            rows,
            y,
            sample_weight,
            target=target,
            stream=not is_exact(p, 1),
            instead=INSTEAD,
            n_jobs=p.n_jobs,
            not_finite="NaN",
        )

    return forest._open_coded(X, MOST_BINS, open_rows)


def _plain_targets(forest: Any, y: Any) -> Any:
    """y with one column is one output, and told."""
    if y is None:
        raise InvalidData(f"This {type(forest).__name__} estimator requires y to be passed, but the target y is None.")
    if sp.issparse(y):
        raise InvalidData("sparse multilabel-indicator for y is not supported.")
    shape = np.asarray(y).shape
    if len(shape) == 2 and shape[1] == 1:
        warnings.warn(
            "A column-vector y was passed when a 1d array was expected. Please change the shape of y to (n_samples,), "
            "for example using ravel().",
            DataConversionWarning,
            stacklevel=5,
        )
        return np.asarray(y)[:, 0]
    return y
