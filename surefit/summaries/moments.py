"""Weight, mean and products of deviations: the one pass under least squares, ridge, PCA and discriminants.

With z = [x, y] the features and targets of a row, and ω its weight:

    W = Σ ω        m = Σ ω z / W        S = Σ ω (z − m)(z − m)ᵀ

Deviations are taken before products, so an offset in a column costs no digits. Two such statistics merge by Chan's
formula, which needs the step between two means: a mean is kept as mean + low, low what rounding takes from an offset,
and the step is as exact as the deviations are. Leaves are merged in the fixed tree, and the numbers do not depend on
the number of threads.

For CSR data the products within one leaf are Σ ω x xᵀ over stored entries, less W m mᵀ: right to rounding where the
columns are mostly zero, which is what CSR is for.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from surefit import _native
from surefit._core.arithmetic import two_sum
from surefit.engine.sources.block import Block
from surefit.engine.step import Step


class Moments(NamedTuple):
    weight: float
    mean: np.ndarray
    """(p,) with p = features + targets; zero when the weight is."""
    low: np.ndarray
    """(p,) what rounding took from the mean."""
    products: np.ndarray
    """(p, p), symmetric to the bit."""
    n_rows: int
    """Rows seen, those of weight zero among them."""


def combine(left: Moments, right: Moments) -> Moments:
    """Chan's merge, operation by operation that of the compiled tree.

    With δ = m_right − m_left and u = δ √(W_left · W_right / W):  S = S_left + S_right + u uᵀ.
    """
    n_rows = left.n_rows + right.n_rows
    if right.weight == 0:
        return left._replace(n_rows=n_rows)
    if left.weight == 0:
        return right._replace(n_rows=n_rows)
    weight = left.weight + right.weight
    share = right.weight / weight
    step = (right.mean - left.mean) + (right.low - left.low)
    mean, low = two_sum(left.mean, left.low + step * share)
    u = step * math.sqrt(left.weight * share)
    products = left.products + right.products
    products += np.multiply.outer(u, u)
    return Moments(weight, mean, low, products, n_rows)


class MomentsStep(Step):
    """The moments of a block of rows; with the targets as last columns when `with_target`."""

    def __init__(self, with_target: bool) -> None:
        self.with_target = with_target

    def map(self, state: Any, block: Block, n_threads: int) -> Moments:
        Y = np.ascontiguousarray(block.targets, dtype=np.float64) if self.with_target else None
        w = None if block.w is None else np.ascontiguousarray(block.w, dtype=np.float64)
        X = block.X
        if isinstance(X, np.ndarray):
            found = _native.moments(X, Y, w, block.leaf_rows, n_threads)
        else:
            found = _native.moments_csr(X.data, X.indices, X.indptr, X.shape[1], Y, w, block.leaf_rows, n_threads)
        return Moments(*found, n_rows=block.n_rows)

    def combine(self, left: Moments, right: Moments) -> Moments:
        return combine(left, right)


def raw_products(moments: Moments) -> np.ndarray:
    """Σ ω z̃ z̃ᵀ with z̃ = (z, 1), about zero: (p + 1, p + 1)."""
    W, m = moments.weight, moments.mean
    return np.block([[moments.products + W * np.outer(m, m), W * m[:, None]], [W * m[None, :], np.array([[W]])]])
