"""How often every category of every feature occurs in every class, Σ ω [x = v]: categorical naive Bayes.

Categories are the whole numbers 0, 1, …; other numbers are cut to whole ones. The counts of all features stand side by
side, those of feature j in the columns starts[j] … starts[j+1]−1. Tables of two blocks may differ in width: the
narrower one has seen none of the higher categories.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from surefit import _native
from surefit._core.errors import InvalidData
from surefit._core.memory import refuse_beyond_memory
from surefit.engine.leaves import fold_tree
from surefit.engine.sources.block import Block
from surefit.engine.step import Step

MOST_CATEGORIES = 2**40


class CategoryCounts(NamedTuple):
    weights: np.ndarray
    """(C,): Σ ω."""
    n_categories: np.ndarray
    """(d,): one more than the highest category seen."""
    counts: np.ndarray
    """(C, Σ n_categories)"""
    negative: bool
    not_finite: bool

    def of_features(self) -> list[np.ndarray]:
        """The counts of each feature, (C, n_categories of it)."""
        return np.split(self.counts, np.cumsum(self.n_categories)[:-1], axis=1)


def widened(table: CategoryCounts, n_categories: np.ndarray) -> np.ndarray:
    """The counts with columns of zeros up to `n_categories`."""
    if np.array_equal(table.n_categories, n_categories):
        return table.counts
    wide = np.zeros((len(table.weights), int(n_categories.sum())))
    starts = np.cumsum(n_categories) - n_categories
    for start, counts in zip(starts, table.of_features(), strict=True):
        wide[:, start : start + counts.shape[1]] = counts
    return wide


class CategoryCountsStep(Step):
    """The counts of a block whose y holds codes 0 … C−1; at least `fewest` categories (d,) for each feature."""

    def __init__(self, n_classes: int, fewest: np.ndarray) -> None:
        self.n_classes = n_classes
        self.fewest = fewest

    def map(self, state: None, block: Block, n_threads: int) -> CategoryCounts:
        if sp.issparse(block.X):
            return fold_tree(block.n_leaves, lambda i: self.map_leaf(state, block.leaf(i)), self.combine, n_threads)
        return self._dense(block, block.X, n_threads)

    def map_leaf(self, state: None, leaf: Block) -> CategoryCounts:
        return self._dense(leaf, leaf.X.toarray() if sp.issparse(leaf.X) else leaf.X, 1)

    def _dense(self, block: Block, X: np.ndarray, n_threads: int) -> CategoryCounts:
        X = np.ascontiguousarray(X)
        lowest, highest, not_finite = _native.column_range(X, n_threads)
        negative = bool((lowest < 0).any())
        if not_finite or negative:
            return self._nothing(negative, not_finite)
        if highest.max() >= MOST_CATEGORIES:
            raise InvalidData(f"column {int(highest.argmax())} of X holds {highest.max():g}: that is no category")
        n_categories = np.maximum(highest.astype(np.int64) + 1, self.fewest)
        refuse_beyond_memory(
            8.0 * self.n_classes * float(n_categories.sum()) * (n_threads + 2),
            f"a table of {int(n_categories.sum())} categories for each of {self.n_classes} classes",
            "Categories are 0, 1, … without gaps: encode them with OrdinalEncoder.",
        )
        starts = np.concatenate([[0], np.cumsum(n_categories)])
        codes = block.codes
        weights, counts = _native.category_counts(X, codes, self.n_classes, block.w, starts, block.leaf_rows, n_threads)
        return CategoryCounts(weights, n_categories, counts, False, False)

    def _nothing(self, negative: bool, not_finite: bool) -> CategoryCounts:
        """Of rows that cannot be counted; the caller refuses them."""
        counts = np.zeros((self.n_classes, int(self.fewest.sum())))
        return CategoryCounts(np.zeros(self.n_classes), self.fewest, counts, negative, not_finite)

    def combine(self, left: CategoryCounts, right: CategoryCounts) -> CategoryCounts:
        negative, not_finite = left.negative or right.negative, left.not_finite or right.not_finite
        if negative or not_finite:
            return self._nothing(negative, not_finite)
        n_categories = np.maximum(left.n_categories, right.n_categories)
        counts = widened(left, n_categories) + widened(right, n_categories)
        return CategoryCounts(left.weights + right.weights, n_categories, counts, False, False)

    def typed(self, statistic: Any) -> CategoryCounts:
        """A statistic that was kept as a plain tuple."""
        return CategoryCounts(*statistic)
