"""Rows through a tree, node by node, in plain NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np


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
        left = tree.goes_left(node, X[rows, tree.feature[node]].astype(np.float64))
        rows_of[int(tree.children_left[node])] = rows[left]
        rows_of[int(tree.children_right[node])] = rows[~left]
    return leaf
