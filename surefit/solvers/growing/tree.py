"""One binary tree in memory, whatever grew it: flat arrays, a node is a place in them, the root is place 0.

A row x at an inner node with feature j goes

    left   if x_j ≤ threshold                       (a threshold on numbers),
    left   if bit x_j of the node's set is 1        (a subset of categories 0 … 255: `categories[category_row]`),
    left   if x_j is missing (NaN, or for a subset a category not in 0 … 255) and missing_go_to_left is true.

The names of the arrays are scikit-learn's (`tree_`): −1 for "no child", −2 for the feature and threshold of a leaf.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

from surefit import _native

NO_CHILD, NO_FEATURE = -1, -2
MOST_CATEGORIES = 256
KINDS: dict[str, Any] = {
    "n_classes": np.intp,
    "children_left": np.int32,
    "children_right": np.int32,
    "feature": np.int32,
    "threshold": np.float64,
    "missing_go_to_left": np.uint8,
    "value": np.float64,
    "impurity": np.float64,
    "n_node_samples": np.int64,
    "weighted_n_node_samples": np.float64,
    "category_row": np.int32,
    "categories": np.uint64,
}
"""What the arrays hold: 49 bytes a node, and 8 for each number of `value`."""


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

    def __post_init__(self) -> None:
        for name, kind in KINDS.items():
            object.__setattr__(self, name, np.ascontiguousarray(getattr(self, name), dtype=kind))

    @cached_property
    def native(self) -> _native.TreeArrays:
        """The arrays as the compiled loops read them, where they are."""
        return _native.TreeArrays(
            self.n_features,
            self.children_left,
            self.children_right,
            self.feature,
            self.threshold,
            self.missing_go_to_left,
            self.category_row,
            self.categories,
            self.value.reshape(self.node_count, -1),
        )

    def __getstate__(self) -> dict[str, Any]:
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)

    def with_unseen(self, seen: np.ndarray | None) -> Tree:
        """Categories that no training row has go where missing values go. `seen` (columns, 256): what is there."""
        nodes = np.flatnonzero((self.category_row >= 0) & (self.missing_go_to_left != 0))
        if len(nodes) == 0 or seen is None:
            return self
        sets = self.categories.copy()
        unseen = np.packbits(~seen[self.feature[nodes]], axis=1, bitorder="little").view(np.uint64)
        sets[self.category_row[nodes]] |= unseen
        return replace(self, categories=sets)

    @property
    def node_count(self) -> int:
        return len(self.children_left)

    capacity = node_count

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
        level, steps = np.zeros(1, dtype=np.intp), 0
        while len(level):
            depth[level] = steps
            inner = level[self.children_left[level] != NO_CHILD]
            level, steps = np.concatenate([self.children_left[inner], self.children_right[inner]]), steps + 1
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
        """The leaf of each row of X, dense (float32, float64) or CSR."""
        if sp.issparse(X):
            return _native.tree_leaves_csr([self.native], X.data, X.indices, X.indptr, X.shape[1], 1)[:, 0]
        return _native.tree_leaves([self.native], np.ascontiguousarray(X), 1)[:, 0]

    def predict(self, X: Any) -> np.ndarray:
        """The value of the leaf of each row, (rows, outputs, classes); without the axis of outputs if there is one."""
        value = self.value[self.apply(X)]
        return value[:, 0] if self.n_outputs == 1 else value

    def parents(self) -> np.ndarray:
        """The parent of each node; −1 for the root."""
        parent = np.full(self.node_count, NO_CHILD, dtype=np.intp)
        inner = np.flatnonzero(self.children_left != NO_CHILD)
        parent[self.children_left[inner]] = parent[self.children_right[inner]] = inner
        return parent

    def decision_path(self, X: Any) -> sp.csr_matrix:
        """(rows, nodes), CSR: 1 where a row passes through a node."""
        return self.paths_to(self.apply(X))

    def paths_to(self, leaves: np.ndarray) -> sp.csr_matrix:
        """(leaves, nodes), CSR: 1 for the nodes from the root to each of the leaves."""
        steps = self.depth[leaves] + 1
        indptr = np.concatenate([[0], np.cumsum(steps)])
        indices = np.empty(indptr[-1], dtype=np.intp)
        parent, node, place = self.parents(), leaves.astype(np.intp), indptr[1:] - 1
        going = np.arange(len(leaves))
        while len(going):  # one level up for all rows at once
            indices[place[going]] = node[going]
            place[going] -= 1
            node[going] = parent[node[going]]
            going = going[node[going] >= 0]
        return sp.csr_matrix((np.ones(len(indices), dtype=np.int64), indices, indptr), (len(leaves), self.node_count))

    def compute_feature_importances(self, normalize: bool = True) -> np.ndarray:
        """The decrease of the weighted impurity by the splits on each feature, over the weight; adding up to one."""
        inner = np.flatnonzero(self.children_left != NO_CHILD)
        mass = self.weighted_n_node_samples * self.impurity
        decrease = mass[inner] - mass[self.children_left[inner]] - mass[self.children_right[inner]]
        total = np.bincount(self.feature[inner], weights=decrease, minlength=self.n_features)
        total = total / self.weighted_n_node_samples[0]
        return total / total.sum() if normalize and total.sum() > 0 else total

    def compute_partial_dependence(self, X: np.ndarray, target_features: np.ndarray, out: np.ndarray) -> None:
        """out ← the mean answer for rows X of the target features; other features go both ways, by the training weight.

        For one output; the answer is the last entry of the values of a leaf.
        """
        out[:] = 0
        place = {int(j): k for k, j in enumerate(target_features)}
        share = {0: np.ones(len(X))}
        for node in range(self.node_count):  # parents come before children
            mine = share.pop(node)
            left, right = int(self.children_left[node]), int(self.children_right[node])
            if left == NO_CHILD:
                out += mine * self.value[node, 0, -1]
                continue
            k = place.get(int(self.feature[node]))
            if k is None:
                goes_left: Any = self.weighted_n_node_samples[left] / self.weighted_n_node_samples[node]
            else:
                goes_left = self.goes_left(node, X[:, k]).astype(float)
            share[left], share[right] = mine * goes_left, mine * (1 - goes_left)


def seen_categories(codes: np.ndarray, categorical: np.ndarray, most: int = MOST_CATEGORIES) -> np.ndarray:
    """(columns, 256): which of the categories 0 … most − 1 there are in each column of them."""
    seen = np.zeros((codes.shape[1], MOST_CATEGORIES), dtype=bool)
    for j in np.flatnonzero(categorical):
        there = np.unique(codes[:, j])
        seen[j, there[there < most].astype(np.intp)] = True
    return seen
