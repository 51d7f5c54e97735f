"""One pass of logistic regression over the data: loss, gradient, and what the proofs of a gap need.

Two classes have one score z = x·w + b (that of class 1), C > 2 classes one score each. With ω the weight of a row times
that of its class, k its class and p its probabilities:

    loss        Σ ω ℓ(z; k)
    gradient    Σ ω (p − e_k) xᵀ      and for the intercepts  Σ ω (p − e_k)
    curvature   Σ ω (diag(p) − p pᵀ)                            (m, m), m scores
    spread      the largest difference between two scores of a row
    margin      the smallest lead of the true class over another; > 0 only where every row is right

Rows of weight zero count nowhere.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.special import softmax as probabilities

from surefit import _native
from surefit.engine.block import Block, row_weights
from surefit.engine.leaves import by_leaves, fold_tree, tree_sum
from surefit.engine.step import Step
from surefit.objectives import logistic, softmax
from surefit.summaries import row_products as sparse_products
from surefit.summaries.moments import Moments, MomentsStep
from surefit.summaries.moments import combine as combine_moments


class Point(NamedTuple):
    """Where a pass is made, in the user's coordinates."""

    coef: np.ndarray
    """(m, d) float64"""
    intercept: np.ndarray
    """(m,)"""
    class_weight: np.ndarray | None = None
    """(C,)"""
    single: bool = False
    """Whether float32 rows may be multiplied in single precision (sums stay double)."""


class Pass(NamedTuple):
    loss: float
    gradient: np.ndarray
    gradient_b: np.ndarray
    curvature: np.ndarray
    spread: float
    margin: float


class FirstLook(NamedTuple):
    counts: np.ndarray
    """(C,) weight of each class."""
    moments: Moments | None
    """Of every row, or of every `every`-th leaf."""
    square_sum: float
    """Σ ω ‖x‖², where not every row is in the moments."""


def pass_twin(X: Any, codes: np.ndarray, w: np.ndarray | None, at: Point) -> Pass:
    """What a pass over a leaf computes, in plain NumPy (and for CSR in SciPy)."""
    n, m = X.shape[0], len(at.intercept)
    codes = codes.astype(np.intp)
    w = np.ones(n) if w is None else w
    Z = np.asarray(X @ at.coef.T) + at.intercept
    counted = w > 0
    if m == 1:
        z = Z[:, 0]
        loss, R = logistic.value(z, codes), logistic.gradient(z, codes)[:, None]
        curvature = np.array([[w @ logistic.second(z, codes)]])
        lead, spread = np.where(codes == 1, z, -z), np.abs(z)
    else:
        loss, R = softmax.value(Z, codes), softmax.gradient(Z, codes)
        P = probabilities(Z, axis=1)
        curvature = np.diag(w @ P) - (P * w[:, None]).T @ P
        lead = leads(Z, codes)
        spread = Z.max(axis=1) - Z.min(axis=1)
    R *= w[:, None]
    return Pass(
        float(w @ np.where(counted, loss, 0.0)),
        np.ascontiguousarray((X.T @ R).T, dtype=np.float64),
        R.sum(axis=0),
        curvature,
        float(spread[counted].max(initial=0.0)),
        float(lead[counted].min(initial=np.inf)),
    )


