"""What logistic regression asks of the data before it starts: weights of the classes, moments of the columns."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from surefit.engine.leaves import fold_tree
from surefit.engine.sources.block import Block, row_weights
from surefit.engine.step import Step
from surefit.summaries.moments import Moments, MomentsStep
from surefit.summaries.moments import combine as combine_moments


class Overview(NamedTuple):
    counts: np.ndarray
    """(C,) weight of each class."""
    moments: Moments | None
    """Of every row, or of every `every`-th leaf."""
    square_sum: float
    """Σ ω ‖x‖², where not every row is in the moments."""


class OverviewStep(Step):
    """Weights of the classes, and the moments of the rows weighted by ω (those of the classes among them).

    With `every` > 1 the moments are those of every so-many-th leaf: enough to start from.
    """

    def __init__(self, n_classes: int, with_moments: bool, every: int = 1) -> None:
        self.n_classes, self.with_moments, self.every = n_classes, with_moments, every

    def map(self, state: np.ndarray | None, block: Block, n_threads: int) -> Overview:
        w, codes = row_weights(block, state), block.codes

        def counts(i: int) -> np.ndarray:
            rows = slice(i * block.leaf_rows, (i + 1) * block.leaf_rows)
            return np.bincount(codes[rows], None if w is None else w[rows], self.n_classes).astype(np.float64)

        total = fold_tree(block.n_leaves, counts, np.add, 1)
        if not self.with_moments:
            return Overview(total, None, 0.0)
        squares = 0.0
        if self.every > 1:
            squares = fold_tree(block.n_leaves, lambda i: _square_sum(block, w, i), float.__add__, n_threads)
            leaf = (block.start + np.arange(block.n_rows)) // block.leaf_rows
            w = np.where(leaf % self.every == 0, 1.0 if w is None else w, 0.0)
        weighted = Block(block.X, None, w, block.start, block.leaf_rows, block.scratch)
        return Overview(total, MomentsStep(False).map(None, weighted, n_threads), squares)

    def combine(self, left: Overview, right: Overview) -> Overview:
        moments = None
        if left.moments is not None and right.moments is not None:
            moments = combine_moments(left.moments, right.moments)
        return Overview(left.counts + right.counts, moments, left.square_sum + right.square_sum)


def _square_sum(block: Block, w: np.ndarray | None, i: int) -> float:
    """Σ ω ‖x‖² over one leaf."""
    rows = slice(i * block.leaf_rows, (i + 1) * block.leaf_rows)
    X = block.X[rows]
    if w is None:
        values = X.data if sp.issparse(X) else X.ravel()
        return float(values @ values)
    squares = X.multiply(X).sum(axis=1) if sp.issparse(X) else np.einsum("ij,ij->i", X, X)
    return float(w[rows] @ np.asarray(squares).ravel())
