"""Class labels become codes: 0 … C−1, the place of the label among the sorted classes.

Codes are held in memory (8 bytes a row) for Parquet, and stay lazy for Dask. With `classes` given (a fitted model's), a
label that is not among them has the code −1.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from sklearn.utils import column_or_1d
from sklearn.utils.multiclass import check_classification_targets, type_of_target

from surefit._core.data.faults import labels_fault, refuse_column_name, refuse_non_finite
from surefit._core.errors import InvalidData


def codes_of(labels: np.ndarray, classes: np.ndarray) -> np.ndarray:
    """The place of each label among the sorted `classes`; −1 where there is none."""
    order = np.arange(len(classes))
    if labels.dtype.kind != classes.dtype.kind and "O" in (labels.dtype.kind, classes.dtype.kind):
        labels, classes = labels.astype(str), classes.astype(str)
        order = np.argsort(classes)  # 10 comes before 9 as a text
    try:
        places = order[np.minimum(np.searchsorted(classes, labels, sorter=order), len(classes) - 1)]
        known = classes[places] == labels
    except (TypeError, np.exceptions.DTypePromotionError):  # numbers asked among texts
        return np.full(len(labels), -1.0)
    return np.where(known, places, -1).astype(np.float64)


def check_labels(y: Any) -> None:
    """Refuse what cannot be sorted into classes: missing labels, labels of several kinds, numbers of a regression."""
    try:
        check_classification_targets(y)
    except (TypeError, ValueError) as error:
        raise InvalidData(labels_fault(y) or str(error)) from error


def label_dimensions(y: Any) -> int:
    """1 for one label a row, 2 for columns of labels; sparse ones and whatever becomes an array too."""
    return int(y.ndim) if hasattr(y, "ndim") else np.asarray(y).ndim


def several_labels(y: Any) -> bool:
    """Whether each row has any number of labels, told by columns of zeros and ones."""
    refuse_column_name(y, "y")
    try:
        return label_dimensions(y) == 2 and type_of_target(y, input_name="y") == "multilabel-indicator"
    except (TypeError, ValueError) as error:
        raise InvalidData(labels_fault(y) or str(error)) from error


def memory_codes(estimator: Any, y: Any, n_rows: int, classes: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
    """(classes, codes) of labels in memory."""
    if y is None:
        raise InvalidData(
            f"This {type(estimator).__name__} estimator requires y to be passed, but the target y is None."
        )
    refuse_column_name(y, "y")
    if type(y) is not np.ndarray or y.ndim != 1:
        y = column_or_1d(y, warn=True)
    if y.shape[0] != n_rows:
        raise InvalidData(
            f"Found input variables with inconsistent numbers of samples: X has {n_rows} rows, y has {y.shape[0]}"
        )
    if y.dtype.kind == "f":
        refuse_non_finite(y, "y", None)
    if classes is not None:
        return classes, codes_of(np.asarray(y), np.asarray(classes))
    y = np.asarray(y)
    if y.dtype.kind in "iu":
        found = _small_codes(y)
        if found is not None:
            return found
    check_labels(y)
    return unique_codes([y])


def _small_codes(y: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
    """(classes, codes) of whole numbers close to each other, without sorting them; else None."""
    if len(y) < 2:
        return None
    lowest = y.min()
    span = int(y.max()) - int(lowest)
    if span >= len(y) // 2:
        return None
    places = np.subtract(y, lowest, dtype=np.int64, casting="unsafe")
    seen = np.bincount(places, minlength=span + 1) > 0
    return (np.flatnonzero(seen).astype(y.dtype) + lowest).astype(y.dtype), (np.cumsum(seen) - 1.0)[places]


def unique_codes(batches: Iterable[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """(classes, codes) of labels that come in batches; every batch is forgotten once it is coded."""
    found: list[np.ndarray] = []
    local: list[tuple[int, np.ndarray]] = []
    n_found = 0
    for batch in batches:
        try:
            values, places = np.unique(batch, return_inverse=True)
        except TypeError as error:
            raise InvalidData(f"the labels in y cannot be sorted: {error}") from error
        found.append(values)
        local.append((n_found, places.astype(np.int32)))
        n_found += len(values)
    classes, of_found = np.unique(np.concatenate(found), return_inverse=True)
    return classes, np.concatenate([of_found[first + places] for first, places in local]).astype(np.float64)


def streamed_codes(batches: Iterator[np.ndarray], classes: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
    """(classes, codes) of a column of labels read batch by batch."""
    if classes is not None:
        return classes, np.concatenate([codes_of(batch, np.asarray(classes)) for batch in batches])
    classes, codes = unique_codes(batches)
    check_classification_targets(classes)
    return classes, codes
