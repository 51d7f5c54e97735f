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
        if len(self.X.shape) != 2:
            raise ValueError(f"X must have two dimensions; got {len(self.X.shape)}.")
        self.n_rows, self.n_features = (int(s) for s in self.X.shape)
        self.y = None if y is None else np.asarray(y)
        self.w = None if w is None else np.asarray(w)
        if self.y is not None and (self.y.ndim not in (1, 2) or self.y.shape[0] != self.n_rows):
            raise ValueError(f"y must have {self.n_rows} rows and one or two dimensions; got {self.y.shape}.")
        if self.w is not None and self.w.shape != (self.n_rows,):
            raise ValueError(f"w must have shape ({self.n_rows},); got {self.w.shape}.")
        if block_rows < 1:
            raise ValueError(f"block_rows must be positive; got {block_rows}.")
        self.block_rows = int(block_rows)

    def __iter__(self) -> Iterator[BlockOf]:
        for lo in range(0, self.n_rows, self.block_rows):
            rows = slice(lo, min(lo + self.block_rows, self.n_rows))
            yield BlockOf(
                self.X[rows],
                None if self.y is None else self.y[rows],
                None if self.w is None else self.w[rows],
            )
