"""One pass of a hinge loss over a block: slacks, residuals, and the sum of the rows weighted by them.

s = 1 − σ (x·w + b)        r = min(max(shift + slope · s, 0), top)        sums = Σ r σ (x, 1)
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from surefit import _native
from surefit.engine.leaves import by_leaves, tree_sum
from surefit.engine.sources.block import Block, row_weights
from surefit.summaries import row_products


class Labels(NamedTuple):
    """Which rows are on the positive side, and what a unit of loss costs."""

    positive: int
    """The code of the class with σ = 1; every other has σ = −1."""
    cost: np.ndarray
    """(classes,) C times the weight of each class."""


class Rows(NamedTuple):
    """What a pass says of every row, and the sum."""

    slack: np.ndarray
    """(n,) s"""
    base_slack: np.ndarray | None
    """(n,) s at the earlier point, where there is one."""
    residual: np.ndarray
    """(n,) r"""
    sums: np.ndarray
    """(d + 1,)"""


def signs_and_costs(block: Block, labels: Labels) -> tuple[np.ndarray, np.ndarray]:
    """σ and c of every row."""
    sign = np.where(block.codes == labels.positive, 1.0, -1.0)
    cost = row_weights(block, labels.cost)
    assert cost is not None
    return sign, cost


def clipped_pass(
    block: Block,
    theta: np.ndarray,
    sign: np.ndarray,
    slope: np.ndarray,
    n_threads: int,
    *,
    shift: np.ndarray | None = None,
    top: np.ndarray | None = None,
    base: np.ndarray | None = None,
) -> Rows:
    """`theta`, `base`: (d + 1,), w then b, of this point and of an earlier one."""
    d = block.n_features
    points = [theta] if base is None else [theta, base]
    coef, intercept = np.stack([p[:d] for p in points]), np.array([p[d] for p in points])
    if isinstance(block.X, np.ndarray):
        slack, residual, sums = _native.clipped_pass(
            block.X, sign, shift, slope, top, coef, intercept, block.leaf_rows, n_threads
        )
    else:
        slack = 1.0 - sign[:, None] * row_products.scores(block.X, coef, intercept, n_threads)
        moved = slope * slack[:, 0]
        residual = np.clip(moved if shift is None else shift + moved, 0.0, np.inf if top is None else top)
        signed = (residual * sign)[:, None]
        sums = np.append(row_products.column_sums(block, signed, n_threads)[0], leaf_sum(signed, block)[0])
    return Rows(slack[:, 0], None if base is None else slack[:, 1], residual, sums)


def leaf_sum(values: np.ndarray, block: Block) -> np.ndarray:
    """The sum over rows, in the fixed tree."""
    return tree_sum(by_leaves(values, block.leaf_rows).sum(axis=1))
