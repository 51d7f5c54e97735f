"""One pass of the squared hinge loss over the data: loss, gradient, and what the second derivative changes by.

Row i has the sign σ = ±1, the cost c, the score z = x·w + b and the slack ξ = max(0, 1 − σ z). With x̃ = (x, 1):

    loss    Σ c ξ²                pull    Σ 2 c ξ σ x̃           (minus the gradient of the loss)
    gram    Σ 2 c x̃ x̃ᵀ            over the rows with ξ > 0, less the same at an earlier point

From one step of Newton's method to the next few rows start or cease to have a slack, so the change of the Gram matrix
costs little next to the matrix itself.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from surefit.engine.leaves import merge_in_order
from surefit.engine.sources.block import Block
from surefit.engine.step import Step
from surefit.solvers.hinge.clipped_pass import Labels, clipped_pass, leaf_sum, signs_and_costs
from surefit.solvers.hinge.plane_coordinates import about
from surefit.summaries.moments import Moments, MomentsStep, raw_products
from surefit.summaries.moments import combine as combine_moments


class Point(NamedTuple):
    """Where a pass is made."""

    labels: Labels
    theta: np.ndarray
    """(d + 1,): w, then b."""
    base: np.ndarray | None = None
    """The earlier point; None: the Gram matrix itself is wanted."""
    gram: bool = True
    shift: np.ndarray | None = None
    """Taken from the rows first; theta and base are those of rows less it."""
    every: int = 1
    """Only every so-many-th leaf counts, a power of two: enough to start from."""


class Pass(NamedTuple):
    loss: float
    total: float
    """Σ 2 c ξ"""
    pull: np.ndarray
    """(d + 1,)"""
    came: Moments | None
    """Of the rows with a slack, or of those without one at the earlier point; weights 2c."""
    went: Moments | None
    """Of the rows without a slack that had one at the earlier point."""
    n_changed: int

    def gram(self) -> np.ndarray:
        """(d + 1, d + 1) change of the Gram matrix of x̃."""
        assert self.came is not None
        came = raw_products(self.came)
        return came if self.went is None else came - raw_products(self.went)


class SquaredHingeStep(Step):
    """`Pass` at a `Point`."""

    def map(self, state: Point, block: Block, n_threads: int) -> Pass:
        if state.every > 1:
            return self._some_leaves(state, block, n_threads)
        block = about(block, state.shift)
        sign, cost = signs_and_costs(block, state.labels)
        base = state.base if state.gram else None
        rows = clipped_pass(block, state.theta, sign, 2.0 * cost, n_threads, base=base)
        total, twice = leaf_sum(np.column_stack([rows.residual, rows.residual * rows.slack]), block).tolist()
        sums = 0.5 * twice, total, rows.sums
        if not state.gram:
            return Pass(*sums, None, None, 0)
        now, some = rows.slack > 0, cost > 0
        if rows.base_slack is None:
            return Pass(*sums, _moments(block, now, cost, n_threads), None, int((now & some).sum()))
        before = rows.base_slack > 0
        came, went = now & ~before, before & ~now
        n_changed = int(((came | went) & some).sum())
        both = _moments(block, came, cost, n_threads), _moments(block, went, cost, n_threads)
        return Pass(*sums, *both, n_changed)

    def _some_leaves(self, state: Point, block: Block, n_threads: int) -> Pass:
        first = block.start // block.leaf_rows
        chosen = [i for i in range(block.n_leaves) if (first + i) % state.every == 0]
        if not chosen:
            d = block.n_features
            none = Moments(0.0, np.zeros(d), np.zeros(d), np.zeros((d, d)), 0)
            return Pass(0.0, 0.0, np.zeros(d + 1), none, None if state.base is None else none, 0)
        here = state._replace(every=1)
        return merge_in_order((self.map(here, block.leaf(i), n_threads) for i in chosen), self.combine)

    def combine(self, left: Pass, right: Pass) -> Pass:
        return Pass(
            left.loss + right.loss,
            left.total + right.total,
            left.pull + right.pull,
            _combined(left.came, right.came),
            _combined(left.went, right.went),
            left.n_changed + right.n_changed,
        )


def _combined(left: Moments | None, right: Moments | None) -> Moments | None:
    return None if left is None or right is None else combine_moments(left, right)


def _moments(block: Block, which: np.ndarray, cost: np.ndarray, n_threads: int) -> Moments:
    weighted = Block(block.X, None, np.where(which, 2.0 * cost, 0.0), block.start, block.leaf_rows, block.scratch)
    return MomentsStep(False).map(None, weighted, n_threads)
