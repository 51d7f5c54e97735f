"""The trees of a boosted model, and the rows of the data that come to each node.

A row x at an inner node with feature j goes left where x_j ≤ threshold, or is a category of the node's set, or is
missing and missing_left says so. Missing: NaN; for a set also what is not one of 0 … 255.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.blocks import F64, BadData


class Tree(NamedTuple):
    """A node is a place in the arrays, the root is place 0; a leaf has left = −1."""

    left: NDArray[np.intp]
    right: NDArray[np.intp]
    feature: NDArray[np.intp]
    threshold: F64
    value: F64
    missing_left: Any
    set_row: Any  # −1 where a node splits by a threshold
    sets: NDArray[np.bool_]  # (sets, 256)

    @property
    def inner(self) -> list[int]:
        return np.flatnonzero(self.left >= 0).tolist()

    @property
    def leaves(self) -> list[int]:
        return np.flatnonzero(self.left < 0).tolist()

    def rows(self, X: F64) -> list[NDArray[np.intp]]:
        """The rows that come to each node; BadData unless the nodes are those of one binary tree, parents first."""
        children, rows = np.append(self.left[self.inner], self.right[self.inner]), [np.arange(len(X))] * len(self.left)
        if not np.array_equal(np.sort(children), np.arange(1, len(rows))) or (self.feature[self.inner] < 0).any():
            raise BadData("the nodes of a tree are not those of one binary tree")
        for i in self.inner:
            x, down = X[rows[i], self.feature[i]], (self.left[i], self.right[i])
            known, left = ~np.isnan(x), x <= self.threshold[i]
            if self.set_row[i] >= 0:
                known = (x >= 0) & (x < 256)
                left = self.sets[self.set_row[i], np.where(known, x, 0).astype(np.intp)]
            if min(down) <= i:
                raise BadData("a node of a tree comes before its parent")
            left = np.where(known, left, self.missing_left[i])
            rows[down[0]], rows[down[1]] = rows[i][left], rows[i][~left]
        return rows

    def answers(self, rows: list[NDArray[np.intp]]) -> F64:
        """The value of the leaf of each row."""
        out = np.zeros(len(rows[0]))
        for leaf in self.leaves:
            out[rows[leaf]] = self.value[leaf]
        return out


def read_tree(tree: Any) -> Tree:
    """The nodes of a `tree_`."""
    left, right, feature = (np.asarray(getattr(tree, n)) for n in ("children_left", "children_right", "feature"))
    none = np.zeros(len(left), dtype=np.intp)
    missing, sets = getattr(tree, "missing_go_to_left", none), getattr(tree, "categories", np.zeros((0, 4)))
    return Tree(left, right, feature, np.asarray(tree.threshold), np.asarray(tree.value)[:, 0, 0],
                np.asarray(missing).astype(bool), getattr(tree, "category_row", none - 1), bits(sets))  # fmt: skip


def bits(words: Any) -> NDArray[np.bool_]:
    """(sets, 256): the bits of sets of 32 bytes, the lowest first."""
    return np.unpackbits(np.ascontiguousarray(words).view(np.uint8), axis=1, bitorder="little") == 1
