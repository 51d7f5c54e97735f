"""Class labels of one or several outputs."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import check_array

from surefit._core.errors import InvalidData
from surefit.engine.labels import check_labels, memory_codes


def take_labels(estimator: Any, y: Any, n_rows: int) -> tuple[Any, np.ndarray]:
    """(classes, codes): an array of classes and of their places; for several columns a list and (n, columns)."""
    shape = np.asarray(y).shape
    if len(shape) != 2 or shape[1] == 1:
        classes, codes = memory_codes(estimator, y, n_rows, None)
        return classes, codes.astype(np.intp)
    y = check_array(y, dtype=None, ensure_all_finite=True, ensure_min_samples=0, input_name="y")
    if len(y) != n_rows:
        raise InvalidData(
            f"Found input variables with inconsistent numbers of samples: X has {n_rows} rows, y has {len(y)}"
        )
    check_labels(y)
    found = [np.unique(column, return_inverse=True) for column in y.T]
    return [classes for classes, _ in found], np.column_stack([codes for _, codes in found]).astype(np.intp)
