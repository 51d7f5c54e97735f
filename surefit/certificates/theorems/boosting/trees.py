"""The trees of a boosted model, and the rows of the data that come to each node."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.blocks import BadData
from surefit.certificates.theorems.boosting.steps import Indices


class Tree:
    """A node is a place in the arrays, the root is place 0; a leaf has left = −1. Rows with x ≤ threshold go left;
    missing ones (NaN) where missing_left says so.

    At nodes `by_sets` of categories who goes left is proposed, for rows of one category together: leaf values and
    answers would not be those of these rows if the model had other sets.
    """

    def __init__(self, left: Any, right: Any, feature: Any, threshold: Any, value: Any, missing_left: Any,
                 by_sets: frozenset[int] = frozenset(), proposed: Any = None) -> None:  # fmt: skip
        self.by_sets, self.proposed = by_sets, proposed
        self.left, self.right, self.feature = (np.asarray(a).astype(np.intp) for a in (left, right, feature))
        self.threshold, self.value, self.missing_left = np.asarray(threshold), np.ravel(value), np.asarray(missing_left)
        self.inner, self.leaves = np.flatnonzero(self.left >= 0).tolist(), np.flatnonzero(self.left < 0).tolist()

    def rows(self, X: NDArray) -> list[Indices]:
        """The rows that come to each node; BadData unless the nodes are those of one binary tree, parents first."""
        children, rows = np.append(self.left[self.inner], self.right[self.inner]), [np.arange(len(X))] * len(self.left)
        if not np.array_equal(np.sort(children), np.arange(1, len(rows))) or (self.feature[self.inner] < 0).any():
            raise BadData("the nodes of a tree are not those of one binary tree")
        for i in self.inner:
            x, down = X[rows[i], self.feature[i]], (self.left[i], self.right[i])
            if min(down) <= i:
                raise BadData("a node of a tree comes before its parent")
            left = np.where(np.isnan(x), self.missing_left[i] != 0, x <= self.threshold[i])
            if i in self.by_sets:
                left, (_, first, place) = self.proposed(i, x), np.unique(x, return_index=True, return_inverse=True)
                left = left[first][place]
            rows[down[0]], rows[down[1]] = rows[i][left], rows[i][~left]
        return rows
