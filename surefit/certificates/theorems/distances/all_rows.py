"""All rows of the data in memory, and their numbers in runs that are worked on at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.blocks import F64, BadData, Blocks, Rows, all_finite, dense

ENTRIES = 1 << 21  # numbers worked on at once
MOST = 1 << 27  # entries that are kept in memory


def in_slices(n: int, width: int) -> list[NDArray]:
    """The numbers 0 … n−1 in runs, each with at most `ENTRIES` numbers of `width` per row."""
    step = max(1, ENTRIES // max(1, width))
    return [np.arange(low, min(low + step, n)) for low in range(0, n, step)]


def all_rows(blocks: Blocks, most: int = MOST, distances: bool = False) -> tuple[F64, bool]:
    """All rows in float64 (of distances, those of all pairs), and whether some are float32. Raises BadData where there
    are too many, NaN or infinities, or a sparse matrix leaves distances out."""
    n, d, parts, single = blocks.n_rows, blocks.n_features, list[F64](), False
    if n > most or n * d > MOST or (distances and n != d):
        raise BadData(f"{n} × {d} entries are more than are compared in memory, or not the distances of all pairs")
    for X, _, _ in blocks:
        if X.shape[1] != d or not all_finite(X) or (distances and isinstance(X, Rows)):
            raise BadData(
                "entries are NaN, infinite or not numbers, rows have other lengths, or distances are left out"
            )
        parts.append(dense(X))
        single = single or X.dtype == np.float32
    whole = np.concatenate(parts)
    largest = float(np.abs(whole).max(initial=0.0))
    if len(whole) != n or not (largest == 0 or 1e-100 < largest < 1e100):
        raise BadData(f"{len(whole)} rows came, expected {n}, or squares of {largest:.1g} overflow or underflow")
    return whole, single
