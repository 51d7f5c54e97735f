"""Rows through trees: the leaf of every row in every tree, and the sum of what the leaves say.

A row is looked at by one thread, which adds the trees in their order: the bits do not depend on the number of threads.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from surefit.solvers.growing.tree import Tree

BLOCK_NUMBERS = 2**22
"""Compressed rows are written out in blocks of at most so many numbers."""


def apply_all(trees: Sequence[Tree], X: Any, n_threads: int = 1) -> np.ndarray:
    """(rows, trees): the leaf of every row in every tree; X is dense (float32, float64) or CSR."""
    leaves = np.empty((X.shape[0], len(trees)), dtype=np.intp)
    for rows, block in _dense_blocks(X):
        for t, tree in enumerate(trees):
            leaves[rows, t] = tree.apply(block)
    return leaves


def sum_of_trees(trees: Sequence[Tree], X: Any, n_threads: int = 1) -> np.ndarray:
    """(rows, width): the sum over the trees, in their order, of the values of the leaves.

    The width is outputs × classes of the trees, which is the same for all of them.
    """
    total = np.zeros((X.shape[0], trees[0].n_outputs * trees[0].max_n_classes))
    for rows, block in _dense_blocks(X):
        for tree in trees:
            total[rows] += tree.value.reshape(tree.node_count, -1)[tree.apply(block)]
    return total


def _dense_blocks(X: Any) -> Any:
    if not sp.issparse(X):
        yield slice(0, X.shape[0]), X
        return
    step = max(1, BLOCK_NUMBERS // max(1, X.shape[1]))
    for start in range(0, X.shape[0], step):
        rows = slice(start, min(X.shape[0], start + step))
        yield rows, X[rows].toarray()
