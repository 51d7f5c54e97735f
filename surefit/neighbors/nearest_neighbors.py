"""The search of neighbors as an estimator."""

from __future__ import annotations

from typing import Any, Self

from sklearn.base import MultiOutputMixin

from surefit._core.base import fitting
from surefit.neighbors.parameters import (
    Algorithm,
    Jobs,
    LeafSize,
    MetricName,
    MetricParams,
    NeighborCount,
    P,
    Radius,
)
from surefit.neighbors.queries import KNearest, WithinRadius


class NearestNeighbors(MultiOutputMixin, KNearest, WithinRadius):
    """The nearest rows, and the rows within a radius, exactly.

    Neighbors come sorted by (distance, index): of two rows at the same distance the lower index comes first, whatever
    the algorithm, the number of threads or the number of queries.

    {parameters}

    Attributes
    ----------
    X_fit_ : ndarray or CSR of shape (n_samples, n_features)
        The rows that are searched; distances for a precomputed metric.
    n_samples_fit_ : int
    effective_metric_ : str or callable
        The metric in its simplest words: "euclidean" for Minkowski's with p = 2.
    effective_metric_params_ : dict
    n_features_in_, feature_names_in_ : as in scikit-learn

    Examples
    --------
    >>> from surefit.neighbors import NearestNeighbors
    >>> model = NearestNeighbors(n_neighbors=2).fit([[0.0], [1.0], [3.0], [6.0]])
    >>> distances, indices = model.kneighbors([[2.0]])
    >>> indices
    array([[1, 2]])
    """

    def __init__(
        self,
        *,
        n_neighbors: NeighborCount = 5,
        radius: Radius = 1.0,
        algorithm: Algorithm = "auto",
        leaf_size: LeafSize = 30,
        metric: MetricName = "minkowski",
        p: P = 2,
        metric_params: MetricParams = None,
        n_jobs: Jobs = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.radius = radius
        self.algorithm = algorithm
        self.leaf_size = leaf_size
        self.metric = metric
        self.p = p
        self.metric_params = metric_params
        self.n_jobs = n_jobs

    @fitting
    def fit(self, X: Any, y: Any = None) -> Self:
        """Keep the rows of X and prepare them for the search; y is ignored."""
        p = self._checked()
        self._keep_rows(p, X)
        return self
