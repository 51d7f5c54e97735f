"""One binary tree in memory, whatever grew it: flat arrays, a node is a place in them, the root is place 0.

A row x at an inner node with feature j goes

    left   if x_j ≤ threshold                       (a threshold on numbers),
    left   if bit x_j of the node's set is 1        (a subset of categories 0 … 255: `categories[category_row]`),
    left   if x_j is missing (NaN, or for a subset a category not in 0 … 255) and missing_go_to_left is true.

The names of the arrays are scikit-learn's (`tree_`): −1 for "no child", −2 for the feature and threshold of a leaf.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

NO_CHILD, NO_FEATURE = -1, -2
MOST_CATEGORIES = 256


@dataclass(frozen=True, eq=False)
class Tree:
    """in: the arrays of all nodes, parents before children.

    `value` (nodes, outputs, classes): for classes the shares of the weight of each in the node, else the fitted number.
    `category_row`: −1 where a node splits by a threshold, else the row of `categories` (sets, four 64-bit words each).
    """

    n_features: int
    n_classes: np.ndarray
    children_left: np.ndarray
    children_right: np.ndarray
    feature: np.ndarray
    threshold: np.ndarray
    missing_go_to_left: np.ndarray
    value: np.ndarray
    impurity: np.ndarray
    n_node_samples: np.ndarray
    weighted_n_node_samples: np.ndarray
    category_row: np.ndarray
    categories: np.ndarray

    @property
    def node_count(self) -> int:
        return len(self.children_left)

    @property
    def n_outputs(self) -> int:
        return self.value.shape[1]

    @property
    def max_n_classes(self) -> int:
        return self.value.shape[2]

    @property
    def n_leaves(self) -> int:
        return int(np.count_nonzero(self.children_left == NO_CHILD))

    @property
    def depth(self) -> np.ndarray:
        """The number of steps from the root to each node."""
        depth = np.zeros(self.node_count, dtype=np.intp)
        for node in np.flatnonzero(self.children_left != NO_CHILD):  # parents come before children
            depth[self.children_left[node]] = depth[self.children_right[node]] = depth[node] + 1
        return depth

    @property
    def max_depth(self) -> int:
        return int(self.depth.max())

    def goes_left(self, node: int, column: np.ndarray) -> np.ndarray:
        """For values of the node's feature: which go left."""
        if self.category_row[node] < 0:
            missing = np.isnan(column)
            left = column <= self.threshold[node]
        else:
            missing = ~((column >= 0) & (column < MOST_CATEGORIES))
            code = np.where(missing, 0, column).astype(np.uint64)
            words = self.categories[self.category_row[node]][(code >> np.uint64(6)).astype(np.intp)]
            left = (words >> (code & np.uint64(63))) & np.uint64(1) == 1
        return np.where(missing, bool(self.missing_go_to_left[node]), left)

    def apply(self, X: Any) -> np.ndarray:
        """The leaf of each row of a dense matrix."""
        leaf = np.zeros(X.shape[0], dtype=np.intp)
        rows_of = {0: np.arange(X.shape[0])}
        for node in range(self.node_count):
            rows = rows_of.pop(node, None)
            if rows is None:
                continue
            if self.children_left[node] == NO_CHILD:
                leaf[rows] = node
                continue
            left = self.goes_left(node, X[rows, self.feature[node]])
            rows_of[int(self.children_left[node])] = rows[left]
            rows_of[int(self.children_right[node])] = rows[~left]
        return leaf

    def predict(self, X: Any) -> np.ndarray:
        """The value of the leaf of each row, (rows, outputs, classes); without the axis of outputs if there is one."""
        value = self.value[self.apply(X)]
        return value[:, 0] if self.n_outputs == 1 else value
