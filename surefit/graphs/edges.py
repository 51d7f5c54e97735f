"""Graphs from lists of edges: directed neighbor lists made symmetric, and what an edge weighs.

Edges of length zero (equal rows) are edges: they stay in the structure of the matrix, as stored zeros of a graph of
distances.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import scipy.sparse as sp

from surefit._core.errors import InvalidParameter

EdgeMode = Literal["connectivity", "distance", "similarity"]
Symmetrize = Literal["or", "mean"]


def directed(indptr: np.ndarray, indices: np.ndarray, distances: np.ndarray, n: int) -> sp.csr_array:
    """CSR of distances with sorted indices; stored zeros stay."""
    small = np.int32 if max(n, len(indices)) < 2**31 else np.int64
    graph = sp.csr_array((distances.astype(np.float64), indices.astype(small), indptr.astype(small)), shape=(n, n))
    graph.sort_indices()
    return graph


def weighed(graph: sp.csr_array, mode: EdgeMode, sigma: float | None) -> sp.csr_array:
    """The same edges with weight 1, d, or exp(−d²/(2σ²)); σ is the median length of an edge unless it is given."""
    if mode == "distance":
        return graph
    weights = np.ones(graph.nnz) if mode == "connectivity" else gaussian(graph.data, sigma, graph.data)
    return sp.csr_array((weights, graph.indices, graph.indptr), shape=graph.shape)


def gaussian(distances: np.ndarray, sigma: float | None, lengths: np.ndarray) -> np.ndarray:
    """exp(−d²/(2σ²)), with σ the median of the lengths that are not zero if it is None."""
    if sigma is None:
        positive = lengths[lengths > 0]
        sigma = float(np.median(positive)) if len(positive) else 1.0
    return np.exp(-0.5 * np.square(distances / sigma))


def symmetric(graph: sp.csr_array, how: Literal["or", "mean", "and"]) -> sp.csr_array:
    """Edges that go one way go both ways ('or'), at half their weight ('mean'), or are dropped ('and').

    An edge and its reverse have the same weight here: it depends on the distance alone.
    """
    reverse = graph.T.tocsr()
    one_way = sp.csr_array((np.ones(graph.nnz), graph.indices, graph.indptr), shape=graph.shape)
    other_way = sp.csr_array((np.full(graph.nnz, 2.0), reverse.indices, reverse.indptr), shape=graph.shape)
    joined = one_way + other_way  # 1, 2 or 3: this way, the other way, or both; places in the order of each of the two
    ways, weights = joined.data, np.empty(joined.nnz)
    weights[ways != 1] = reverse.data
    weights[ways != 2] = graph.data
    if how == "mean":
        weights[ways != 3] *= 0.5
    if how != "and":
        return sp.csr_array((weights, joined.indices, joined.indptr), shape=graph.shape)
    kept = ways == 3
    before = np.concatenate([[0], np.cumsum(kept)])
    return sp.csr_array(
        (weights[kept], joined.indices[kept], before[joined.indptr].astype(joined.indptr.dtype)), shape=graph.shape
    )


def refuse_unknown(function: str, name: str, value: Any, allowed: tuple[Any, ...]) -> None:
    if value not in allowed:
        raise InvalidParameter(f"{function}({name}=…) must be one of {allowed}; got {value!r}")


def refuse_not_positive(function: str, name: str, value: Any) -> None:
    if not (isinstance(value, (int, float, np.integer, np.floating)) and 0 < value < np.inf):
        raise InvalidParameter(f"{function}({name}=…) must be a finite number > 0; got {value!r}")
