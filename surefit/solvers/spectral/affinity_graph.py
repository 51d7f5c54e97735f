"""The graph that an affinity names, for rows in memory: neighbors, a radius, a kernel, or given.

`n_neighbors` counts the row itself, as scikit-learn has it; loops are left out, and no Laplacian notices. The graph of
nearest neighbors is (A + Aᵀ)/2 of the directed one.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp

from surefit._core.errors import InvalidData, InvalidParameter
from surefit._core.memory import refuse_beyond_memory
from surefit.graphs import epsilon_graph, neighbor_graph
from surefit.graphs.weights import ASYMMETRY
from surefit.kernels import resolve_kernel

NEIGHBORS = ("nearest_neighbors", "mutual_neighbors", "precomputed_nearest_neighbors")
GIVEN = ("precomputed", "precomputed_nearest_neighbors")


def affinity_graph(
    rows: Any,
    affinity: str | Callable,
    *,
    n_neighbors: int = 10,
    radius: float | None = None,
    gamma: float = 1.0,
    degree: float = 3,
    coef0: float = 1,
    kernel_params: dict | None = None,
) -> Any:
    """Weights of the edges between rows: CSR for graphs of neighbors, dense for kernels, as given if given.

    CSR is a `csr_matrix`, as in scikit-learn's models.
    """
    W = _graph(rows, affinity, n_neighbors, radius, gamma, degree, coef0, kernel_params)
    return sp.csr_matrix(W) if sp.issparse(W) else W


def _graph(
    rows: Any,
    affinity: str | Callable,
    n_neighbors: int,
    radius: float | None,
    gamma: float,
    degree: float,
    coef0: float,
    kernel_params: dict | None,
) -> Any:
    if affinity in GIVEN and rows.shape[0] != rows.shape[1]:
        raise InvalidData(f"affinity={affinity!r} takes a square matrix; got shape {rows.shape}")
    if affinity in NEIGHBORS:
        return _neighbors(rows, str(affinity), min(n_neighbors, rows.shape[0]) - 1)
    if affinity == "epsilon":
        if radius is None:
            raise InvalidParameter("affinity='epsilon' joins rows within a radius: give radius=…")
        return epsilon_graph(rows, radius)
    if affinity == "precomputed":
        return _symmetric(rows)
    n = rows.shape[0]
    refuse_beyond_memory(24.0 * n * n, f"the affinities of all pairs of {n} rows", "Use affinity='nearest_neighbors'.")
    kernel = resolve_kernel(
        affinity, gamma=gamma, degree=degree, coef0=coef0, kernel_params=kernel_params, calls="pairs"
    )
    values = np.asarray(kernel(rows.astype(np.float64)), dtype=np.float64)
    return (values + values.T) / 2


def _neighbors(rows: Any, affinity: str, others: int) -> sp.csr_array:
    n = rows.shape[0]
    if others == 0:
        return sp.csr_array((n, n), dtype=np.float64)
    metric = "precomputed" if affinity in GIVEN else "euclidean"
    return neighbor_graph(rows, others, metric=metric, mutual=affinity == "mutual_neighbors", symmetrize="mean")


def _symmetric(W: Any) -> Any:
    """W itself, or its mean with its transpose, with a warning where they differ by more than rounding."""
    difference = abs(W - W.T)
    largest = float(difference.max()) if difference.shape[0] else 0.0
    if largest == 0.0:
        return W
    if largest > ASYMMETRY * float(abs(W).max()):
        warnings.warn(
            "Array is not symmetric, and will be converted to symmetric by average with its transpose.", stacklevel=8
        )
    mean = (W + W.T) / 2
    return sp.csr_array(mean) if sp.issparse(mean) else mean
