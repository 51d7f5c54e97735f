"""Weight and mean of every class, and products of deviations from the class means: the pass under discriminants.

With ω the weight of a row and k its class:

    W_k = Σ ω        m_k = Σ ω x / W_k        S_k = Σ ω (x − m_k)(x − m_k)ᵀ

`products` is Σ_k S_k (pooled), or every S_k. Deviations are taken before products, so an offset in a column costs no
digits. Two statistics merge class by class with Chan's formula, leaves in the fixed tree. Leaves of CSR rows are made
dense one at a time.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from surefit import _native
from surefit.engine.leaves import fold_tree
from surefit.engine.sources.block import Block
from surefit.engine.step import Step


class ClassMoments(NamedTuple):
    weights: np.ndarray
    """(C,)"""
    counts: np.ndarray
    """(C,) rows of weight above zero."""
    means: np.ndarray
    """(C, d); zero for a class without weight."""
    products: np.ndarray
    """(d, d) pooled, else (C, d, d); symmetric to the bit."""

    @property
    def pooled(self) -> bool:
        return self.products.ndim == 2


def combine(left: ClassMoments, right: ClassMoments) -> ClassMoments:
    """Chan's merge class by class, operation by operation that of the compiled tree.

    With δ_k = m_k,right − m_k,left and u_k = δ_k √(W_k,left · W_k,right / W_k):  S = S_left + S_right + Σ_k u_k u_kᵀ.
    """
    weights, means = left.weights.copy(), left.means.copy()
    only_right = left.weights == 0
    weights[only_right], means[only_right] = right.weights[only_right], right.means[only_right]
    products = left.products + right.products
    for k in np.flatnonzero((left.weights > 0) & (right.weights > 0)):
        weights[k] = left.weights[k] + right.weights[k]
        share = right.weights[k] / weights[k]
        step = right.means[k] - left.means[k]
        means[k] = left.means[k] + step * share
        u = step * np.sqrt(left.weights[k] * share)
        (products if left.pooled else products[k])[...] += np.multiply.outer(u, u)
    return ClassMoments(weights, left.counts + right.counts, means, products)


class ClassMomentsStep(Step):
    """The class moments of a block whose y holds codes 0 … C−1. The state, where there is one, holds a factor for the
    weights of each class."""

    def __init__(self, n_classes: int, pooled: bool) -> None:
        self.n_classes = n_classes
        self.pooled = pooled

    def map(self, state: np.ndarray | None, block: Block, n_threads: int) -> ClassMoments:
        if isinstance(block.X, np.ndarray):
            return self._dense(state, block, block.X, n_threads)
        return fold_tree(block.n_leaves, lambda i: self.map_leaf(state, block.leaf(i)), self.combine, n_threads)

    def map_leaf(self, state: np.ndarray | None, leaf: Block) -> ClassMoments:
        return self._dense(state, leaf, leaf.X if isinstance(leaf.X, np.ndarray) else leaf.X.toarray(), 1)

    def _dense(self, state: np.ndarray | None, block: Block, X: np.ndarray, n_threads: int) -> ClassMoments:
        if block.y is None:
            raise ValueError("class moments need the classes; the data has none")
        classes = block.codes
        w = None if block.w is None else np.ascontiguousarray(block.w, dtype=np.float64)
        if state is not None:
            w = state[classes] if w is None else w * state[classes]
        X = np.ascontiguousarray(X)
        return ClassMoments(
            *_native.class_moments(X, classes, self.n_classes, w, self.pooled, block.leaf_rows, n_threads)
        )

    def combine(self, left: ClassMoments, right: ClassMoments) -> ClassMoments:
        return combine(left, right)
