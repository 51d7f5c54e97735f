"""A fitted tree read from its arrays, and the rows of the data that come to each node.

A row x at an inner node with feature j goes left where x_j ≤ threshold, where x_j is a category of the node's set, or
where x_j is missing and missing_go_to_left says so. Missing: NaN; for a set also what is not one of 0 … 255.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.blocks import F64
from surefit.certificates.rounding import UNIT

NUMBERS = {"children_left": "i", "children_right": "i", "feature": "i", "threshold": "f", "impurity": "f",
           "n_node_samples": "i", "weighted_n_node_samples": "f"}  # fmt: skip


@dataclass(frozen=True)
class Nodes:
    """The arrays of `tree_`: a node is a place in them, the root is place 0, parents come before children."""

    n_features: int
    left: NDArray[np.intp]
    right: NDArray[np.intp]
    feature: NDArray[np.intp]
    threshold: F64
    impurity: F64
    count: NDArray[np.intp]
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
        left, missing = column <= self.threshold[node], np.isnan(column)
        sets = np.broadcast_to(self.category_row[node], column.shape)
        if (sets >= 0).any():
            known = (column >= 0) & (column < 256)
            inside = self.categories[sets, np.where(known, column, 0).astype(np.intp)]
            left, missing = np.where(sets >= 0, inside, left), np.where(sets >= 0, ~known, missing)
        return np.where(missing, self.missing_left[node], left)

    def visit(self, X: F64) -> Iterator[tuple[int, NDArray[np.intp]]]:
        """Every node, parents first, with the places of the rows that come to it."""
        waiting = {0: np.arange(len(X))}
        for node in range(len(self)):
            rows = waiting.pop(node)
            if self.left[node] >= 0:
                left = self.goes_left(node, X[rows, self.feature[node]])
                waiting[int(self.left[node])], waiting[int(self.right[node])] = rows[left], rows[~left]
            yield node, rows

    def leaves(self, X: F64) -> NDArray[np.intp]:
        """The leaf of every row."""
        at, going = np.zeros(len(X), dtype=np.intp), np.arange(len(X))
        while True:
            going = going[self.left[at[going]] >= 0]
            if not going.size:
                return at
            node = at[going]
            left = self.goes_left(node, X[going, self.feature[node]])
            at[going] = np.where(left, self.left[node], self.right[node])

    def depth(self) -> NDArray[np.intp]:
        depth = np.zeros(len(self), dtype=np.intp)
        for node in np.flatnonzero(self.inner):
            depth[[self.left[node], self.right[node]]] = depth[node] + 1
        return depth


def importances(nodes: Nodes) -> tuple[F64, float]:
    """By feature: what the splits lower the weighted impurity by, as shares of the sum; and the rounding of a share."""
    inner = np.flatnonzero(nodes.inner)
    loss = nodes.weight * nodes.impurity
    gains = loss[inner] - loss[nodes.left[inner]] - loss[nodes.right[inner]]
    total = float(gains.sum())
    shares = np.bincount(nodes.feature[inner], weights=gains, minlength=nodes.n_features)
    rounding = 16 * UNIT * (len(inner) + 4) * float(loss[inner].sum())
    return (shares / total, 4 * rounding / total) if total > 0 else (shares * 0.0, float(inner.size > 0))


def read_nodes(tree: Any, n_features: int) -> Nodes | str:
    """The nodes of a `tree_`, or what is wrong with it: every node but the root is the child of one node before it."""
    found: dict[str, NDArray] = {}
    for name in (*NUMBERS, "value"):
        try:
            array = np.asarray(getattr(tree, name, None))
        except (TypeError, ValueError):  # ragged lists
            return f"{name} is not an array of numbers"
        if array.dtype.kind not in ("iu" if NUMBERS.get(name) == "i" else "iuf") or array.ndim < 1:
            return f"{name} is not an array of numbers"
        found[name] = array.astype(np.intp if NUMBERS.get(name) == "i" else np.float64)
    n = len(found["children_left"])
    if n < 1 or any(found[name].shape != (n,) for name in NUMBERS) or found["value"].shape[0] != n:
        return "its arrays have different lengths"
    left, right, feature = found["children_left"], found["children_right"], found["feature"]
    inner = left != -1
    children = np.concatenate([left[inner], right[inner]])
    if (right[~inner] != -1).any() or not np.array_equal(np.sort(children), np.arange(1, n)):
        return "its nodes are not the nodes of one binary tree"
    if (left[inner] <= np.flatnonzero(inner)).any() or (right[inner] <= np.flatnonzero(inner)).any():
        return "a child comes before its parent"
    if ((feature[inner] < 0) | (feature[inner] >= n_features)).any() or np.isnan(found["threshold"][inner]).any():
        return "an inner node has no feature of the data, or no threshold"
    if found["value"].ndim != 3 or not all(np.isfinite(found[k]).all() for k in ("value", "weighted_n_node_samples")):
        return "its values are not finite numbers of (nodes, outputs, classes)"
    try:
        missing = np.asarray(getattr(tree, "missing_go_to_left", np.zeros(n))).astype(bool)
        row = np.asarray(getattr(tree, "category_row", np.full(n, -1))).astype(np.intp)
        words = np.asarray(getattr(tree, "categories", np.zeros((0, 4)))).astype(np.uint64).reshape(-1, 4)
    except (TypeError, ValueError):
        return "missing_go_to_left, category_row or categories are not arrays of numbers"
    if missing.shape != (n,) or row.shape != (n,) or (row >= len(words)).any():
        return "its arrays have different lengths"
    bits = (words[:, :, None] >> np.arange(64, dtype=np.uint64)) & np.uint64(1)
    return Nodes(n_features, left, right, feature, found["threshold"], found["impurity"], found["n_node_samples"],
                 found["weighted_n_node_samples"], found["value"], missing, np.where(inner, row, -1),
                 bits.reshape(-1, 256) == 1)  # fmt: skip
