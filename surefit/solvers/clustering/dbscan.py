"""DBSCAN on rows: which rows are core, and the cluster of each row.

    neighbors of a row   all rows at a distance ≤ eps, itself among them
    core row             the weights of its neighbors sum to at least min_samples
    cluster              core rows that are joined by chains of neighbors
    border row           not core, but a neighbor of a core row
    noise                all other rows

Clusters are numbered by their lowest core row; a border row has the lowest cluster that has a core row near it.
No neighborhood is stored: memory is linear in the number of rows.

For Euclidean, Manhattan and Chebyshev distances the decision is  Σ(aⱼ − bⱼ)² ≤ eps·eps,  Σ|aⱼ − bⱼ| ≤ eps,
max|aⱼ − bⱼ| ≤ eps, summed over the columns in order in double precision. Squared distances, and those of angles
(½ Σ(âⱼ − b̂ⱼ)² of the directions of the rows), are bounds of the same sum.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from surefit import _native
from surefit._core.threads import threads_for
from surefit.search import Metric, build_index, resolve_metric
from surefit.solvers.clustering.dbscan_graph import clusters_of_graph
from surefit.solvers.clustering.dbscan_stream import clusters_of_blocks

NORMS = {"manhattan": 0, "euclidean": 1, "chebyshev": 2}
SUMS_OF_SQUARES = {"sqeuclidean": 1.0, "cosine": 2.0, "correlation": 2.0}
"""Metrics that are a sum of squares divided by this."""
DENSE_BYTES = 2**28
"""Sparse rows that take no more memory than this when they are dense are made dense."""


@dataclass(frozen=True)
class Clusters:
    """The cluster of each row (−1: noise), which rows are core, and how many clusters there are."""

    labels: np.ndarray
    core: np.ndarray
    n_clusters: int


def find_clusters(
    X: Any,
    eps: float,
    min_samples: float,
    metric: Metric,
    weights: np.ndarray | None = None,
    *,
    algorithm: str = "auto",
    n_jobs: int | None = None,
) -> Clusters:
    """The clusters of the rows of X (dense or CSR; distances for a precomputed metric)."""
    if metric.is_precomputed:
        return Clusters(*clusters_of_graph(X, eps, min_samples, weights))
    if metric.name in (*NORMS, *SUMS_OF_SQUARES) and metric.weights is None:
        if not sp.issparse(X) or 8.0 * X.shape[0] * X.shape[1] <= DENSE_BYTES:
            return _by_cells(X, eps, min_samples, metric, weights, n_jobs)
        if metric.name == "euclidean":  # the same decision as in the cells
            metric, eps = resolve_metric("sqeuclidean"), eps * eps
    index = build_index(X, metric, algorithm="brute" if algorithm == "brute" else "auto")
    return Clusters(*clusters_of_blocks(index, X, eps, min_samples, weights))


def _by_cells(
    X: Any, eps: float, min_samples: float, metric: Metric, weights: np.ndarray | None, n_jobs: int | None
) -> Clusters:
    squared = metric.name in SUMS_OF_SQUARES
    X = metric.coordinates(X) if metric.name in ("cosine", "correlation") else X
    rows = np.ascontiguousarray(X.toarray() if sp.issparse(X) else X)
    norm, eps = NORMS.get(metric.name, NORMS["euclidean"]), SUMS_OF_SQUARES.get(metric.name, 1.0) * float(eps)
    n_threads = threads_for(32.0 * rows.size, n_jobs)
    found = _native.dbscan(rows, weights, norm, eps, squared, float(min_samples), True, n_threads)
    labels, core, n_clusters = found
    return Clusters(labels.astype(np.intp), core.astype(bool), n_clusters)
