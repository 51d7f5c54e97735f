"""An estimator that writes down which rows it was handed, and is otherwise the one it holds.

The digest is SHA-256 of the columns of X and then of y: for each table `table d;`, for each of its d columns
`column n;` and its cells, numbers as little-endian doubles (NaN in one form), all else as `repr`, with the unit
separator between. A sparse matrix has three columns: the ends of its rows, the columns and the values stored.
"""

from __future__ import annotations

import hashlib
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, clone
from sklearn.utils import get_tags
from sklearn.utils.metadata_routing import get_routing_for_object


class Watched(BaseEstimator):
    """`estimator`, with the digest of the rows that `fit` was handed as `digest_`."""

    def __init__(self, estimator: Any) -> None:
        self.estimator = estimator

    def fit(self, X: Any, y: Any = None, **params: Any) -> Self:
        self.digest_ = rows_digest(X, y)
        model = clone(self.estimator)
        self.estimator_ = model.fit(X, **params) if y is None else model.fit(X, y, **params)
        return self

    def __getattr__(self, name: str) -> Any:
        """All else is asked of the fitted estimator, or of the one that is given."""
        own = self.__dict__
        if name.startswith("__") or "estimator" not in own:
            raise AttributeError(name)
        return getattr(own.get("estimator_", own["estimator"]), name)

    def __sklearn_tags__(self) -> Any:
        return get_tags(self.estimator)

    def get_metadata_routing(self) -> Any:
        return get_routing_for_object(self.estimator)


def rows_digest(X: Any, y: Any = None) -> str:
    """The digest of rows and targets, in their order."""
    found = hashlib.sha256()
    for table in (X,) if y is None else (X, y):
        columns = list(_columns(table))
        found.update(f"table {len(columns)};".encode())
        for values in columns:
            found.update(f"column {len(values)};".encode())
            if values.dtype.kind in "biuf":
                numbers = values.astype("<f8")
                numbers[np.isnan(numbers)] = np.nan
                found.update(numbers.tobytes())
            else:
                found.update("\x1f".join(map(repr, values.tolist())).encode("utf-8", "surrogatepass"))
    return found.hexdigest()


def _columns(table: Any) -> list[np.ndarray]:
    if hasattr(table, "iloc") and table.ndim == 2:
        return [np.asarray(table.iloc[:, j]) for j in range(table.shape[1])]
    if sp.issparse(table):
        rows = table.tocsr().copy()
        rows.sum_duplicates()
        return [rows.indptr, rows.indices, rows.data]
    whole = np.asarray(table)
    return list(whole.reshape(len(whole), -1).T) if whole.ndim > 1 else [whole]
