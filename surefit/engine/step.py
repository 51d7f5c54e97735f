"""The protocol: a pass over the data is a step, and a step is stateless.

    map(state, block)        the statistic of a block of rows: pure, its size independent of the number of rows
    combine(left, right)     associative, left first
    update                   is the driver's: the next state from the merged statistic

Memory, Parquet and Dask differ only in who calls `map` and where.
"""

from __future__ import annotations

from typing import Any

from surefit.engine.leaves import fold_tree
from surefit.engine.sources.block import Block


class Step:
    """Subclasses give `combine`, and `map_leaf` (NumPy on one leaf) or `map` (a native loop with its own tree)."""

    keeps_rows: bool = False
    """The statistic has a few bytes for each row, in order: what is left of rows that do not fit in memory."""

    def map(self, state: Any, block: Block, n_threads: int) -> Any:
        return fold_tree(block.n_leaves, lambda i: self.map_leaf(state, block.leaf(i)), self.combine, n_threads)

    def map_leaf(self, state: Any, leaf: Block) -> Any:
        raise TypeError(f"{type(self).__name__} must define map_leaf or map")

    def combine(self, left: Any, right: Any) -> Any:
        raise TypeError(f"{type(self).__name__} must define combine")
