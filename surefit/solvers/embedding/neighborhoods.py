"""The neighbors of rows, as embeddings keep them: by number or within a radius, for these rows and for new ones."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from surefit._core.errors import InvalidData
from surefit.graphs.edges import directed
from surefit.search.index import NeighborIndex, build_index
from surefit.search.metric import Metric


class Neighborhoods:
    """Rows and what a neighbor of one is; `nbrs_` of a fitted embedding."""

    def __init__(
        self, X: Any, metric: Metric, n_neighbors: int | None, radius: float | None, algorithm: str = "auto"
    ) -> None:
        self.X_fit_ = X
        self.n_samples_fit_ = X.shape[0]
        self.n_neighbors, self.radius, self.algorithm = n_neighbors, radius, algorithm
        self.metric = metric if metric.is_precomputed else metric.fitted(X)
        self.effective_metric_ = metric.function or metric.name

    def index(self) -> NeighborIndex:
        return build_index(self.X_fit_, self.metric, algorithm=self.algorithm)

    def graph(self) -> sp.csr_array:
        """Edges from each row to its neighbors, itself not counted, with their distances."""
        n = self.n_samples_fit_
        if self.n_neighbors is not None:
            if self.n_neighbors >= n:
                raise InvalidData(
                    f"Expected n_neighbors < n_samples, but n_samples = {n}, n_neighbors = {self.n_neighbors}"
                )
            distances, indices = self.index().query(None, self.n_neighbors, exclude_self=True)
            return directed(np.arange(n + 1) * self.n_neighbors, indices.reshape(-1), distances.reshape(-1), n)
        return self._lists(None, exclude_self=True)

    def of(self, Q: Any) -> sp.csr_array:
        """Edges from each new row to its neighbors among the fitted ones."""
        if self.n_neighbors is not None:
            distances, indices = self.index().query(Q, self.n_neighbors)
            m, k = indices.shape
            return sp.csr_array(
                (distances.reshape(-1), indices.reshape(-1), np.arange(m + 1) * k), shape=(m, self.n_samples_fit_)
            )
        return self._lists(Q, exclude_self=False)

    def kneighbors(
        self, X: Any = None, n_neighbors: int | None = None, return_distance: bool = True
    ) -> tuple[np.ndarray, np.ndarray] | np.ndarray:
        """As scikit-learn's: distances and indices of the nearest fitted rows."""
        k = n_neighbors or self.n_neighbors or 5
        found = self.index().query(X, k, exclude_self=X is None)
        return found if return_distance else found[1]

    def _lists(self, Q: Any, exclude_self: bool) -> sp.csr_array:
        assert self.radius is not None
        counts, indices, distances = [np.zeros(1, dtype=np.int64)], [], []
        for _, indptr, found, lengths in self.index().radius_blocks(Q, self.radius, exclude_self=exclude_self):
            counts.append(np.diff(indptr))
            indices.append(found)
            distances.append(lengths)
        m = self.n_samples_fit_ if Q is None else Q.shape[0]
        return sp.csr_array(
            (np.concatenate(distances), np.concatenate(indices), np.cumsum(np.concatenate(counts))),
            shape=(m, self.n_samples_fit_),
        )
