"""What a weight matrix W is: n × n, symmetric, wᵢⱼ ≥ 0; wᵢⱼ > 0 is an edge. Loops wᵢᵢ are allowed and never counted."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from surefit._core.errors import InvalidData

ASYMMETRY = 1e-10
"""Relative difference of wᵢⱼ and wⱼᵢ that passes as rounding."""


def take_weights_of_edges(W: Any, *, name: str = "W") -> Any:
    """W as float64, CSR (sorted, no duplicates) or ndarray; refused where it is not a weight matrix."""
    if sp.issparse(W):
        W = sp.csr_array(W, dtype=np.float64)
        if not W.has_canonical_format:
            W = W.copy()
            W.sum_duplicates()
        values = W.data
    else:
        W = np.asarray(W, dtype=np.float64)
        values = W
    if W.ndim != 2 or W.shape[0] != W.shape[1]:
        raise InvalidData(f"{name} must be a square matrix of weights; got shape {W.shape}")
    if not np.isfinite(values).all():
        raise InvalidData(f"{name} holds NaN or an infinity; weights of edges are finite, and 0 where there is none")
    if (values < 0).any():
        raise InvalidData(f"{name} holds the negative weight {values.min():g}; weights of edges are similarities ≥ 0")
    _refuse_asymmetric(W, values, name)
    return W


def _refuse_asymmetric(W: Any, values: np.ndarray, name: str) -> None:
    largest = float(values.max(initial=0.0))
    difference = abs(W - W.T)
    if sp.issparse(difference):
        difference = difference.data
    if float(np.max(difference, initial=0.0)) > ASYMMETRY * largest:
        raise InvalidData(f"{name} is not symmetric: use (W + Wᵀ)/2, or a graph that is (`neighbor_graph`)")


def without_loops(W: Any) -> Any:
    """W with a diagonal of zeros; W itself where it is so already."""
    if not W.diagonal().any():
        return W
    if sp.issparse(W):
        rows = np.repeat(np.arange(W.shape[0]), np.diff(W.indptr))
        kept = rows != W.indices
        indptr = np.concatenate([[0], np.cumsum(np.bincount(rows[kept], minlength=W.shape[0]))])
        return sp.csr_array((W.data[kept], W.indices[kept], indptr.astype(W.indptr.dtype)), shape=W.shape)
    W = W.copy()
    np.fill_diagonal(W, 0.0)
    return W


def take_labels(labels: Any, n: int) -> tuple[np.ndarray, int]:
    """Numbers 0 … k−1 of the groups, in the order of the sorted labels, and k."""
    labels = np.asarray(labels)
    if labels.shape != (n,):
        raise InvalidData(f"labels must have one entry for each of the {n} vertices; got shape {labels.shape}")
    names, numbers = np.unique(labels, return_inverse=True)
    return numbers.reshape(-1), len(names)
