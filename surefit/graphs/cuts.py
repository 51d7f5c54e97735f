"""What it costs to cut a graph into groups A₁ … A_k.

    W(A, B) = Σ_{i ∈ A, j ∈ B} wᵢⱼ

    cut            ½ Σ_c W(A_c, rest)              every edge between groups once
    ratio cut        Σ_c W(A_c, rest) / |A_c|      ≥ the sum of the k smallest eigenvalues of L = D − W
    normalized cut   Σ_c W(A_c, rest) / vol(A_c)   ≥ the sum of the k smallest eigenvalues of L_sym

The bounds: with the columns of H the indicators of the groups, scaled to length one (in the norm of D), the value is
the trace of HᵀLH, and the least trace over all orthonormal H is the sum of the smallest eigenvalues (Ky Fan). A group
without edges costs nothing.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from surefit.graphs.laplacians import inverse, row_sums
from surefit.graphs.weights import take_labels, take_weights_of_edges, without_loops


class Cuts(NamedTuple):
    cut: float
    ratio_cut: float
    normalized_cut: float


def cut_value(W: Any, labels: Any) -> float:
    """The sum of the weights of the edges between different groups, each edge once.

    Examples
    --------
    >>> from surefit.graphs import cut_value
    >>> cut_value([[0, 1, 0], [1, 0, 2], [0, 2, 0]], [0, 1, 1])
    1.0
    """
    return _checked_cuts(W, labels).cut


def ratio_cut(W: Any, labels: Any) -> float:
    """Σ over groups of what leaves the group over its number of vertices.

    Examples
    --------
    >>> from surefit.graphs import ratio_cut
    >>> ratio_cut([[0, 1, 0], [1, 0, 2], [0, 2, 0]], [0, 1, 1])
    1.5
    """
    return _checked_cuts(W, labels).ratio_cut


def normalized_cut(W: Any, labels: Any) -> float:
    """Σ over groups of what leaves the group over its volume.

    Examples
    --------
    >>> from surefit.graphs import normalized_cut
    >>> normalized_cut([[0, 1, 0], [1, 0, 2], [0, 2, 0]], [0, 1, 1])
    1.2
    """
    return _checked_cuts(W, labels).normalized_cut


def _checked_cuts(W: Any, labels: Any) -> Cuts:
    W = without_loops(take_weights_of_edges(W))
    return cuts_of(W, take_labels(labels, W.shape[0])[0])


def cuts_of(W: Any, numbers: np.ndarray) -> Cuts:
    """All three, for a W that has been checked and has no loops, and groups 0 … k−1."""
    if sp.issparse(W):
        rows = np.repeat(np.arange(W.shape[0]), np.diff(W.indptr))
        crossing = numbers[rows] != numbers[W.indices]
        leaving = np.bincount(rows[crossing], W.data[crossing], minlength=W.shape[0])
    else:
        leaving = np.array([row[numbers != own].sum() for row, own in zip(W, numbers, strict=True)])
    outside = np.bincount(numbers, leaving)
    size = np.bincount(numbers).astype(np.float64)
    vol = np.bincount(numbers, row_sums(W))
    return Cuts(float(outside.sum() / 2), float(outside @ inverse(size)), float(outside @ inverse(vol)))
