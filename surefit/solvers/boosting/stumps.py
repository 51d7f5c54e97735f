"""Stumps (trees of one split by the Gini impurity) for weighted classes: columns sorted once, one scan a round."""

from __future__ import annotations

import numpy as np

from surefit import _native
from surefit.solvers.growing.tree import NO_CHILD, NO_FEATURE, Tree


class Stumps:
    """Dense finite rows of positive weight, ready for `fit`.

    in: `codes`, the class of each row; `sizes`, how many rows of the data each stands for.
    """

    def __init__(self, X: np.ndarray, codes: np.ndarray, n_classes: int, sizes: np.ndarray, n_threads: int = 1) -> None:
        self._columns = np.ascontiguousarray(X.T)
        self._codes = np.ascontiguousarray(codes, dtype=np.int32)
        self._n_classes, self._sizes = n_classes, sizes
        self._rows = _native.StumpRows(self._columns, self._codes, n_classes, n_threads)

    def fit(self, w: np.ndarray) -> tuple[Tree, np.ndarray]:
        """(the best stump for the weights w, the class it gives each row: the heaviest on its side, else the first)."""
        K, codes = self._n_classes, self._codes
        feature, below, above = self._rows.split(w)
        totals = np.bincount(codes, weights=w, minlength=K)
        if feature < 0 or np.count_nonzero(totals) < 2:
            return self._leaf(totals), np.full(len(codes), totals.argmax())
        column = self._columns[feature]
        threshold = midpoint(float(column[below]), float(column[above]))
        left = column <= np.float64(threshold)  # a number of Python would be rounded to float32 first
        sides = np.bincount(codes + K * left, weights=w, minlength=2 * K).reshape(2, K)
        counts = np.bincount(left.astype(np.intp), weights=self._sizes, minlength=2)
        tree = self._stump(int(feature), threshold, np.array([totals, sides[1], sides[0]]), counts)
        return tree, np.where(left, sides[1].argmax(), sides[0].argmax())

    def _leaf(self, totals: np.ndarray) -> Tree:
        return self._tree([NO_CHILD], [NO_CHILD], [NO_FEATURE], [NO_FEATURE], totals[None], [self._sizes.sum()])

    def _stump(self, feature: int, threshold: float, weights: np.ndarray, counts: np.ndarray) -> Tree:
        none, no_feature = NO_CHILD, NO_FEATURE
        numbers = [counts.sum(), counts[1], counts[0]]
        features, thresholds = [feature, no_feature, no_feature], [threshold, no_feature, no_feature]
        return self._tree([1, none, none], [2, none, none], features, thresholds, weights, numbers)

    def _tree(self, left: list, right: list, feature: list, threshold: list, weights: np.ndarray, counts: list) -> Tree:
        """Missing values, of which these rows have none, go to the side with more rows."""
        total = weights.sum(axis=1)
        shares = weights / total[:, None]
        nodes = len(left)
        return Tree(
            n_features=len(self._columns),
            n_classes=np.array([self._n_classes]),
            children_left=np.array(left),
            children_right=np.array(right),
            feature=np.array(feature),
            threshold=np.array(threshold, dtype=np.float64),
            missing_go_to_left=np.array([nodes == 3 and counts[1] > counts[2]] + [False] * (nodes - 1)),
            value=shares[:, None, :],
            impurity=np.maximum(1.0 - (shares**2).sum(axis=1), 0.0),
            n_node_samples=np.array(counts),
            weighted_n_node_samples=total,
            category_row=np.full(nodes, -1),
            categories=np.zeros((0, 4), dtype=np.uint64),
        )


def midpoint(lower: float, upper: float) -> float:
    """A threshold between two values, in double precision: lower ≤ threshold < upper."""
    middle = lower / 2 + upper / 2
    return middle if lower <= middle < upper else lower
