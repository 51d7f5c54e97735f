"""Rows about their mean: the first pass over the data, and the passes after it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from surefit.certificates.blocks import F64, BadData, Block, Blocks, all_finite, dense

SLICE_ENTRIES = 1 << 21


@dataclass(frozen=True)
class Center:
    """What the first pass finds."""

    weight: float  # Σω
    mean: F64  # Σωx / Σω, rounded
    long_mean: F64  # the same in long double
    rows: float  # how many rows there are: n, or Σω where weights are given
    counting: int  # rows of positive weight
    single: bool  # X is float32


def slices(X: Block, w: F64 | None) -> Iterator[tuple[F64, F64]]:
    """Dense rows in float64 with their weights, few enough to be small."""
    step = max(1, SLICE_ENTRIES // max(1, X.shape[1]))
    omega = np.ones(X.shape[0]) if w is None else np.asarray(w, dtype=np.float64)
    for low in range(0, X.shape[0], step):
        yield dense(X[low : low + step]), omega[low : low + step]


def first_pass(blocks: Blocks) -> Center:
    """Weights and mean. Raises BadData for NaN, infinities, negative weights and no weight at all."""
    d, seen, weighted, single, counting = blocks.n_features, 0, False, False, 0
    weight, total = 0.0, np.zeros(d, np.longdouble)
    for X, _, w in blocks:
        if X.shape[1] != d:
            raise BadData(f"a block has {X.shape[1]} columns, expected {d}")
        if not all_finite(X) or not (w is None or all_finite(w)):
            raise BadData("the data have entries that are NaN, infinite or not numbers")
        if w is not None and (np.asarray(w) < 0).any():
            raise BadData("some weights are negative")
        seen, weighted, single = seen + X.shape[0], weighted or w is not None, single or X.dtype == np.float32
        for A, omega in slices(X, w):
            weight, total = weight + float(omega.sum()), total + omega.astype(np.longdouble) @ A
            counting += int(np.count_nonzero(omega))
    if seen != blocks.n_rows:
        raise BadData(f"the blocks have {seen} rows, expected {blocks.n_rows}")
    if not (weight > 0 and np.isfinite(total).all()):
        raise BadData("the total weight is zero, or sums over the data overflow")
    mean = total / weight
    return Center(weight, mean.astype(np.float64), mean, weight if weighted else float(seen), counting, single)


def centered(blocks: Blocks, mean: F64, kind: type = np.float64) -> Iterator[tuple[F64, F64]]:
    """x − mean and the weights, slice by slice; each entry has one rounding of the kind of number asked for."""
    for X, _, w in blocks:
        for A, omega in slices(X, w):
            yield A.astype(kind, copy=False) - mean.astype(kind, copy=False), omega.astype(kind, copy=False)
