"""Mean and spread of every column: the one place where they are computed.

With ω the weight of a row (times that of its class, where classes have weights):

    W = Σ ω        m = Σ ω x / W        Q = Σ ω (x − m)²

Dense rows are the case of one class of `class_spread`: deviations are taken before they are squared, so an offset in a
column costs no digits, and leaves merge in the fixed tree. Of CSR rows Σ ω x and Σ ω x² are summed over stored entries,
and Q = Σ ω x² − W m²: right to rounding where the columns are mostly zero, which is what CSR is for.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from surefit import _native
from surefit.engine.leaves import by_leaves, tree_sum
from surefit.engine.sources.block import Block, row_weights
from surefit.engine.sources.source import Source
from surefit.engine.step import Step
from surefit.summaries.class_spread import ClassSpread
from surefit.summaries.class_spread import combine as combine_classes
from surefit.summaries.moments import Moments
from surefit.summaries.row_products import by_columns, csr_parts, few_columns


class ColumnSpread(NamedTuple):
    weight: float
    mean: np.ndarray
    squares: np.ndarray
    """Q"""

    @staticmethod
    def of_moments(moments: Moments) -> ColumnSpread:
        return ColumnSpread(moments.weight, moments.mean, np.diagonal(moments.products).copy())

    def merged(self, other: ColumnSpread) -> ColumnSpread:
        """That of the rows of both (Chan, Golub and LeVeque); one of them may be empty."""
        weight = self.weight + other.weight
        if weight == 0:
            return self
        share = other.weight / weight
        step = other.mean - self.mean
        squares = self.squares + other.squares + self.weight * share * step**2
        return ColumnSpread(weight, self.mean + share * step, squares)


def column_spread(
    data: Source,
    *,
    targets: bool = False,
    class_weight: np.ndarray | None = None,
    scale: float = 1.0,
    keep_columns: bool = False,
) -> ColumnSpread:
    """Of the columns of X, and with `targets` of those of y after them.

    `scale`: of X·scale, for numbers whose squares leave floating point. `keep_columns`: the source keeps its CSR rows
    by columns, for passes that come.
    """
    if data.is_sparse:
        found = data.fold(ColumnSumsStep(scale, keep_columns), class_weight).spread()
    else:
        found = _of_one_class(data.fold(DenseSpreadStep(scale), class_weight))
    if not targets:
        return found
    of_y = _of_one_class(data.fold(DenseSpreadStep(of_targets=True), class_weight))
    return ColumnSpread(found.weight, np.append(found.mean, of_y.mean), np.append(found.squares, of_y.squares))


def _of_one_class(spread: ClassSpread) -> ColumnSpread:
    return ColumnSpread(float(spread.weights[0]), spread.means[0], spread.squares[0])


class DenseSpreadStep(Step):
    """All rows as one class: of X·scale, or of the targets. The state: weights of the classes, or None."""

    def __init__(self, scale: float = 1.0, of_targets: bool = False) -> None:
        self.scale, self.of_targets = scale, of_targets

    def map(self, state: np.ndarray | None, block: Block, n_threads: int) -> ClassSpread:
        if self.scale != 1.0 or sp.issparse(block.X):  # a copy of each leaf, not of the block
            return super().map(state, block, n_threads)
        return self._native(state, block, self._columns(block), n_threads)

    def map_leaf(self, state: np.ndarray | None, leaf: Block) -> ClassSpread:
        columns = self._columns(leaf)
        return self._native(state, leaf, columns if self.scale == 1.0 else columns * self.scale, 1)

    def _columns(self, block: Block) -> np.ndarray:
        if not self.of_targets:
            return block.X.toarray() if sp.issparse(block.X) else np.ascontiguousarray(block.X)
        return np.ascontiguousarray(block.targets, dtype=np.float64)

    @staticmethod
    def _native(state: np.ndarray | None, block: Block, columns: np.ndarray, n_threads: int) -> ClassSpread:
        one_class = np.zeros(len(columns), dtype=np.int32)
        w = row_weights(block, state)
        return ClassSpread(*_native.class_spread(columns, one_class, 1, w, False, block.leaf_rows, n_threads))

    def combine(self, left: ClassSpread, right: ClassSpread) -> ClassSpread:
        return combine_classes(left, right)


class ColumnSums(NamedTuple):
    weight: float
    sums: np.ndarray
    """Σ ω x"""
    squares: np.ndarray
    """Σ ω x²"""

    def spread(self) -> ColumnSpread:
        with np.errstate(over="ignore", invalid="ignore"):
            mean = self.sums / (self.weight or 1.0)
            return ColumnSpread(self.weight, mean, np.maximum(self.squares - self.sums * mean, 0.0))


class ColumnSumsStep(Step):
    """Of CSR rows. The state: weights of the classes, or None."""

    def __init__(self, scale: float = 1.0, keep_columns: bool = False) -> None:
        self.scale, self.keep_columns = scale, keep_columns

    def map(self, state: np.ndarray | None, block: Block, n_threads: int) -> ColumnSums:
        w = row_weights(block, state)
        w = np.ones(block.n_rows) if w is None else w
        weight = float(tree_sum(by_leaves(w, block.leaf_rows).sum(axis=1)))
        if few_columns(block):
            parts = csr_parts(block.X)
            found = _native.csr_column_moments(*parts, block.n_features, w, self.scale, block.leaf_rows, n_threads)
            return ColumnSums(weight, *found)
        data, rows, ends = csr_parts(by_columns(block) if self.keep_columns else sp.csc_array(block.X))
        values = data.astype(np.float64) if self.scale == 1.0 else data * self.scale
        sums, squares = (self._sums(v, rows, ends, w, block, n_threads) for v in (values, values**2))
        return ColumnSums(weight, sums, squares)

    @staticmethod
    def _sums(values: np.ndarray, rows: Any, ends: Any, w: np.ndarray, block: Block, n_threads: int) -> np.ndarray:
        return _native.csc_sums(values, rows, ends, w[None], block.leaf_rows, n_threads)[0]

    def combine(self, left: ColumnSums, right: ColumnSums) -> ColumnSums:
        return ColumnSums(left.weight + right.weight, left.sums + right.sums, left.squares + right.squares)


def deviations(rows: np.ndarray, w: np.ndarray | None) -> tuple[float, np.ndarray, np.ndarray]:
    """Weight, mean and the deviations x − m in double, of dense rows in memory (at least one).

    Taken from the first row first: an offset costs no digits, and a constant column becomes exact zeros.
    """
    first = rows[0].astype(np.float64)
    D = np.subtract(rows, first, dtype=np.float64)
    weight = float(len(rows)) if w is None else float(w.sum())
    shift = D.mean(axis=0) if w is None else w @ D / weight
    D -= shift
    return weight, first + shift, D
