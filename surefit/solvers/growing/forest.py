"""Many trees from one set of examples in bins: each from a bag of its own, all threads at once.

in:  the bins of distinct examples in canonical order, their targets, and for each tree how often it has drawn each
out: the trees, and for the examples outside a bag the leaves they end up in

Bins stand for intervals of values: a split between two bins is written as the threshold between them. Between the bins
that are there in a node all thresholds part its rows alike; the one nearest to the middle of the lowest and the highest
of them is taken, of two as near the upper. The bins of a column of categories are their codes, and a split is a set of
them, looked for as exact trees do (exact.py).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from surefit import _native
from surefit.solvers.growing.tree import Tree
from surefit.summaries.bins import Bins

CRITERIA = {"gini": 0, "entropy": 1, "log_loss": 1, "squared_error": 2, "friedman_mse": 2, "poisson": 3}
"""What is counted in bins; Friedman's measure of a split is its decrease of the squared error."""
NO_LIMIT = 2**62


@dataclass(frozen=True)
class BinnedExamples:
    """`y`: codes of classes with `n_classes`, or numbers with 0. `repeats`: rows an example stands for (None: one)."""

    matrix: np.ndarray
    bins: Bins
    y: np.ndarray
    n_classes: int
    repeats: np.ndarray | None = None


@dataclass(frozen=True)
class TreeRules:
    """When a node is split, and by what; scikit-learn's names."""

    criterion: str
    max_features: int
    max_depth: int | None = None
    min_samples_split: int = 2
    min_samples_leaf: int = 1
    min_weight_fraction_leaf: float = 0.0
    min_impurity_decrease: float = 0.0

    def limits(self) -> dict[str, Any]:
        """As compiled growers call them."""
        return {
            "max_depth": NO_LIMIT if self.max_depth is None else self.max_depth,
            "min_samples_split": self.min_samples_split,
            "min_samples_leaf": self.min_samples_leaf,
            "min_weight_share": self.min_weight_fraction_leaf,
            "min_decrease": self.min_impurity_decrease,
        }


def grow_binned(
    examples: BinnedExamples,
    rules: TreeRules,
    seeds: np.ndarray,
    counts: np.ndarray | None = None,
    weights: np.ndarray | None = None,
    class_weight: np.ndarray | None = None,
    *,
    outside: bool = False,
    n_threads: int = 1,
) -> tuple[list[Tree], np.ndarray | None]:
    """(trees, leaves): a tree for each seed, from `counts` (trees, examples) or else from the weights of the examples.

    `class_weight` (trees, classes) multiplies either. `outside`: the leaf of each example that a tree has not drawn, −1
    for those it has.
    """
    classes = examples.n_classes
    codes = np.ascontiguousarray(examples.y, dtype=np.int32) if classes else None
    numbers = None if classes else np.ascontiguousarray(examples.y, dtype=np.float64)
    leaves = np.empty((len(seeds), len(examples.y)), dtype=np.int32) if outside else None
    grown = _native.grow_forest(
        examples.matrix,
        codes,
        classes,
        numbers,
        examples.repeats,
        *columns_of(examples.bins),
        np.asarray(seeds, dtype=np.uint64),
        counts,
        weights,
        class_weight,
        CRITERIA[rules.criterion],
        rules.max_features,
        **rules.limits(),
        outside=leaves,
        n_threads=n_threads,
    )
    return [tree_of(arrays, examples.matrix.shape[1], classes) for arrays in grown], leaves


def columns_of(bins: Bins) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
    """(thresholds of all columns, where those of each begin, which columns hold categories)."""
    starts = np.concatenate([[0], np.cumsum([len(t) for t in bins.thresholds])]).astype(np.int64)
    codes = bins.is_categorical.astype(np.uint8) if bins.is_categorical.any() else None
    return np.concatenate([*bins.thresholds, np.empty(0)]), starts, codes


def tree_of(arrays: tuple[Any, ...], n_features: int, n_classes: int) -> Tree:
    left, right, feature, threshold, missing_left, value, impurity, n_samples, weight, category_row, sets = arrays
    return Tree(
        n_features=n_features,
        n_classes=np.array([max(1, n_classes)]),
        children_left=left,
        children_right=right,
        feature=feature,
        threshold=threshold,
        missing_go_to_left=missing_left,
        value=value.reshape(len(left), 1, max(1, n_classes)),
        impurity=impurity,
        n_node_samples=n_samples,
        weighted_n_node_samples=weight,
        category_row=category_row,
        categories=sets,
    )
