"""Which search for which rows. All of them give the same answers."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from surefit._core.errors import InvalidData, InvalidParameter
from surefit.search.blocked import BlockedIndex
from surefit.search.compiled import CompiledIndex
from surefit.search.metric import Metric
from surefit.search.neighbor_index import NeighborIndex
from surefit.search.precomputed import PrecomputedIndex
from surefit.search.sparse import SparseIndex, takes_sparse

DENSE_NUMBERS = 2**22
"""Compressed rows of no more numbers than these are searched as dense ones."""


def build_index(X: Any, metric: Metric, *, algorithm: str = "auto", leaf_size: int = 30) -> NeighborIndex:
    """An index of the rows of X (dense or CSR; or of distances, for a precomputed metric).

    `algorithm` is "auto", "brute", "kd_tree" or "ball_tree" (as kd_tree): they differ in speed alone.
    """
    if algorithm not in ("auto", "brute", "kd_tree", "ball_tree"):
        raise InvalidParameter(f"algorithm={algorithm!r} must be 'auto', 'brute', 'kd_tree' or 'ball_tree'")
    if not sp.issparse(X):
        X = np.asarray(X)
    if X.ndim != 2 or X.shape[0] == 0:
        raise InvalidData(f"an index takes at least one row, in two dimensions; got {X.shape}")
    if metric.is_precomputed:
        return PrecomputedIndex(X, metric)
    if sp.issparse(X):
        X = X.tocsr()
    power, few = metric.fitted(X).p, X.shape[0] * X.shape[1] <= DENSE_NUMBERS
    if power is not None and power >= 1 and (few or not sp.issparse(X)):  # below 1 all rows are looked at
        return CompiledIndex(X, metric, algorithm)
    if sp.issparse(X) and takes_sparse(X, metric):
        return SparseIndex(X, metric)
    return BlockedIndex(X, metric)
