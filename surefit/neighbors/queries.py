"""Queries: the k nearest rows, the rows within a radius, and both as sparse graphs."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, Literal

import numpy as np
import scipy.sparse as sp
import sklearn
from sklearn.utils.validation import check_is_fitted

from surefit._core.errors import InvalidParameter
from surefit.neighbors.base import NeighborModel

Mode = Literal["connectivity", "distance"]


class KNearest(NeighborModel):
    """The k nearest rows, sorted by (distance, index): ties go to the lower index."""

    def _asked(self) -> int:
        """How many neighbors a query finds that does not say."""
        return self.n_neighbors

    def kneighbors(self, X: Any = None, n_neighbors: int | None = None, return_distance: bool = True) -> Any:
        """The nearest rows of every row of X, nearest first: (distances, indices), each (n_queries, n_neighbors).

        X may be None: then of every row that was fitted, which is not its own neighbor.
        """
        Q = self._queries(X)
        k = self._number(n_neighbors, Q)
        distances, indices = self._index.query(Q, k, exclude_self=Q is None)
        return (distances, indices) if return_distance else indices

    def kneighbors_graph(self, X: Any = None, n_neighbors: int | None = None, mode: Mode = "connectivity") -> Any:
        """The neighbors as a sparse matrix (n_queries, n_samples_fit), rows in the order of the distance.

        Entries are 1, or with mode="distance" the distances (zeros are stored).
        """
        check_is_fitted(self, "X_fit_")
        _refuse_mode(mode)
        distances, indices = self.kneighbors(X, n_neighbors)
        values = np.ones(indices.size) if mode == "connectivity" else distances.ravel()
        indptr = np.arange(0, indices.size + 1, indices.shape[1])
        return _graph(values, indices.ravel(), indptr, self.n_samples_fit_)

    def _number(self, n_neighbors: Any, Q: Any) -> int:
        k = self._asked() if n_neighbors is None else n_neighbors
        if not isinstance(k, (int, np.integer)):
            raise InvalidParameter(f"n_neighbors does not take {type(k)} value, enter integer value")
        if k <= 0:
            raise InvalidParameter(f"Expected n_neighbors > 0. Got {k}")
        n = self.n_samples_fit_
        if k > n - (Q is None):
            raise InvalidParameter(
                f"Expected n_neighbors {'<' if Q is None else '<='} n_samples_fit, but n_neighbors = {k}, "
                f"n_samples_fit = {n}, n_samples = {self._n_queries(Q)}"
            )
        return int(k)


class WithinRadius(NeighborModel):
    """All rows at a distance of at most the radius."""

    def radius_neighbors(
        self, X: Any = None, radius: Any = None, return_distance: bool = True, sort_results: bool = False
    ) -> Any:
        """The rows within `radius` of every row of X: (distances, indices), arrays of arrays.

        By index, or with `sort_results` by distance. X may be None: then of every row that was fitted, without
        itself. `radius` may hold one number for each row of X.
        """
        if sort_results and not return_distance:
            raise InvalidParameter("return_distance must be True if sort_results is True.")
        indptr, indices, distances = self._within(self._queries(X), radius, sort_results)
        found = pieces_of(indices, indptr)
        return (pieces_of(distances, indptr), found) if return_distance else found

    def radius_neighbors_graph(
        self, X: Any = None, radius: Any = None, mode: Mode = "connectivity", sort_results: bool = False
    ) -> Any:
        """The rows within `radius` as a sparse matrix (n_queries, n_samples_fit).

        Entries are 1, or with mode="distance" the distances (zeros are stored).
        """
        check_is_fitted(self, "X_fit_")
        _refuse_mode(mode)
        indptr, indices, distances = self._within(self._queries(X), radius, sort_results and mode == "distance")
        values = np.ones(len(indices)) if mode == "connectivity" else distances
        return _graph(values, indices, indptr, self.n_samples_fit_)

    def _within(self, Q: Any, radius: Any, sort: bool = False) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(indptr, indices, distances) of all queries, in the form of CSR."""
        radius = self.radius if radius is None else radius
        each = np.asarray(radius, dtype=np.float64)
        if each.ndim and each.shape != (self._n_queries(Q),):
            raise InvalidParameter(f"radius must be one number, or one for each of {self._n_queries(Q)} rows")
        counts, found = [np.zeros(1, dtype=np.int64)], []
        largest = float(each.max(initial=0.0))
        for rows, indptr, indices, distances in self._index.radius_blocks(
            Q, largest, exclude_self=Q is None, sort=sort
        ):
            if each.ndim:
                lengths = np.diff(indptr)
                kept = distances <= np.repeat(each[rows], lengths)
                owners = np.repeat(np.arange(len(lengths)), lengths)[kept]
                indptr = np.concatenate([[0], np.cumsum(np.bincount(owners, minlength=len(lengths)))])
                indices, distances = indices[kept], distances[kept]
            counts.append(np.diff(indptr))
            found.append((indices, distances))
        places = np.concatenate([indices for indices, _ in found], dtype=np.intp)
        return np.cumsum(np.concatenate(counts)), places, np.concatenate([distances for _, distances in found])


def _refuse_mode(mode: Any) -> None:
    if mode not in ("connectivity", "distance"):
        raise InvalidParameter(
            f'Unsupported mode, must be one of "connectivity", or "distance" but got "{mode}" instead'
        )


def pieces_of(values: np.ndarray, indptr: np.ndarray) -> np.ndarray:
    pieces = np.empty(len(indptr) - 1, dtype=object)
    pieces[:] = [values[start:stop] for start, stop in pairwise(indptr)]
    return pieces


def _graph(values: np.ndarray, indices: np.ndarray, indptr: np.ndarray, n_columns: int) -> Any:
    """CSR in the interface that scikit-learn is set to."""
    interface = sklearn.get_config().get("sparse_interface", "spmatrix")
    kind = sp.csr_matrix if interface == "spmatrix" else sp.csr_array
    return kind((values, indices, indptr), shape=(len(indptr) - 1, n_columns))
