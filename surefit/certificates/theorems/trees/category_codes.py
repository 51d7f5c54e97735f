"""Columns of categories: the code of a category is its place in `categories_`; below 0 and NaN are missing."""

from __future__ import annotations

import numpy as np

from surefit.certificates.attributes import Attributes
from surefit.certificates.blocks import F64


def coded(attrs: Attributes, X: F64) -> F64:
    """X with codes in the columns of categories; without `categories_` these hold codes already."""
    if not attrs.has("is_categorical_") or not attrs.has("categories_"):
        return X
    X = X.copy()
    for j in np.flatnonzero(np.asarray(attrs.model.is_categorical_)):
        known, places = X[:, j] >= 0, np.asarray(attrs.model.categories_[j], dtype=np.float64)
        codes = np.searchsorted(places, X[known, j])
        if not (places[:-1] < places[1:]).all() or not np.array_equal(np.append(places, np.nan)[codes], X[known, j]):
            attrs.faults.append(f"categories_ of column {j} are not its values in rising order")
            return X
        X[known, j], X[~known, j] = codes, np.nan
    return X