def csr_pass(block: Block, w: np.ndarray | None, at: Point, n_threads: int) -> Pass:
    """The same for CSR rows: products compiled, the rest in NumPy on the rows of all leaves at once."""
    m, codes = len(at.intercept), block.y.astype(np.intp)
    Z = sparse_products.scores(block.X, at.coef, at.intercept, n_threads)
    w = np.ones(len(Z)) if w is None else w
    counted = w > 0
    if m == 1:
        z = Z[:, 0]
        loss, slope, second = logistic.value_and_slopes(z, codes)
        R, curved = slope[:, None], (w * second)[:, None]
        lead, spread = np.where(codes == 1, z, -z), np.abs(z)
    else:
        loss, R = softmax.value(Z, codes), softmax.gradient(Z, codes)
        P = probabilities(Z, axis=1)
        curved = P * w[:, None]
        lead = leads(Z, codes)
        spread = Z.max(axis=1) - Z.min(axis=1)
    R *= w[:, None]
    of_rows = np.column_stack([np.where(counted, w * loss, 0.0), R, curved])
    of_leaves = by_leaves(of_rows, block.leaf_rows).sum(axis=1)
    sums, curvatures = tree_sum(of_leaves), of_leaves[:, None, 1 + m :]
    if m > 1:
        outer = by_leaves(curved, block.leaf_rows).transpose(0, 2, 1) @ by_leaves(P, block.leaf_rows)
        curvatures = np.eye(m) * curvatures - outer
    return Pass(
        float(sums[0]),
        sparse_products.column_sums(block, R, n_threads),
        sums[1 : 1 + m],
        tree_sum(curvatures),
        float(spread[counted].max(initial=0.0)),
        float(lead[counted].min(initial=np.inf)),
    )


