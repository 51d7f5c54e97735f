"""The rows of a linear least-squares problem, as checkers read them: weighted columns and residuals, slice by slice.

    f(w, b) = Σ ωᵢ (yᵢ − xᵢ·w − b)² + α ‖w‖²

C has the column √ωᵢ (with an intercept), the columns √ωᵢ (xᵢⱼ − mⱼ)/sⱼ, and below them the rows (√α/sⱼ) eⱼ. ρ has the
entries √ωᵢ (yᵢ − xᵢ·w − b), and below them −√α w. Then f = ‖ρ‖², and coefficients moved by e/s have f = ‖ρ − C e‖². Any
shift m spans the same space; s are powers of two, which round nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from surefit.certificates.blocks import F64, BadData, Blocks, dense, looked_over

LONG = np.longdouble
LONG_UNIT = float(np.finfo(LONG).eps) / 2
ENTRIES = 1 << 21  # of one slice
RANGE = (1e-100, 1e100)  # of the total weight and of the targets: no square overflows


@dataclass
class Data:
    """What the first pass learns; `shift` and `scale` of the columns of C without the intercept's."""

    blocks: Blocks
    intercept: bool
    weight: float
    rows: int  # with a weight above zero
    shift: F64
    scale: F64
    y_mean: F64  # (t,)


def read_data(blocks: Blocks, intercept: bool) -> Data:
    """One pass. BadData for NaN, infinities, negative weights, no weight at all, and targets beyond the range."""
    d, total, rows = int(blocks.n_features), 0.0, 0
    low, high, sums = np.array(np.inf), np.array(-np.inf), np.array(0.0)
    for X, y, omega in slices(blocks):
        A, kept = np.hstack([X, y]), omega > 0
        low = np.minimum(low, A[kept].min(axis=0, initial=np.inf))
        high = np.maximum(high, A[kept].max(axis=0, initial=-np.inf))
        sums, total, rows = sums + omega @ A, total + float(omega.sum()), rows + int(kept.sum())
    # a constant column has its constant for its mean, and shifted it is zero without rounding
    mean = np.clip(sums / total, low, high)
    sizes = np.append(np.maximum(-low[d:], high[d:]), total)
    if not ((sizes == 0) | (sizes > RANGE[0]) & (sizes < RANGE[1])).all():
        raise BadData(f"targets or weights are beyond {RANGE[0]} … {RANGE[1]}")
    shift = mean[:d] if intercept else np.zeros(d)
    width = np.maximum(high[:d] - shift, shift - low[:d])
    scale = np.where(width > 0, np.ldexp(1.0, np.frexp(width)[1] - 1), 1.0)
    return Data(blocks, intercept, total, rows, shift, scale, mean[d:])


def slices(blocks: Blocks, targets: F64 | slice = slice(None)) -> Iterator[tuple[F64, F64, F64]]:
    """(X, y, ω) of a few rows at a time, X dense, y of two dimensions: the columns `targets` of it."""
    step = max(1, ENTRIES // (int(blocks.n_features) + 1))
    for X, y, omega in looked_over(blocks, needs_y=True):
        y2 = y.astype(np.float64).reshape(X.shape[0], -1)
        for lo in range(0, X.shape[0], step):
            part = slice(lo, lo + step)
            yield dense(X[part]), y2[part][:, targets], omega[part]


def columns(data: Data, X: F64, omega: F64) -> F64:
    """Rows of C; every entry has a relative error of at most three roundings."""
    root = np.sqrt(omega)[:, None]
    A = (X - data.shift) / data.scale * root
    return np.hstack([root, A]) if data.intercept else A


def predictions(X: F64, coef: F64, b: F64) -> tuple[F64, F64]:
    """x·w + b in long double, and |x||w| + |b|. coef is (t, d), b (t,)."""
    return X.astype(LONG) @ coef.T.astype(LONG) + b, np.abs(X) @ np.abs(coef.T) + np.abs(b)


def residual_rows(coef: F64, b: F64, X: F64, y: F64, omega: F64) -> tuple[F64, F64]:
    """Rows of ρ, with an error of γ(|y| + |x||w| + |b|) in long double, and of √ω(|x||w| + |b|)."""
    answer, size = predictions(X, coef, b)
    root = np.sqrt(omega)[:, None]
    return ((y - answer) * root).astype(np.float64), root * size
