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
    n = graph.shape[0]
    rows = np.repeat(np.arange(n, dtype=graph.indices.dtype), np.diff(graph.indptr))
    heads, tails = np.concatenate([rows, graph.indices]), np.concatenate([graph.indices, rows])
    weights = np.concatenate([graph.data, graph.data])
    order = np.lexsort((tails, heads))
    heads, tails, weights = heads[order], tails[order], weights[order]
    last = np.ones(len(heads), dtype=bool)
    last[:-1] = (heads[1:] != heads[:-1]) | (tails[1:] != tails[:-1])
    both = np.zeros(len(heads), dtype=bool)
    both[1:] = ~last[:-1]
    if how == "mean":
        weights = np.where(both, weights, 0.5 * weights)
    kept = last & both if how == "and" else last
    indptr = np.concatenate([[0], np.cumsum(np.bincount(heads[kept], minlength=n))]).astype(graph.indptr.dtype)
    return sp.csr_array((weights[kept], tails[kept], indptr), shape=graph.shape)


def refuse_unknown(function: str, name: str, value: Any, allowed: tuple[Any, ...]) -> None:
    if value not in allowed:
        raise InvalidParameter(f"{function}({name}=…) must be one of {allowed}; got {value!r}")


def refuse_not_positive(function: str, name: str, value: Any) -> None:
    if not (isinstance(value, (int, float, np.integer, np.floating)) and 0 < value < np.inf):
        raise InvalidParameter(f"{function}({name}=…) must be a finite number > 0; got {value!r}")
