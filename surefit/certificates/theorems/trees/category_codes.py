"""Columns of categories: the code of a category is its place in `categories_`; below 0 and NaN are missing."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.attributes import Attributes
from surefit.certificates.blocks import F64
from surefit.certificates.claim import Claim, Grade, at_most
from surefit.certificates.theorems.trees.nodes import Nodes


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


def sets_claim(trees: list[Nodes], X: F64, w: F64, is_categorical: NDArray[np.bool_]) -> Claim:
    """Columns of categories are split by sets; categories that no row of positive weight has go with missing values."""
    seen = np.zeros((X.shape[1], 256), dtype=bool)
    for j in np.flatnonzero(is_categorical):
        column = X[w > 0, j]
        seen[j, column[(column >= 0) & (column < 255)].astype(np.intp)] = True
    wrong = 0
    for tree in trees:
        nodes = np.flatnonzero(tree.inner & (tree.category_row >= 0))
        sets, feature = tree.categories[tree.category_row[nodes]], np.maximum(tree.feature, 0)
        wrong += int(np.count_nonzero((~seen[feature[nodes]] & (sets != tree.missing_left[nodes, None])).any(axis=1)))
        wrong += int(np.count_nonzero(tree.inner & ((tree.category_row >= 0) != is_categorical[feature])))
    what = "a column of categories by sets, others not, and send categories that no row has where missing values go"
    sentence, failure = f"All nodes split {what}; nodes that do not.", f"{wrong} nodes do not split {what}."
    return at_most("categories", sentence, Grade.EXACT, wrong, 0, failure=failure)
