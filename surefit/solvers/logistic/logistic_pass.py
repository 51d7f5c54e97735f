"""One pass of logistic regression over the data: loss, gradient, and what the proofs of a gap need.

Two classes have one score z = x·w + b (that of class 1), C > 2 classes one score each. With ω the weight of a row times
that of its class, k its class and p its probabilities:

    loss        Σ ω ℓ(z; k)
    gradient    Σ ω (p − e_k) xᵀ      and for the intercepts  Σ ω (p − e_k)
    curvature   Σ ω (diag(p) − p pᵀ)                            (m, m), m scores; where it is asked for
    spread      the largest difference between two scores of a row
    margin      the smallest lead of the true class over another; > 0 only where every row is right

Rows of weight zero count nowhere.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from surefit import _native
from surefit.engine.leaves import by_leaves, tree_sum
from surefit.engine.sources.block import Block, row_weights
from surefit.engine.step import Step
from surefit.objectives import softmax
from surefit.summaries import row_products as sparse_products


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
    curvature: bool = True
    """Whether the curvature is wanted; for two classes it always comes along."""


class Pass(NamedTuple):
    loss: float
    gradient: np.ndarray
    gradient_b: np.ndarray
    curvature: np.ndarray | None
    spread: float
    margin: float


def csr_pass(block: Block, w: np.ndarray | None, at: Point, n_threads: int) -> Pass:
    """For CSR rows: two classes compiled; for more the products compiled, the rest in NumPy on all leaves at once."""
    if len(at.intercept) == 1:
        return _two_classes(block, w, at, n_threads)
    m, codes = len(at.intercept), block.codes
    Z = sparse_products.scores(block.X, at.coef, at.intercept, n_threads)
    w = np.ones(len(Z)) if w is None else w
    counted = w > 0
    loss, R, P = softmax.value_and_slopes(Z, codes)
    curved = P * w[:, None] if at.curvature else np.empty((len(Z), 0))
    lead, spread = leads(Z, codes), Z.max(axis=1) - Z.min(axis=1)
    R *= w[:, None]
    of_rows = np.column_stack([np.where(counted, w * loss, 0.0), R, curved])
    of_leaves = by_leaves(of_rows, block.leaf_rows).sum(axis=1)
    sums, curvatures = tree_sum(of_leaves), of_leaves[:, None, 1 + m :]
    if at.curvature:
        outer = by_leaves(curved, block.leaf_rows).transpose(0, 2, 1) @ by_leaves(P, block.leaf_rows)
        curvatures = np.eye(m) * curvatures - outer
    return Pass(
        float(sums[0]),
        sparse_products.column_sums(block, R, n_threads),
        sums[1 : 1 + m],
        tree_sum(curvatures) if at.curvature else None,
        float(spread[counted].max(initial=0.0)),
        float(lead[counted].min(initial=np.inf)),
    )


def _two_classes(block: Block, w: np.ndarray | None, at: Point, n_threads: int) -> Pass:
    """From one read of the rows where the sums of the columns, one for each leaf, are few beside their numbers."""
    summed = sparse_products.few_columns(block)
    (loss, slope, curvature, spread, margin), slopes = _native.logistic_csr_rows(
        *sparse_products.csr_parts(block.X),
        np.ascontiguousarray(block.y, dtype=np.float64),
        w,
        at.coef[0],
        float(at.intercept[0]),
        summed,
        block.leaf_rows,
        n_threads,
    )
    gradient = slopes[None] if summed else sparse_products.column_sums(block, slopes[:, None], n_threads)
    return Pass(loss, gradient, np.array([slope]), np.array([[curvature]]), spread, margin)


def leads(Z: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """By how much the score of every row's own class is above that of the best other one."""
    rows = np.arange(len(Z))
    others = Z.copy()
    others[rows, codes] = -np.inf
    return Z[rows, codes] - others.max(axis=1)


def combine(left: Pass, right: Pass) -> Pass:
    return Pass(
        left.loss + right.loss,
        left.gradient + right.gradient,
        left.gradient_b + right.gradient_b,
        None if left.curvature is None or right.curvature is None else left.curvature + right.curvature,
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
            state.curvature,
            block.leaf_rows,
            n_threads,
        )
        return Pass(*values)

    def combine(self, left: Pass, right: Pass) -> Pass:
        return combine(left, right)


class ScoreRange(NamedTuple):
    spread: float
    margin: float
    lead: float
    """The largest lead of the true class: > 0 where the direction tells at least one row from another class."""


class ScoreRangeStep(Step):
    """How far a direction moves the scores: the largest spread, the smallest margin and the largest lead."""

    def map_leaf(self, state: Point, leaf: Block) -> ScoreRange:
        w = row_weights(leaf, state.class_weight)
        Z = np.asarray(leaf.X @ state.coef.T) + state.intercept
        codes = leaf.codes
        if w is not None:
            Z, codes = Z[w > 0], codes[w > 0]
        if Z.shape[1] == 1:
            Z = np.hstack([np.zeros_like(Z), Z])
        lead = Z[np.arange(len(Z)), codes][:, None] - Z
        lead[np.arange(len(Z)), codes] = np.inf
        margin = float(lead.min(initial=np.inf))
        lead[np.arange(len(Z)), codes] = -np.inf
        spread = float((Z.max(axis=1) - Z.min(axis=1)).max()) if len(Z) else 0.0
        return ScoreRange(spread, margin, float(lead.max(initial=-np.inf)))

    def combine(self, left: ScoreRange, right: ScoreRange) -> ScoreRange:
        return ScoreRange(max(left.spread, right.spread), min(left.margin, right.margin), max(left.lead, right.lead))
