"""Rows through trees: the leaf of every row in every tree, and the sum of what the leaves say.

A row is looked at by one thread, which adds the trees in their order: the bits do not depend on the number of threads.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from surefit import _native
from surefit.solvers.growing.tree import Tree


def apply_all(trees: Sequence[Tree], X: Any, n_threads: int = 1) -> np.ndarray:
    """(rows, trees): the leaf of every row in every tree; X is dense (float32, float64) or CSR."""
    arrays = [tree.native for tree in trees]
    if sp.issparse(X):
        leaves = _native.tree_leaves_csr(arrays, X.data, X.indices, X.indptr, X.shape[1], n_threads)
    else:
        leaves = _native.tree_leaves(arrays, np.ascontiguousarray(X), n_threads)
    return leaves.view(np.intp)


def sum_of_trees(trees: Sequence[Tree], X: Any, n_threads: int = 1) -> np.ndarray:
    """(rows, width): the sum over the trees, in their order, of the values of the leaves.

    The width is outputs × classes of the trees, which is the same for all of them.
    """
    arrays = [tree.native for tree in trees]
    if sp.issparse(X):
        return _native.tree_sums_csr(arrays, X.data, X.indices, X.indptr, X.shape[1], n_threads)
    return _native.tree_sums(arrays, np.ascontiguousarray(X), n_threads)
