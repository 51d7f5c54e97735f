"""A fitted tree read from its arrays, and the rows of the data that come to each node.

A row x at an inner node with feature j goes left where x_j ≤ threshold, where x_j is a category of the node's set, or
where x_j is missing and missing_go_to_left says so. Missing: NaN; for a set also what is not one of 0 … 255.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.blocks import F64, BadData


@dataclass(frozen=True)
class Nodes:
    """The arrays of `tree_`: a node is a place in them, the root is place 0, parents come before children."""

    n_features: int
    left: NDArray[np.intp]
    right: NDArray[np.intp]
    feature: NDArray[np.intp]
    count: NDArray[np.intp]
    threshold: F64
    impurity: F64
    weight: F64
    value: F64  # (nodes, outputs, classes)
    missing_left: NDArray[np.bool_]
    category_row: NDArray[np.intp]  # −1 where a node splits by a threshold
    categories: NDArray[np.bool_]  # (sets, 256)

    def __len__(self) -> int:
        return len(self.left)

    @property
    def inner(self) -> NDArray[np.bool_]:
        return self.left >= 0

    def goes_left(self, node: int | NDArray[np.intp], column: F64) -> NDArray[np.bool_]:
        """For values of the feature of a node, or each of its own node: which go left."""
        by_set, known = self.category_row[node] >= 0, (column >= 0) & (column < 256)
        left, missing = column <= self.threshold[node], np.isnan(column)
        if np.any(by_set):
            inside = self.categories[self.category_row[node], np.where(known, column, 0).astype(np.intp)]
            left, missing = np.where(by_set, inside, left), np.where(by_set, ~known, missing)
        return np.where(missing, self.missing_left[node], left)

    def leaves(self, X: F64) -> NDArray[np.intp]:
        """The leaf of every row."""
        at, going = np.zeros(len(X), dtype=np.intp), np.arange(len(X))
        while (going := going[self.left[at[going]] >= 0]).size:
            node = at[going]
            left = self.goes_left(node, X[going, self.feature[node]])
            at[going] = np.where(left, self.left[node], self.right[node])
        return at


def nodes_of(model: Any, n_features: int) -> Nodes:
    """The nodes of a model that is one tree."""
    if not any(base.__name__ in ("DecisionTreeClassifier", "DecisionTreeRegressor") for base in type(model).__mro__):
        raise BadData(f"a {type(model).__name__} is no tree whose growth is known")
    return read_nodes(model.tree_, n_features)


def read_nodes(tree: Any, n_features: int) -> Nodes:
    """The nodes of a `tree_`; BadData unless every node but the root is the child of one node before it."""
    whole = ("children_left", "children_right", "feature", "n_node_samples")
    left, right, feature, count = (np.asarray(getattr(tree, name)).astype(np.intp, casting="safe") for name in whole)
    real = ("threshold", "impurity", "weighted_n_node_samples", "value")
    threshold, impurity, weight, value = (np.asarray(getattr(tree, name)).astype(np.float64) for name in real)
    n, inner = len(left), left != -1
    missing = np.asarray(getattr(tree, "missing_go_to_left", np.zeros(n))).astype(bool)
    row = np.asarray(getattr(tree, "category_row", np.full(n, -1))).astype(np.intp)
    words = np.asarray(getattr(tree, "categories", np.zeros((0, 4)))).astype(np.uint64).reshape(-1, 4)
    each = (left, right, feature, count, threshold, impurity, weight, missing, row)
    if any(a.shape != (n,) for a in each) or value.shape[:1] != (n,) or value.ndim != 3 or (row >= len(words)).any():
        raise BadData(
            "the arrays of a tree have different lengths, or values that are not of (nodes, outputs, classes)"
        )
    children, ends = np.concatenate([left[inner], right[inner]]), (right[~inner] == -1).all()
    later = (np.minimum(left, right)[inner] > np.flatnonzero(inner)).all()
    if not (ends and later and np.array_equal(np.sort(children), np.arange(1, n))):
        raise BadData("the nodes of a tree are not those of one binary tree, parents first")
    known = (feature[inner] >= 0) & (feature[inner] < n_features) & ~np.isnan(threshold[inner])
    if not (known.all() and np.isfinite(value).all() and np.isfinite(weight).all()):
        raise BadData("an inner node of a tree has no feature or threshold, or values are not finite")
    bits = (words[:, :, None] >> np.arange(64, dtype=np.uint64)) & np.uint64(1)
    return Nodes(n_features, left, right, feature, count, threshold, impurity, weight, value, missing,
                 np.where(inner, row, -1), bits.reshape(-1, 256) == 1)  # fmt: skip
