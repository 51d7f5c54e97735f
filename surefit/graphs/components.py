"""Connected components."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse import csgraph

from surefit._core.errors import InvalidData


def connected_components(W: Any) -> tuple[int, np.ndarray]:
    """How many components the graph has, and the component of each vertex.

    Components are numbered by their lowest vertex. In a sparse W every stored entry is an edge, one of weight zero too
    (two equal rows in a graph of distances); in a dense one every entry that is not zero. Directions do not count.

    Examples
    --------
    >>> from surefit.graphs import connected_components
    >>> connected_components([[0, 1, 0], [1, 0, 0], [0, 0, 0]])
    (2, array([0, 0, 1], dtype=int32))
    """
    if not sp.issparse(W):
        W = np.asarray(W)
    if W.ndim != 2 or W.shape[0] != W.shape[1]:
        raise InvalidData(f"W must be a square matrix; got shape {W.shape}")
    W = sp.csr_array(W)
    edges = sp.csr_array((np.ones(W.nnz, dtype=np.float64), W.indices, W.indptr), shape=W.shape)
    count, labels = csgraph.connected_components(edges, directed=False)
    return int(count), labels
