"""A fitted tree read from its arrays, and where rows go in it.

A row x at an inner node with feature j goes left where x_j ≤ threshold, where x_j is a category of the node's set, or
where x_j is missing and missing_go_to_left says so. Missing: NaN; for a set also what is not one of 0 … 255.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.blocks import F64, BadData


class Nodes:
    """The arrays of a `tree_`: a node is a place in them, the root is place 0, parents come before children."""

    def __init__(self, tree: Any, n_features: int) -> None:
        """BadData unless every node but the root is the child of one node before it."""
        whole = ("children_left", "children_right", "feature", "n_node_samples")
        real = ("threshold", "impurity", "weighted_n_node_samples", "value")
        read: list[NDArray] = [np.asarray(getattr(tree, name)).astype(np.intp, casting="safe") for name in whole]
        read += [np.asarray(getattr(tree, name)).astype(np.float64) for name in real]
        self.left, self.right, self.feature, self.count, self.threshold, self.impurity, self.weight, self.value = read
        n, self.inner = len(self.left), self.left != -1
        self.missing_left = np.asarray(getattr(tree, "missing_go_to_left", np.zeros(n))).astype(bool)
        self.category_row = np.asarray(getattr(tree, "category_row", np.full(n, -1)))  # −1: it splits by a threshold
        words = np.ascontiguousarray(getattr(tree, "categories", np.zeros((0, 4))))
        self.categories = np.unpackbits(words.view(np.uint8), axis=1, bitorder="little") == 1  # (sets, 256)
        inner, children = np.flatnonzero(self.inner), np.stack([self.left, self.right])[:, self.inner]
        if not ((children > inner).all() and np.array_equal(np.sort(children.ravel()), np.arange(1, n))):
            raise BadData("the nodes of a tree are not those of one binary tree, parents first")
        known = np.isin(self.feature, np.arange(n_features)) & ~np.isnan(self.threshold)
        if not (known[inner].all() and len(self.missing_left) == n and np.isfinite(self.value.reshape(n, -1)).all()):
            raise BadData("an inner node of a tree has no feature or threshold, or values are not finite")

    def __len__(self) -> int:
        return len(self.left)

    def goes_left(self, node: int, x: F64) -> NDArray[np.bool_]:
        """Of rows at a node with values x of its feature: which go left."""
        known, left = ~np.isnan(x), x <= self.threshold[node]
        if self.category_row[node] >= 0:
            known = (x >= 0) & (x < 256)
            left = self.categories[self.category_row[node], np.where(known, x, 0).astype(np.intp)]
        return np.where(known, left, self.missing_left[node])

    def rows(self, X: F64) -> list[NDArray[np.intp]]:
        """The rows that come to each node."""
        rows = [np.arange(0)] * len(self)
        rows[0] = np.arange(len(X))
        for i in np.flatnonzero(self.inner).tolist():
            if rows[i].size:
                left = self.goes_left(i, X[rows[i], self.feature[i]])
                rows[self.left[i]], rows[self.right[i]] = rows[i][left], rows[i][~left]
        return rows
