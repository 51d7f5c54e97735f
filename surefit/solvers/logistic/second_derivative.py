"""Second derivatives of the logistic loss, over all columns or a few: one pass each."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.special import softmax as probabilities

from surefit import _native
from surefit._core.threads import thread_count
from surefit.engine.sources.block import Block, row_weights
from surefit.engine.step import Step
from surefit.objectives import logistic
from surefit.solvers.logistic.logistic_pass import Point
from surefit.summaries.moments import Moments, MomentsStep
from surefit.summaries.moments import combine as combine_moments
from surefit.summaries.row_products import scores as csr_scores

PRODUCTS_A_CALL = 2.5e9
"""Multiplications of one call of BLAS, about a tenth of a second: then signals are heard."""


def row_curvatures(block: Block, at: Point, n_threads: int | None = None) -> np.ndarray:
    """ω p (1 − p) of every row, for two classes."""
    w = row_weights(block, at.class_weight)
    n_threads = thread_count() if n_threads is None else n_threads
    if isinstance(block.X, np.ndarray):
        return _native.logistic_curvature(block.X, w, at.coef, at.intercept, block.leaf_rows, n_threads)
    z = csr_scores(block.X, at.coef, at.intercept, n_threads)[:, 0]
    curvature = logistic.second(z, z)
    return curvature if w is None else curvature * w


class BinaryHessianStep(Step):
    """Moments of the rows under the weights ω p (1 − p): the second derivative for two classes."""

    def map(self, state: Point, block: Block, n_threads: int) -> Moments:
        weights = row_curvatures(block, state, n_threads)
        return MomentsStep(False).map(
            None, Block(block.X, None, weights, block.start, block.leaf_rows, block.scratch), n_threads
        )

    def combine(self, left: Moments, right: Moments) -> Moments:
        return combine_moments(left, right)


class ScoreHessiansStep(Step):
    """For each of m > 2 classes the moments of the rows under the weights ω p (1 − p): the second derivative along its
    score alone."""

    def map(self, state: Point, block: Block, n_threads: int) -> tuple[Moments, ...]:
        scores = [np.asarray(leaf.X @ state.coef.T) for leaf in map(block.leaf, range(block.n_leaves))]
        P = probabilities(np.concatenate(scores) + state.intercept, axis=1)
        w = row_weights(block, state.class_weight)
        curvature = P * (1 - P) if w is None else P * (1 - P) * w[:, None]
        frame = block.start, block.leaf_rows, block.scratch
        step = MomentsStep(False)
        return tuple(
            step.map(None, Block(block.X, None, np.ascontiguousarray(c), *frame), n_threads) for c in curvature.T
        )

    def combine(self, left: tuple[Moments, ...], right: tuple[Moments, ...]) -> tuple[Moments, ...]:
        return tuple(combine_moments(a, b) for a, b in zip(left, right, strict=True))


class HessianStep(Step):
    """Σ ω (diag(p) − p pᵀ) ⊗ (x̃ x̃ᵀ) for m scores, with x̃ = (x − center, 1): (m (d+1), m (d+1)).

    For two classes, m = 1, it is Σ ω p (1 − p) x̃ x̃ᵀ. For more, with the rows p_k x̃ of all classes side by side in Z, it
    is the blocks Σ ω p_k x̃ x̃ᵀ on the diagonal less Zᵀ W Z.
    """

    def __init__(self, center: np.ndarray, with_intercept: bool, columns: np.ndarray | None = None) -> None:
        """`columns`: only these, with their centres."""
        self.center, self.with_intercept, self.columns = center, with_intercept, columns

    def map_leaf(self, state: Point, leaf: Block) -> np.ndarray:
        X = leaf.X if self.columns is None else leaf.X[:, self.columns]
        X = X.toarray() if sp.issparse(X) else X
        w = row_weights(leaf, state.class_weight)
        root = np.ones(len(X)) if w is None else np.sqrt(w)
        rows = np.subtract(X, self.center, dtype=np.float64) * root[:, None]
        if self.with_intercept:
            rows = np.hstack([rows, root[:, None]])
        scores = np.asarray(leaf.X @ state.coef.T) + state.intercept
        if scores.shape[1] == 1:
            half = rows * np.sqrt(logistic.second(scores, scores))
            return half.T @ half
        P = probabilities(scores, axis=1)
        n, width, m = len(rows), rows.shape[1], P.shape[1]
        Z = (P[:, :, None] * rows[:, None, :]).reshape(n, m * width)
        H = -(Z.T @ Z)
        for k in range(m):
            part = slice(k * width, (k + 1) * width)
            H[part, part] += Z[:, part].T @ rows
        return H

    def combine(self, left: np.ndarray, right: np.ndarray) -> np.ndarray:
        return left + right


class CurvatureStep(Step):
    """Σ ω (diag(p) − p pᵀ), the curvature of m > 1 intercepts."""

    def map_leaf(self, state: Point, leaf: Block) -> np.ndarray:
        P = probabilities(np.asarray(leaf.X @ state.coef.T) + state.intercept, axis=1)
        w = row_weights(leaf, state.class_weight)
        half = P if w is None else P * np.sqrt(w)[:, None]
        rows = max(1, int(PRODUCTS_A_CALL / P.shape[1] ** 2))
        J = -(half[:rows].T @ half[:rows])
        for first in range(rows, len(half), rows):
            J -= half[first : first + rows].T @ half[first : first + rows]
        J[np.diag_indices_from(J)] += P.sum(axis=0) if w is None else w @ P
        return J

    def combine(self, left: np.ndarray, right: np.ndarray) -> np.ndarray:
        return left + right


class SparseGram(NamedTuple):
    products: Any
    """Σ ω p (1 − p) x xᵀ, CSR."""
    sums: np.ndarray
    weight: float


class SparseGramStep(Step):
    """The second derivative for two classes over a few columns of CSR rows: what is not stored costs nothing."""

    def __init__(self, columns: np.ndarray) -> None:
        self.columns = columns

    def map_leaf(self, state: Point, leaf: Block) -> SparseGram:
        w = row_curvatures(leaf, state, 1)
        X = sp.csr_array(leaf.X)[:, self.columns].astype(np.float64)
        products = (X.T.multiply(w) @ X).tocsr()
        products.sort_indices()
        return SparseGram(products, X.T @ w, float(w.sum()))

    def combine(self, left: SparseGram, right: SparseGram) -> SparseGram:
        return SparseGram(left.products + right.products, left.sums + right.sums, left.weight + right.weight)
