"""Blocks of an array that is in memory."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.blocks import Block, BlockOf, Rows


class ArrayBlocks:
    """Blocks of an array (or `Rows`) that is in memory."""

    def __init__(self, X: Block, y: NDArray | None = None, w: NDArray | None = None, block_rows: int = 4096) -> None:
        self.X = X if isinstance(X, Rows) else np.asarray(X)
        self.y, self.w = (None if a is None else np.asarray(a) for a in (y, w))
        if len(self.X.shape) != 2:
            raise ValueError(f"X must have two dimensions; got {len(self.X.shape)}.")
        if any(a is not None and a.shape[:1] != self.X.shape[:1] for a in (self.y, self.w)):
            raise ValueError(f"y and w must have {self.X.shape[0]} rows, as X has.")
        self.n_rows, self.n_features, self.block_rows = *map(int, self.X.shape), max(1, int(block_rows))

    def __iter__(self) -> Iterator[BlockOf]:
        for lo in range(0, self.n_rows, self.block_rows):
            rows = slice(lo, min(lo + self.block_rows, self.n_rows))
            yield BlockOf(self.X[rows], *(None if a is None else a[rows] for a in (self.y, self.w)))
