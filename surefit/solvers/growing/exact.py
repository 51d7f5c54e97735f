"""Exact CART: at every node the best split there is, found by scans of columns that were sorted once.

A split of a node of weight W and impurity I decreases the weighted impurity by  W·I − W_l·I_l − W_r·I_r. Taken is

    the largest decrease; decreases that differ by at most 1e-12 × W·I are equal; of equal ones the lowest feature (the
    one drawn first), then the lowest threshold (missing values to the right before to the left; category
    subsets: the first in the scan).

So the tree does not depend on the order of the rows, on weights given as repeated rows, or on the number of threads.

A subset of categories (numbers 0 … 255) is tried as the first one, two, … of those present in the node, ordered by
their mean, median or share of the second class, lowest first. With one number (squared error, Poisson) or two classes
present the best subset is among them. With more classes or several outputs all subsets are tried where at most
`EXHAUSTIVE_CATEGORIES` are present in the node; with more, the orders by the share of each class (by the mean of each
output) are a heuristic, as is the order by medians for the absolute error.

Random choices (`max_features`, `splitter="random"`) are drawn from the seed and the place of the node alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from surefit import _native
from surefit._core.data.faults import refuse_overflow
from surefit._core.memory import refuse_beyond_memory
from surefit.solvers.growing.tree import MOST_CATEGORIES, Tree

CLASS_CRITERIA = ("gini", "entropy", "log_loss")
NUMBER_CRITERIA = ("squared_error", "friedman_mse", "absolute_error", "poisson")
NO_LIMIT = 2**62
EXHAUSTIVE_CATEGORIES = 10
"""Categories present in a node up to which all subsets are tried, where no order is known to hold the best."""


@dataclass(frozen=True, eq=False)
class Columns:
    """Columns sorted once; trees that are grown from them leave them as they are.

    `lists` (columns, rows): rows in ascending order of the column, missing ones last; the top bit says that the value
    differs from the one before. `X` is the dense matrix they came from.
    """

    X: np.ndarray
    lists: np.ndarray
    has_missing: np.ndarray
    is_categorical: np.ndarray

    @property
    def n_rows(self) -> int:
        return self.X.shape[0]

    @property
    def n_features(self) -> int:
        return self.X.shape[1]


def presort(X: Any, *, categorical: np.ndarray | None = None, n_threads: int = 1) -> Columns:
    """Sort every column of a dense or sparse matrix (float32 or float64, NaN is missing).

    `categorical`: which columns hold categories, numbers 0 … 255 (NaN is missing).
    """
    n, d = X.shape
    size = np.dtype(X.dtype).itemsize
    refuse_beyond_memory(
        n * d * (8 + (size if sp.issparse(X) else 0)) + 2 * n * (size + 8) * n_threads,
        f"Exact trees on {n} rows and {d} columns, sorted,",
        "HistGradientBoosting or forests with max_bins work on binned columns.",
    )
    X = np.ascontiguousarray(X.toarray() if sp.issparse(X) else X)
    if X.dtype not in (np.float32, np.float64):
        X = X.astype(np.float64)
    mask = np.zeros(d, dtype=np.uint8) if categorical is None else np.asarray(categorical, dtype=np.uint8)
    for j in np.flatnonzero(mask):
        _check_categories(X[:, j], int(j))
    lists, missing = _native.exact_tree_presort(X, n_threads)
    return Columns(X, lists, missing, mask)


def _check_categories(column: np.ndarray, j: int) -> None:
    codes = column[~np.isnan(column)]
    if len(codes) and (codes.min() < 0 or codes.max() >= MOST_CATEGORIES or np.any(codes != np.floor(codes))):
        raise ValueError(
            f"Column {j} is categorical, so its values must be whole numbers from 0 to {MOST_CATEGORIES - 1} or NaN;"
            f" they lie between {codes.min()} and {codes.max()}. Encode them first, for example with OrdinalEncoder."
        )


def grow_exact(
    columns: Columns,
    y: np.ndarray,
    w: np.ndarray | None = None,
    *,
    criterion: str,
    n_classes: Any = None,
    splitter: str = "best",
    max_depth: int | None = None,
    min_samples_split: int = 2,
    min_samples_leaf: int = 1,
    min_weight_leaf: float = 0.0,
    max_features: int | None = None,
    max_leaf_nodes: int | None = None,
    min_impurity_decrease: float = 0.0,
    monotonic: np.ndarray | None = None,
    seed: int = 0,
    n_threads: int = 1,
    return_leaves: bool = False,
) -> Any:
    """The Tree; with `return_leaves` (Tree, leaf of every row): −1 for rows of weight zero, which are not there.

    in: y (rows,) or (rows, outputs): numbers, or for the criteria of classes their codes 0 … n_classes − 1 (one number
    of classes for each output). `min_weight_leaf` is a weight, not a share. Nodes come in preorder, left before right;
    with `max_leaf_nodes` in the order of creation.
    """
    by_class = criterion in CLASS_CRITERIA
    counts = np.atleast_1d(np.asarray(n_classes if by_class else 1, dtype=np.intp))
    targets = y.reshape(len(y), -1)
    if by_class and len(counts) != targets.shape[1]:
        counts = np.repeat(counts, targets.shape[1])
    codes = np.ascontiguousarray(targets, dtype=np.int32) if by_class else None
    if not by_class:
        refuse_overflow(targets)
    numbers, shift = (None, np.zeros(targets.shape[1])) if by_class else _shifted(targets, criterion)
    limits = [
        NO_LIMIT if max_depth is None else max_depth,
        min_samples_split,
        min_samples_leaf,
        columns.n_features if max_features is None else max_features,
        max_leaf_nodes or 0,
    ]
    *nodes, leaf = _native.exact_tree_grow(
        columns.X,
        columns.lists,
        columns.has_missing,
        columns.is_categorical,
        numbers,
        codes,
        int(counts.max()),
        None if w is None else np.ascontiguousarray(w, dtype=np.float64),
        shift,
        criterion,
        splitter == "random",
        np.array(limits, dtype=np.int64),
        float(min_weight_leaf),
        float(min_impurity_decrease),
        None if monotonic is None or not np.any(monotonic) else np.ascontiguousarray(monotonic, dtype=np.int8),
        int(seed) & (2**64 - 1),
        n_threads,
    )
    tree = _tree(nodes, columns.n_features, counts if by_class else np.ones(targets.shape[1], dtype=np.intp))
    return (tree, leaf.astype(np.intp, copy=False)) if return_leaves else tree


def _shifted(y: np.ndarray, criterion: str) -> tuple[np.ndarray, np.ndarray]:
    """Numbers minus their mean where it is far from zero for their spread (then the difference is exact), and the mean.

    Poisson's deviance takes the numbers as they are.
    """
    y = np.ascontiguousarray(y, dtype=np.float64)
    if criterion == "poisson":
        return y, np.zeros(y.shape[1])
    mean = y.mean(axis=0)
    shift = np.where(np.abs(mean) > 64 * y.std(axis=0), mean, 0.0)
    return (y - shift if shift.any() else y), shift


def _tree(nodes: list[np.ndarray], n_features: int, n_classes: np.ndarray) -> Tree:
    left, right, feature, threshold, missing_left, value, impurity, count, weight, category_row, categories = nodes
    return Tree(
        n_features=n_features,
        n_classes=n_classes,
        children_left=left,
        children_right=right,
        feature=feature,
        threshold=threshold,
        missing_go_to_left=missing_left,
        value=value.reshape(len(left), len(n_classes), -1),
        impurity=impurity,
        n_node_samples=count,
        weighted_n_node_samples=weight,
        category_row=category_row,
        categories=categories,
    )
