"""Rows about their mean: the first pass over the data, and the passes after it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from surefit.certificates.blocks import F64, BadData, Blocks, dense, looked_over

SLICE_ENTRIES = 1 << 21


@dataclass(frozen=True)
class Center:
    """What the first pass finds."""

    weight: float  # Σω; without weights the number of rows
    mean: F64  # Σωx / Σω, rounded
    long_mean: F64  # the same in long double
    counting: int  # rows of positive weight
    single: bool  # X is float32


def slices(blocks: Blocks) -> Iterator[tuple[F64, F64]]:
    """Dense rows in float64 with their weights, few enough to be small."""
    for X, _, omega in looked_over(blocks):
        step = max(1, SLICE_ENTRIES // max(1, X.shape[1]))
        for low in range(0, X.shape[0], step):
            yield dense(X[low : low + step]), omega[low : low + step]


def first_pass(blocks: Blocks) -> Center:
    """Weights and mean. Raises BadData for NaN, infinities, negative weights and no weight at all."""
    weight, total, counting = 0.0, np.zeros(blocks.n_features, np.longdouble), 0
    for A, omega in slices(blocks):
        weight, total = weight + float(omega.sum()), total + omega.astype(np.longdouble) @ A
        counting += int(np.count_nonzero(omega))
    if not np.isfinite(total).all():
        raise BadData("sums over the data overflow")
    mean = total / weight
    return Center(weight, mean.astype(np.float64), mean, counting, any(X.dtype == np.float32 for X, _, _ in blocks))


def centered(blocks: Blocks, mean: F64, kind: type = np.float64) -> Iterator[tuple[F64, F64]]:
    """x − mean and the weights, slice by slice; each entry has one rounding of the kind of number asked for."""
    for A, omega in slices(blocks):
        yield A.astype(kind, copy=False) - mean.astype(kind, copy=False), omega.astype(kind, copy=False)
