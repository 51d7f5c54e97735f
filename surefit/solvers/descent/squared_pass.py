"""Squared error in coordinates that suit descent, and one pass over the rows there.

    x̃ = (x − center) · scale          ỹ = y − target          r = ỹ − x̃·u − β

With an intercept, centered and scaled columns have mean zero and variance one and the target has mean zero; without one
nothing is centered and columns have mean square one. Unscaled: x̃ = x and ỹ = y. In these coordinates the mean squared
error f(u, β) = Σ ω r² / Σω has −½∇f = Σ ω r (x̃, 1) / Σω.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from surefit._core.errors import InvalidData
from surefit.engine.leaves import fold_tree
from surefit.engine.sources.block import Block
from surefit.engine.step import Step
from surefit.solvers.numerics.coordinates import Coordinates
from surefit.summaries.column_spread import ColumnSpread

SMALLEST = 1e-145
"""Numbers whose squares, summed, are still precise."""


def frame_of(spread: ColumnSpread, n_features: int, *, scaled: bool, fit_intercept: bool, sparse: bool) -> Coordinates:
    d = n_features
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        mean_square = spread.squares / spread.weight + spread.mean**2
    _refuse_extremes(spread, mean_square, d)
    mean_square = np.maximum(mean_square, 0.0)  # squares of CSR entries cancel
    targets = len(spread.mean) - d
    if not scaled:
        return Coordinates(np.zeros(d), np.ones(d), np.zeros(targets), fit_intercept, False)
    if not fit_intercept:
        size = np.sqrt(mean_square[:d])
        return Coordinates(
            np.zeros(d), np.where(size > 0, 1.0 / np.where(size > 0, size, 1.0), 1.0), np.zeros(targets), False
        )
    deviation = np.sqrt(np.maximum(spread.squares[:d], 0.0) / spread.weight)
    # what is left of a constant column after subtraction is rounding; squares of CSR entries cancel, not entries
    varies = deviation > (1e-7 if sparse else 1e-13) * np.abs(spread.mean[:d])
    scale = np.where(varies, 1.0 / np.where(varies, deviation, 1.0), 1.0)
    return Coordinates(spread.mean[:d].copy(), scale, spread.mean[d:].copy(), True)


def _refuse_extremes(spread: ColumnSpread, mean_square: np.ndarray, d: int) -> None:
    for faulty, words in (
        (~np.isfinite(spread.mean + mean_square * spread.weight), "large: its squares overflow"),
        (((spread.mean != 0) | (spread.squares > 0)) & (mean_square < SMALLEST**2), "small: its squares vanish"),
    ):
        if faulty.any():
            column = int(np.flatnonzero(faulty)[0])
            what = f"column {column} of X" if column < d else "the target"
            raise InvalidData(f"{what} is too {words}. Rescale it.")


def mean_length(frame: Coordinates, spread: ColumnSpread) -> float:
    """Mean of ‖x̃‖² (+ 1 with an intercept): the sum of the curvatures of f/2."""
    d = len(frame.scale)
    square = (spread.squares[:d] / spread.weight + (spread.mean[:d] - frame.center) ** 2) * frame.scale**2
    return float(square.sum()) + frame.with_intercept


class Plane(NamedTuple):
    """Where a pass is made, in the user's coordinates; perhaps several places, all targets of one after the other's."""

    coef: np.ndarray
    """(targets, features)"""
    intercept: np.ndarray
    """(targets,)"""


class SquaredPass(NamedTuple):
    loss: np.ndarray
    """Σ ω r², for each target."""
    gradient: np.ndarray | None
    """Σ ω r x, (targets, features); None when it was not asked for."""
    total: np.ndarray
    """Σ ω r"""


class SquaredStep(Step):
    """`SquaredPass` at a `Plane`. Without `with_target` the targets are taken as zero."""

    def __init__(self, *, with_gradient: bool, with_target: bool = True) -> None:
        self.with_gradient, self.with_target = with_gradient, with_target

    def map(self, state: Plane, block: Block, n_threads: int) -> SquaredPass:
        if not sp.issparse(block.X):
            return super().map(state, block, n_threads)
        # scores of CSR rows do not depend on their neighbours: those of all rows at once, then leaf by leaf
        X, scores = block.X, np.asarray(block.X @ state.coef.T)

        def leaf(i: int) -> SquaredPass:
            rows = slice(i * block.leaf_rows, min((i + 1) * block.leaf_rows, block.n_rows))
            entries = slice(X.indptr[rows.start], X.indptr[rows.stop])
            part = None
            if self.with_gradient:
                indptr = X.indptr[rows.start : rows.stop + 1] - entries.start
                shape = (rows.stop - rows.start, block.n_features)
                part = sp.csr_array((X.data[entries], X.indices[entries], indptr), shape=shape)
            y, w = None if block.y is None else block.y[rows], None if block.w is None else block.w[rows]
            return self._sums(state, part, scores[rows], y, w)

        return fold_tree(block.n_leaves, leaf, self.combine, n_threads)

    def map_leaf(self, state: Plane, leaf: Block) -> SquaredPass:
        one = len(state.coef) == 1
        scores = np.asarray(leaf.X @ (state.coef[0] if one else state.coef.T)).reshape(leaf.n_rows, -1)
        return self._sums(state, leaf.X, scores, leaf.y, leaf.w)

    def _sums(
        self, state: Plane, X: Any, scores: np.ndarray, y: np.ndarray | None, w: np.ndarray | None
    ) -> SquaredPass:
        residual = -scores - state.intercept
        if self.with_target:
            assert y is not None
            targets = np.asarray(y, dtype=np.float64).reshape(len(y), -1)
            residual += np.tile(targets, (1, len(state.coef) // targets.shape[1]))
        weighted = residual if w is None else residual * w[:, None]
        loss = np.einsum("ik,ik->k", weighted, residual)
        gradient = None
        if self.with_gradient:
            one = len(state.coef) == 1
            gradient = np.asarray(X.T @ weighted[:, 0])[None] if one else np.asarray((X.T @ weighted).T)
        return SquaredPass(loss, gradient, weighted.sum(axis=0))

    def combine(self, left: SquaredPass, right: SquaredPass) -> SquaredPass:
        gradient = None
        if left.gradient is not None and right.gradient is not None:
            gradient = left.gradient + right.gradient
        return SquaredPass(left.loss + right.loss, gradient, left.total + right.total)
