"""The trees of a boosted model, and the rows of the data that come to each node."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.blocks import BadData
from surefit.certificates.theorems.boosting.steps import Indices


class Tree:
    """A node is a place in the arrays, the root is place 0; a leaf has left = −1. Rows with x ≤ threshold go left."""

    def __init__(self, left: Any, right: Any, feature: Any, threshold: Any, value: Any) -> None:
        self.left, self.right, self.feature = (np.asarray(a).astype(np.intp) for a in (left, right, feature))
        self.threshold, self.value = np.asarray(threshold), np.ravel(value)
        self.inner, self.leaves = np.flatnonzero(self.left >= 0).tolist(), np.flatnonzero(self.left < 0).tolist()

    def goes_left(self, i: int, x: NDArray) -> NDArray:
        return x <= self.threshold[i]

    def rows(self, X: NDArray) -> list[Indices]:
        """The rows that come to each node; BadData unless the nodes are those of one binary tree, parents first."""
        children, rows = np.append(self.left[self.inner], self.right[self.inner]), [np.arange(len(X))] * len(self.left)
        parents = np.append(self.inner, self.inner)
        if (np.sort(children) != np.arange(1, len(rows))).any() or (children <= parents).any():
            raise BadData("the nodes of a tree are not those of one binary tree, parents first")
        for i in self.inner:
            left = self.goes_left(i, X[rows[i], self.feature[i]])
            rows[self.left[i]], rows[self.right[i]] = rows[i][left], rows[i][~left]
        return rows


class HistogramTree(Tree):
    """Missing values (NaN) go where missing_left says. At nodes of categories who goes left is proposed, for all rows
    of a category together: leaf values and answers would not be those of these rows if the model had other sets."""

    def __init__(self, missing_left: Any, by_sets: Any, proposed: Any, *nodes: Any) -> None:
        super().__init__(*nodes)
        self.missing_left, self.by_sets, self.proposed = np.asarray(missing_left) != 0, np.asarray(by_sets), proposed

    def goes_left(self, i: int, x: NDArray) -> NDArray:
        if self.by_sets[i]:
            _, first, place = np.unique(x, return_index=True, return_inverse=True)
            return np.asarray(self.proposed(i, x))[first][place]
        return np.where(np.isnan(x), self.missing_left[i], x <= self.threshold[i])
