"""Weight, mean and squared deviations of every class and feature: the pass under Gaussian naive Bayes.

With ω the weight of a row:

    W = Σ ω        m = Σ ω x / W        Q = Σ ω (x − m)²

Deviations are taken from the class mean of a leaf, so an offset in a column costs no digits. Two statistics merge with
Chan's formula, leaves in the fixed tree; a mean is kept as means + lows, lows what rounding takes from an offset. With
`missing`, NaN is left out, and W is that of the class and the feature.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from surefit import _native
from surefit._core.arithmetic import two_sum
from surefit.engine.leaves import fold_tree
from surefit.engine.sources.block import Block
from surefit.engine.step import Step


class ClassSpread(NamedTuple):
    weights: np.ndarray
    """(C,)"""
    feature_weights: np.ndarray | None
    """(C, d) where NaN is left out, else None."""
    means: np.ndarray
    """(C, d); zero where there is no weight."""
    lows: np.ndarray
    """(C, d): what rounding took from the means."""
    squares: np.ndarray
    """(C, d)"""

    @property
    def cell_weights(self) -> np.ndarray:
        """(C, 1) or (C, d): the W of every mean."""
        return self.weights[:, None] if self.feature_weights is None else self.feature_weights


def combine(left: ClassSpread, right: ClassSpread) -> ClassSpread:
    """Chan's merge, operation by operation that of the compiled tree."""
    a, b = left.cell_weights, right.cell_weights
    share = np.divide(b, a + b, out=np.zeros_like(b), where=b > 0)
    step = (right.means - left.means) + (right.lows - left.lows)
    moved = two_sum(left.means, left.lows + step * share)
    merged = (*moved, (left.squares + right.squares) + (step * step) * (a * share))
    sides = zip(left[2:], merged, right[2:], strict=True)
    means, lows, squares = (np.where(b > 0, np.where(a > 0, both, after), before) for before, both, after in sides)
    weights = left.weights + right.weights
    return ClassSpread(weights, None if left.feature_weights is None else a + b, means, lows, squares)


def pooled_variance(spread: ClassSpread) -> np.ndarray:
    """(d,): the variance of every feature over all classes; zero where nothing is known."""
    W = np.broadcast_to(spread.cell_weights, spread.means.shape)
    total = W.sum(axis=0)
    known = np.maximum(total, np.finfo(np.float64).tiny)
    # about the mean of the class of most weight: an offset costs no digits
    first = W.argmax(axis=0)[None]
    step = (spread.means - np.take_along_axis(spread.means, first, axis=0)) + (
        spread.lows - np.take_along_axis(spread.lows, first, axis=0)
    )
    step = np.where(W > 0, step, 0.0)
    step = step - (W * step).sum(axis=0) / known
    return (spread.squares + W * step**2).sum(axis=0) / known


class ClassSpreadStep(Step):
    """The spread of a block whose y holds codes 0 … C−1. CSR leaves are made dense one at a time."""

    def __init__(self, n_classes: int, missing: bool = False) -> None:
        self.n_classes = n_classes
        self.missing = missing

    def map(self, state: None, block: Block, n_threads: int) -> ClassSpread:
        if isinstance(block.X, np.ndarray):
            return self._dense(block, block.X, n_threads)
        return fold_tree(block.n_leaves, lambda i: self.map_leaf(state, block.leaf(i)), self.combine, n_threads)

    def map_leaf(self, state: None, leaf: Block) -> ClassSpread:
        return self._dense(leaf, leaf.X.toarray() if sp.issparse(leaf.X) else leaf.X, 1)

    def _dense(self, block: Block, X: np.ndarray, n_threads: int) -> ClassSpread:
        codes = block.codes
        X = np.ascontiguousarray(X)
        return ClassSpread(
            *_native.class_spread(X, codes, self.n_classes, block.w, self.missing, block.leaf_rows, n_threads)
        )

    def combine(self, left: ClassSpread, right: ClassSpread) -> ClassSpread:
        return combine(left, right)

    def typed(self, statistic: Any) -> ClassSpread:
        """A statistic that was kept as a plain tuple."""
        return ClassSpread(*statistic)
