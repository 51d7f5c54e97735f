"""The trees of a boosted model, and the rows of the data that come to each node."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.blocks import F64, BadData
from surefit.certificates.theorems.boosting.steps import Indices


class Tree:
    """A node is a place in the arrays, the root is place 0; a leaf has left = −1. Rows with x ≤ threshold go left."""

    def __init__(self, left: Any, right: Any, feature: Any, threshold: Any, value: Any) -> None:
        self.left, self.right, self.feature = (np.asarray(a).astype(np.intp) for a in (left, right, feature))
        self.threshold, self.value = np.asarray(threshold), np.ravel(value)
        self.inner, self.leaves = np.flatnonzero(self.left >= 0).tolist(), np.flatnonzero(self.left < 0).tolist()

    def goes_left(self, i: int, x: NDArray) -> NDArray[np.bool_]:
        return x <= self.threshold[i]

    def rows(self, X: NDArray) -> list[Indices]:
        """The rows that come to each node; BadData unless the nodes are those of one binary tree, parents first."""
        children, rows = np.append(self.left[self.inner], self.right[self.inner]), [np.arange(len(X))] * len(self.left)
        if not np.array_equal(np.sort(children), np.arange(1, len(rows))) or (self.feature[self.inner] < 0).any():
            raise BadData("the nodes of a tree are not those of one binary tree")
        for i in self.inner:
            down = (self.left[i], self.right[i])
            if min(down) <= i:
                raise BadData("a node of a tree comes before its parent")
            left = self.goes_left(i, X[rows[i], self.feature[i]])
            rows[down[0]], rows[down[1]] = rows[i][left], rows[i][~left]
        return rows


class HistogramTree(Tree):
    """A missing value (NaN) goes where missing_left says; set_row ≥ 0: left go the categories of a set.

    A category that is not one of 0 … 255 is missing.
    """

    def __init__(self, missing_left: Any, set_row: Any, sets: Any, *nodes: Any) -> None:
        """sets: 32 bytes each, the bits of the categories, the lowest first."""
        super().__init__(*nodes)
        self.missing_left, self.set_row = np.asarray(missing_left).astype(bool), np.asarray(set_row).astype(np.intp)
        self.sets = np.unpackbits(np.ascontiguousarray(sets).view(np.uint8), axis=1, bitorder="little") == 1

    def goes_left(self, i: int, x: F64) -> NDArray[np.bool_]:
        known, left = ~np.isnan(x), x <= self.threshold[i]
        if self.set_row[i] >= 0:
            known = (x >= 0) & (x < 256)
            left = self.sets[self.set_row[i], np.where(known, x, 0).astype(np.intp)]
        return np.where(known, left, self.missing_left[i])
