"""The rows of a linear least-squares problem, as checkers read them: weighted columns and residuals, slice by slice.

    f(w, b) = Σ ωᵢ (yᵢ − xᵢ·w − b)² + α ‖w‖²

C has the column √ωᵢ (with an intercept), the columns √ωᵢ (xᵢⱼ − mⱼ)/sⱼ, and below them the rows (√α/sⱼ) eⱼ. ρ has the
entries √ωᵢ (yᵢ − xᵢ·w − b)/σ, and below them −√α w/σ. Then f = σ²‖ρ‖², and coefficients moved by e·σ/s have
f = σ²‖ρ − C e‖². Any shift m spans the same space; s and σ are powers of two, so that no unit overflows. Residuals are
formed in long double: an error of γ(|y| + |x||w| + |b|) with its small unit roundoff.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from surefit.certificates.blocks import F64, BadData, Block, Blocks, Rows, dense, looked_over
from surefit.certificates.theorems.row_products import magnitude, matmul

LONG = np.longdouble
LONG_UNIT = float(np.finfo(LONG).eps) / 2
ENTRIES = 1 << 21  # of one slice
RANGE = (1e-100, 1e100)  # of the total weight


@dataclass
class Data:
    """What the first pass learns; `shift` and `scale` of the columns of C without the intercept's."""

    blocks: Blocks
    intercept: bool
    weight: float
    rows: int  # with a weight above zero
    shift: F64
    scale: F64
    y_mean: F64  # (t,), zero without intercept
    y_scale: F64  # (t,)
    y_center: F64  # (t,), the mean of y, with or without intercept
    targets: F64  # which columns of y these are

    def only(self, targets: F64) -> Data:
        """The same rows with some of the targets."""
        kept = {name: getattr(self, name)[targets] for name in ("y_mean", "y_scale", "y_center", "targets")}
        return replace(self, **kept)


def read_data(blocks: Blocks, intercept: bool) -> Data:
    """One pass. BadData for NaN, infinities, negative weights and no weight at all."""
    d, total, rows = int(blocks.n_features), 0.0, 0
    sums: list[F64] = []
    low, high = np.full(d, np.inf), np.full(d, -np.inf)
    y_low = y_high = np.zeros(0)
    for X, y, omega in slices(blocks):
        A, kept = dense(X), omega > 0
        if not sums:
            sums = [np.zeros(d), np.zeros(y.shape[1])]
            y_low, y_high = np.full(y.shape[1], np.inf), np.full(y.shape[1], -np.inf)
        low = np.minimum(low, A[kept].min(axis=0, initial=np.inf))
        high = np.maximum(high, A[kept].max(axis=0, initial=-np.inf))
        y_low = np.minimum(y_low, y[kept].min(axis=0, initial=np.inf))
        y_high = np.maximum(y_high, y[kept].max(axis=0, initial=-np.inf))
        small = omega * 2.0**-64  # no sum overflows
        sums = [sums[0] + small @ A, sums[1] + small @ y]
        total, rows = total + float(omega.sum()), rows + int(kept.sum())
    if not RANGE[0] < total < RANGE[1]:
        raise BadData(f"the total weight is {total:.3g}")
    # a constant column has its constant for its mean, and shifted it is zero without rounding
    mean = [np.clip(s / (total * 2.0**-64), a, b) for s, a, b in zip(sums, (low, y_low), (high, y_high), strict=True)]
    shift, y_mean = mean if intercept else [np.zeros(d), np.zeros(len(y_low))]
    width = np.maximum(np.abs(high - shift), np.abs(low - shift))
    scale = np.array([power_of_two(float(v)) for v in width])
    y_scale = np.array([power_of_two(float(v)) for v in np.maximum(np.abs(y_low), np.abs(y_high))])
    return Data(blocks, intercept, total, rows, shift, scale, y_mean, y_scale, mean[1], np.arange(len(y_low)))


def power_of_two(x: float) -> float:
    """The power of two at or below x, a unit that rounds nothing; one where x is not a positive number."""
    return math.ldexp(1.0, math.frexp(x)[1] - 1) if 0 < x < math.inf else 1.0


def slices(blocks: Blocks, targets: F64 | slice = slice(None)) -> Iterator[tuple[Block, F64, F64]]:
    """(X, y, ω) with few enough rows to be dense, y of two dimensions: the columns `targets` of it."""
    d = int(blocks.n_features)
    step = max(1, ENTRIES // (d + 1))
    for X, y, omega in looked_over(blocks, needs_y=True):
        y2 = y.astype(np.float64).reshape(X.shape[0], -1)
        for lo in range(0, X.shape[0], step):
            part = slice(lo, lo + step)
            yield X[part], y2[part][:, targets], omega[part]


def columns(data: Data, X: Block, omega: F64) -> F64:
    """Rows of C; every entry has a relative error of at most three roundings."""
    root = np.sqrt(omega)[:, None]
    A = (dense(X) - data.shift) / data.scale * root
    return np.hstack([root, A]) if data.intercept else A


def penalty_rows(data: Data, alpha: float) -> Iterator[tuple[F64, F64]]:
    """The rows of C below the data, √α/sⱼ on the diagonal, with their j."""
    d, first = data.scale.size, int(data.intercept)
    step = max(1, ENTRIES // (d + 1))
    for lo in range(0, d if alpha > 0 else 0, step):
        j = np.arange(lo, min(lo + step, d))
        rows = np.zeros((j.size, d + first))
        rows[np.arange(j.size), j + first] = np.sqrt(alpha) / data.scale[j]
        yield j, rows


def predictions(X: Block, W: F64, b: F64) -> tuple[F64, F64]:
    """x·w + b in long double, and |x||w| + |b|. W is (d, t)."""
    if isinstance(X, Rows):
        products = X.data.astype(LONG)[:, None] * W.astype(LONG)[X.indices]
        answer = np.zeros((X.shape[0], W.shape[1]), dtype=LONG)
        np.add.at(answer, X.owner(), products)
    else:
        answer = np.einsum("ij,jk->ik", X.astype(LONG), W.astype(LONG))
    return answer + b, matmul(magnitude(X), np.abs(W)) + np.abs(b)


def residual_rows(data: Data, W: F64, b: F64, X: Block, y: F64, omega: F64) -> tuple[F64, F64, F64]:
    """Rows of ρ, of √ω(|y| + |x||w| + |b|)/σ, and of √ω(|x||w| + |b|)/σ."""
    answer, size = predictions(X, W, b)
    root = np.sqrt(omega)[:, None] / data.y_scale
    return ((y - answer) * root).astype(np.float64), root * (np.abs(y) + size), root * size
