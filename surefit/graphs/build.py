"""Similarity graphs of rows: within a radius, by nearest neighbors (of one, or of each other), or all pairs."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Integral
from typing import Any, get_args

import numpy as np
import scipy.sparse as sp

from surefit._core.base import Estimator
from surefit._core.data.intake import take_rows
from surefit._core.errors import InvalidData, InvalidParameter
from surefit._core.memory import refuse_beyond_memory
from surefit.graphs.edges import (
    EdgeMode,
    Symmetrize,
    directed,
    gaussian,
    refuse_not_positive,
    refuse_unknown,
    symmetric,
    weighed,
)
from surefit.search.index import NeighborIndex, build_index
from surefit.search.metric import resolve_metric

BLOCK_BYTES = 2**26


def epsilon_graph(
    X: Any,
    radius: float,
    *,
    metric: str | Callable = "euclidean",
    p: float = 2,
    metric_params: dict | None = None,
    mode: EdgeMode = "connectivity",
    sigma: float | None = None,
) -> sp.csr_array:
    """Two rows are joined when their distance is at most `radius`.

    Parameters
    ----------
    X : array-like or CSR of shape (n_samples, n_features)
        The rows, or their distances for metric='precomputed'.
    radius : float
        The largest distance of two rows that are joined.
    metric, p, metric_params
        As in `surefit.neighbors.NearestNeighbors`.
    mode : {'connectivity', 'distance', 'similarity'}
        What an edge weighs: 1, the distance d, or exp(−d²/(2σ²)).
    sigma : float, default=None
        σ of the similarity; None takes the median length of an edge.

    Returns
    -------
    W : CSR of shape (n_samples, n_samples)
        Symmetric, without loops, indices sorted. Equal rows are joined by an edge of length 0, a stored zero.

    Examples
    --------
    >>> from surefit.graphs import epsilon_graph
    >>> epsilon_graph([[0.0], [1.0], [3.0]], radius=1.5).toarray()
    array([[0., 1., 0.],
           [1., 0., 0.],
           [0., 0., 0.]])
    """
    _check_edges("epsilon_graph", mode, sigma)
    refuse_not_positive("epsilon_graph", "radius", radius)
    index, n = _index(X, metric, p, metric_params)
    counts, indices, distances = [np.zeros(1, np.int64)], [], []
    for _, indptr, found, lengths in index.radius_blocks(None, radius, exclude_self=True, max_bytes=BLOCK_BYTES):
        counts.append(np.diff(indptr))
        indices.append(found)
        distances.append(lengths)
    graph = directed(np.cumsum(np.concatenate(counts)), np.concatenate(indices), np.concatenate(distances), n)
    return weighed(graph, mode, sigma)


def neighbor_graph(
    X: Any,
    n_neighbors: int,
    *,
    mutual: bool = False,
    symmetrize: Symmetrize | None = "or",
    metric: str | Callable = "euclidean",
    p: float = 2,
    metric_params: dict | None = None,
    mode: EdgeMode = "connectivity",
    sigma: float | None = None,
) -> sp.csr_array:
    """Each row is joined to its nearest other rows; among equally near ones the first.

    Parameters
    ----------
    X : array-like or CSR of shape (n_samples, n_features)
        The rows, or their distances for metric='precomputed'.
    n_neighbors : int
        How many others, the row itself not counted.
    mutual : bool
        Whether both must be among the nearest of the other.
    symmetrize : {'or', 'mean', None}
        What becomes of an edge that goes one way only: it goes both ways, or both ways at half its weight ((A + Aᵀ)/2);
        None leaves the directed graph. Not used when `mutual`.
    metric, p, metric_params
        As in `surefit.neighbors.NearestNeighbors`.
    mode : {'connectivity', 'distance', 'similarity'}
        What an edge weighs: 1, the distance d, or exp(−d²/(2σ²)).
    sigma : float, default=None
        σ of the similarity; None takes the median length of an edge.

    Returns
    -------
    W : CSR of shape (n_samples, n_samples)
        Without loops, indices sorted, symmetric unless `symmetrize` is None.

    Examples
    --------
    >>> from surefit.graphs import neighbor_graph
    >>> neighbor_graph([[0.0], [1.0], [3.0]], 1).toarray()
    array([[0., 1., 0.],
           [1., 0., 1.],
           [0., 1., 0.]])
    >>> neighbor_graph([[0.0], [1.0], [3.0]], 1, mutual=True).toarray()
    array([[0., 1., 0.],
           [1., 0., 0.],
           [0., 0., 0.]])
    """
    _check_edges("neighbor_graph", mode, sigma)
    refuse_unknown("neighbor_graph", "symmetrize", symmetrize, (*get_args(Symmetrize), None))
    if symmetrize == "mean" and mode == "distance" and not mutual:
        raise InvalidParameter("neighbor_graph(symmetrize='mean') halves weights; a distance has no half: use 'or'")
    if not isinstance(n_neighbors, Integral) or isinstance(n_neighbors, bool) or n_neighbors < 1:
        raise InvalidParameter(f"neighbor_graph(n_neighbors=…) must be a whole number ≥ 1; got {n_neighbors!r}")
    index, n = _index(X, metric, p, metric_params)
    k = int(n_neighbors)
    if k >= n:
        raise InvalidData(f"n_neighbors={k} asks for more other rows than there are: n_samples={n}")
    distances, indices = index.query(None, k, exclude_self=True)
    graph = directed(np.arange(0, n * k + 1, k), indices.reshape(-1), distances.reshape(-1), n)
    return weighed_neighbors(graph, mutual, symmetrize, mode, sigma)


def weighed_neighbors(
    graph: sp.csr_array, mutual: bool, symmetrize: Symmetrize | None, mode: EdgeMode, sigma: float | None
) -> sp.csr_array:
    """A directed graph of distances to neighbors as the graph that was asked for."""
    if mutual:
        return weighed(symmetric(graph, "and"), mode, sigma)
    if symmetrize == "or":
        return weighed(symmetric(graph, "or"), mode, sigma)
    graph = weighed(graph, mode, sigma)
    return graph if symmetrize is None else symmetric(graph, symmetrize)


def gaussian_graph(
    X: Any,
    sigma: float | None = None,
    *,
    metric: str | Callable = "euclidean",
    p: float = 2,
    metric_params: dict | None = None,
) -> np.ndarray:
    """Every two rows are joined, with weight exp(−d²/(2σ²)): an n × n array with a diagonal of zeros.

    Parameters
    ----------
    X : array-like or CSR of shape (n_samples, n_features)
        The rows, or their distances for metric='precomputed'.
    sigma : float, default=None
        σ; None takes the median distance of two rows.
    metric, p, metric_params
        As in `surefit.neighbors.NearestNeighbors`.

    Examples
    --------
    >>> from surefit.graphs import gaussian_graph
    >>> gaussian_graph([[0.0], [1.0], [3.0]], sigma=1.0).round(3)
    array([[0.   , 0.607, 0.011],
           [0.607, 0.   , 0.135],
           [0.011, 0.135, 0.   ]])
    """
    _check_edges("gaussian_graph", "similarity", sigma)
    rows = take_rows(Estimator(), X, reset=True, min_rows=2)
    n = rows.shape[0]
    refuse_beyond_memory(16.0 * n * n, f"the full graph of {n} rows", "Use neighbor_graph or epsilon_graph.")
    measure = resolve_metric(metric, p=p, metric_params=metric_params)
    if measure.is_precomputed:
        distances = np.asarray(rows.toarray() if sp.issparse(rows) else rows, dtype=np.float64)
    else:
        step = max(1, BLOCK_BYTES // (8 * n))
        distances = np.vstack([measure.pairwise(rows[i : i + step], rows) for i in range(0, n, step)])
    lengths = distances[np.triu_indices(n, 1)] if sigma is None else distances
    W = gaussian(distances, sigma, lengths)
    W[np.arange(n), np.arange(n)] = 0.0
    return W


def _check_edges(function: str, mode: Any, sigma: Any) -> None:
    refuse_unknown(function, "mode", mode, get_args(EdgeMode))
    if sigma is not None:
        refuse_not_positive(function, "sigma", sigma)


def _index(X: Any, metric: Any, p: float, metric_params: dict | None) -> tuple[NeighborIndex, int]:
    measure = resolve_metric(metric, p=p, metric_params=metric_params)
    rows = take_rows(Estimator(), X, reset=True, min_rows=2)
    if measure.is_precomputed and rows.shape[0] != rows.shape[1]:
        raise InvalidData(f"distances of all pairs are a square matrix; got shape {rows.shape}")
    return build_index(rows, measure), rows.shape[0]
