"""The center of rows, in long double."""

from __future__ import annotations

import numpy as np

from surefit.certificates.blocks import F64, BadData, Block, Blocks, Rows
from surefit.certificates.theorems.linear_program.long_rows import LONG, Long, slices, transposed_times


def about(X: Block, center: F64) -> Block | Long:
    """The rows less `center`, rounded once entry by entry; sparse rows stay as they are (their center is zero)."""
    return X if isinstance(X, Rows) else X.astype(LONG) - center


def center_of(blocks: Blocks, intercept: bool) -> tuple[F64, Long, float]:
    """The weighted mean of the rows, Σ ω, and the mean of |y − its mean|.

    The center is zero without an intercept, and for sparse rows. Else any will do for a proof; this one keeps digits.
    """
    sums, sparse = np.zeros(blocks.n_features, dtype=LONG), not intercept
    total: Long = LONG(0)
    targets: Long = LONG(0)
    for part in slices(blocks):
        w = part.w.astype(LONG)
        total, targets = total + w.sum(), targets + w @ part.y
        sums, sparse = sums + transposed_times(part.X, w), sparse or isinstance(part.X, Rows)
    center = np.zeros(blocks.n_features) if sparse else (sums / total).astype(np.float64)
    spread = sum((p.w.astype(LONG) @ abs(p.y - targets / total) for p in slices(blocks)), LONG(0)) / total
    if not (np.isfinite(center).all() and np.isfinite(float(spread))):
        raise BadData("sums over the data overflow")
    return center, total, float(spread)
