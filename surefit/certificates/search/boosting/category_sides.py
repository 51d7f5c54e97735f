"""Which rows go left where histogram trees split by sets of categories, from the bits of the sets.

A category is its place among those of its column (in files it is its place); one that is not known, or not one of
0 … 255, is missing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray


class CategorySides:
    def __init__(self, model: Any, X: NDArray, by_sets: NDArray[np.bool_]) -> None:
        """X has the columns in the order of the model, by_sets says which of them are of categories."""
        self.values = dict[int, NDArray | None]()
        for j in np.flatnonzero(by_sets).tolist():
            if hasattr(model, "trees_"):
                stated = getattr(model, "categories_", None)
                self.values[j] = None if stated is None else np.asarray(stated[j], dtype=np.float64)
            else:
                self.values[j] = np.unique(X[~np.isnan(X[:, j]), j])

    def of(self, tree: Any) -> Callable[[int, NDArray], NDArray]:
        """The function (node, values of its column) ↦ who goes left."""
        ours = hasattr(tree, "children_left")
        words = np.ascontiguousarray(tree.categories if ours else tree.raw_left_cat_bitsets)
        sets = np.unpackbits(words.view(np.uint8), axis=1, bitorder="little") == 1
        which = tree.category_row if ours else tree.nodes["bitset_idx"]
        column = tree.feature if ours else tree.nodes["feature_idx"]
        missing_left = tree.missing_go_to_left if ours else tree.nodes["missing_go_to_left"]

        def left(i: int, x: NDArray) -> NDArray:
            values, codes = self.values[int(column[i])], x
            if values is not None:
                codes = np.searchsorted(values, x).astype(np.float64)
                codes[~np.isin(x, values)] = -1
            known = (codes >= 0) & (codes < 256)
            own = sets[int(which[i]), np.where(known, codes, 0).astype(np.intp)]
            return np.where(known, own, bool(missing_left[i]))

        return left