def leads(Z: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """By how much the score of every row's own class is above that of the best other one."""
    rows = np.arange(len(Z))
    others = Z.copy()
    others[rows, codes] = -np.inf
    return Z[rows, codes] - others.max(axis=1)


def curvature_twin(X: Any, w: np.ndarray | None, at: Point) -> np.ndarray:
    """ω p (1 − p) of every row, for two classes."""
    z = np.asarray(X @ at.coef[0]) + at.intercept[0]
    curvature = logistic.second(z, z)
    return curvature if w is None else curvature * w


def combine(left: Pass, right: Pass) -> Pass:
    return Pass(
        left.loss + right.loss,
        left.gradient + right.gradient,
        left.gradient_b + right.gradient_b,
        left.curvature + right.curvature,
        max(left.spread, right.spread),
        min(left.margin, right.margin),
    )


class LogisticStep(Step):
    """`Pass` at a `Point`."""

    def map(self, state: Point, block: Block, n_threads: int) -> Pass:
        w = row_weights(block, state.class_weight)
        if not isinstance(block.X, np.ndarray):
            return csr_pass(block, w, state, n_threads)
        values = _native.logistic_pass(
            block.X,
            np.ascontiguousarray(block.y, dtype=np.float64),
            w,
            state.coef,
            state.intercept,
            state.single,
            block.leaf_rows,
            n_threads,
        )
        return Pass(*values)

    def map_leaf(self, state: Point, leaf: Block) -> Pass:
        return pass_twin(leaf.X, leaf.y, row_weights(leaf, state.class_weight), state)

    def combine(self, left: Pass, right: Pass) -> Pass:
        return combine(left, right)


class FirstLookStep(Step):
    """Weights of the classes, and the moments of the rows weighted by ω (those of the classes among them).

    With `every` > 1 the moments are those of every so-many-th leaf: enough to start from.
    """

    def __init__(self, n_classes: int, with_moments: bool, every: int = 1) -> None:
        self.n_classes, self.with_moments, self.every = n_classes, with_moments, every

    def map(self, state: np.ndarray | None, block: Block, n_threads: int) -> FirstLook:
        w = row_weights(block, state)

        def counts(i: int) -> np.ndarray:
            rows = slice(i * block.leaf_rows, (i + 1) * block.leaf_rows)
            return np.bincount(
                block.y[rows].astype(np.intp), None if w is None else w[rows], minlength=self.n_classes
            ).astype(np.float64)

        total = fold_tree(block.n_leaves, counts, np.add, 1)
        if not self.with_moments:
            return FirstLook(total, None, 0.0)
        squares = 0.0
        if self.every > 1:
            squares = fold_tree(block.n_leaves, lambda i: _square_sum(block, w, i), float.__add__, n_threads)
            leaf = (block.start + np.arange(block.n_rows)) // block.leaf_rows
            w = np.where(leaf % self.every == 0, 1.0 if w is None else w, 0.0)
        weighted = Block(block.X, None, w, block.start, block.leaf_rows, block.scratch)
        return FirstLook(total, MomentsStep(False).map(None, weighted, n_threads), squares)

    def combine(self, left: FirstLook, right: FirstLook) -> FirstLook:
        moments = None if left.moments is None else combine_moments(left.moments, right.moments)
        return FirstLook(left.counts + right.counts, moments, left.square_sum + right.square_sum)


def _square_sum(block: Block, w: np.ndarray | None, i: int) -> float:
    """Σ ω ‖x‖² over one leaf."""
    rows = slice(i * block.leaf_rows, (i + 1) * block.leaf_rows)
    X = block.X[rows]
    if w is None:
        values = X.data if sp.issparse(X) else X.ravel()
        return float(values @ values)
    squares = X.multiply(X).sum(axis=1) if sp.issparse(X) else np.einsum("ij,ij->i", X, X)
    return float(w[rows] @ np.asarray(squares).ravel())


class BinaryHessianStep(Step):
    """Moments of the rows under the weights ω p (1 − p): the second derivative for two classes."""

    def map(self, state: Point, block: Block, n_threads: int) -> Moments:
        w = row_weights(block, state.class_weight)
        if isinstance(block.X, np.ndarray):
            weights = _native.logistic_curvature(block.X, w, state.coef, state.intercept, block.leaf_rows, n_threads)
        else:
            weights = curvature_twin(block.X, w, state)
        return MomentsStep(False).map(
            None, Block(block.X, None, weights, block.start, block.leaf_rows, block.scratch), n_threads
        )

    def combine(self, left: Moments, right: Moments) -> Moments:
        return combine_moments(left, right)


class HessianStep(Step):
    """Σ ω (diag(p) − p pᵀ) ⊗ (x̃ x̃ᵀ) for m scores, with x̃ = (x − centre, 1): (m (d+1), m (d+1)).

    For two classes, m = 1, it is Σ ω p (1 − p) x̃ x̃ᵀ. For more, with the rows p_k x̃ of all classes side by side in Z, it
    is the blocks Σ ω p_k x̃ x̃ᵀ on the diagonal less Zᵀ W Z.
    """

    def __init__(self, centre: np.ndarray, with_intercept: bool, columns: np.ndarray | None = None) -> None:
        """`columns`: only these, with their centres."""
        self.centre, self.with_intercept, self.columns = centre, with_intercept, columns

    def map_leaf(self, state: Point, leaf: Block) -> np.ndarray:
        X = leaf.X if self.columns is None else leaf.X[:, self.columns]
        X = X.toarray() if sp.issparse(X) else X
        w = row_weights(leaf, state.class_weight)
        root = np.ones(len(X)) if w is None else np.sqrt(w)
        rows = np.subtract(X, self.centre, dtype=np.float64) * root[:, None]
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


class Reach(NamedTuple):
    spread: float
    margin: float
    lead: float
    """The largest lead of the true class: > 0 where the direction tells at least one row from another class."""


class ReachStep(Step):
    """How far a direction moves the scores: the largest spread, the smallest margin and the largest lead."""

    def map_leaf(self, state: Point, leaf: Block) -> Reach:
        w = row_weights(leaf, state.class_weight)
        Z = np.asarray(leaf.X @ state.coef.T) + state.intercept
        codes = leaf.y.astype(np.intp)
        if w is not None:
            Z, codes = Z[w > 0], codes[w > 0]
        if Z.shape[1] == 1:
            Z = np.hstack([np.zeros_like(Z), Z])
        lead = Z[np.arange(len(Z)), codes][:, None] - Z
        lead[np.arange(len(Z)), codes] = np.inf
        margin = float(lead.min(initial=np.inf))
        lead[np.arange(len(Z)), codes] = -np.inf
        spread = float((Z.max(axis=1) - Z.min(axis=1)).max()) if len(Z) else 0.0
        return Reach(spread, margin, float(lead.max(initial=-np.inf)))

    def combine(self, left: Reach, right: Reach) -> Reach:
        return Reach(max(left.spread, right.spread), min(left.margin, right.margin), max(left.lead, right.lead))
