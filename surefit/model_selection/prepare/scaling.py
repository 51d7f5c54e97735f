"""Unit variance with the same bits for a dataframe and an array of the same numbers.

A dataframe keeps its columns one after the other, an array its rows, and sums over the rows round differently in the
two. Rows one after the other is the order here, whatever comes.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.preprocessing import StandardScaler


class UnitVariance(StandardScaler):
    """scikit-learn's `StandardScaler` of rows that are stored one after the other.

    >>> columns = np.asfortranarray([[0.0, 1.0], [2.0, 5.0]])
    >>> UnitVariance().fit_transform(columns).flags.c_contiguous
    True
    """

    def partial_fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> UnitVariance:
        return super().partial_fit(row_major(X), y, sample_weight)

    def transform(self, X: Any, copy: bool | None = None) -> Any:
        return super().transform(row_major(X), copy)


def row_major(X: Any) -> Any:
    """The same rows in the same kind of container, those of a dense one stored one after the other."""
    if sp.issparse(X):
        return X
    if hasattr(X, "iloc"):
        return type(X)(np.ascontiguousarray(X.to_numpy(dtype=np.float64)), columns=X.columns, index=X.index)
    return np.ascontiguousarray(X)
