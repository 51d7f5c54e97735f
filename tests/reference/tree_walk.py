"""Rows through a tree, node by node, in plain NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np


def goes_left(tree: Any, node: int, column: np.ndarray) -> np.ndarray:
    """For values of the node's feature: which go left."""
    if tree.category_row[node] < 0:
        missing = np.isnan(column)
        left = column <= tree.threshold[node]
    else:
        missing = ~((column >= 0) & (column < 256))
        code = np.where(missing, 0, column).astype(np.uint64)
        words = tree.categories[tree.category_row[node]][(code >> np.uint64(6)).astype(np.intp)]
        left = (words >> (code & np.uint64(63))) & np.uint64(1) == 1
    return np.where(missing, bool(tree.missing_go_to_left[node]), left)


def leaves_of(tree: Any, X: np.ndarray) -> np.ndarray:
    """The leaf of each row of a dense matrix; children come after their parents."""
    leaf = np.zeros(X.shape[0], dtype=np.intp)
    rows_of = {0: np.arange(X.shape[0])}
    for node in range(tree.node_count):
        rows = rows_of.pop(node, None)
        if rows is None:
            continue
        if tree.children_left[node] < 0:
            leaf[rows] = node
            continue
        left = goes_left(tree, node, X[rows, tree.feature[node]].astype(np.float64))
        rows_of[int(tree.children_left[node])] = rows[left]
        rows_of[int(tree.children_right[node])] = rows[~left]
    return leaf
