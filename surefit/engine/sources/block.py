"""A block: an aligned run of whole leaves, held in memory, handed to a step."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass
class Block:
    """Rows start … start+n_rows−1 of the data. `start` is a multiple of `leaf_rows`."""

    X: Any
    """C-contiguous float32/float64 ndarray, or CSR with sorted indices."""
    y: np.ndarray | None
    w: np.ndarray | None
    start: int
    leaf_rows: int
    scratch: dict[str, Any] | None = None
    """Kept between passes by a source whose rows stay in memory. What is in it never changes a result."""

    @property
    def n_rows(self) -> int:
        return self.X.shape[0]

    @property
    def n_features(self) -> int:
        return self.X.shape[1]

    @property
    def n_leaves(self) -> int:
        return -(-self.n_rows // self.leaf_rows)

    @property
    def targets(self) -> np.ndarray:
        """y as columns, (n_rows, targets)."""
        return target_columns(self.y)

    @property
    def codes(self) -> np.ndarray:
        """y as the numbers of classes, int32."""
        return target_columns(self.y)[:, 0].astype(np.int32)

    def leaf(self, i: int) -> Block:
        rows = slice(i * self.leaf_rows, min((i + 1) * self.leaf_rows, self.n_rows))
        return Block(
            self.X[rows],
            None if self.y is None else self.y[rows],
            None if self.w is None else self.w[rows],
            self.start + rows.start,
            self.leaf_rows,
        )

    def leaves(self) -> Iterator[Block]:
        return (self.leaf(i) for i in range(self.n_leaves))


def target_columns(y: np.ndarray | None) -> np.ndarray:
    """Targets as columns, (n, targets)."""
    if y is None:
        raise ValueError("this pass needs y; the data has none")
    return y[:, None] if y.ndim == 1 else y


def row_weights(block: Block, class_weight: np.ndarray | None) -> np.ndarray | None:
    """Weights of the rows times those of their classes; None when all are one."""
    if class_weight is None:
        return block.w
    of_class = class_weight[block.codes]
    return of_class if block.w is None else block.w * of_class
