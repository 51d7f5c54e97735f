"""What the classifier and the regressor on all rows within a radius share: the rows, block by block, and their weights.

The rows near query i are the positions indptr[i] … indptr[i+1]−1 of flat arrays, as in CSR.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from surefit._core.errors import InvalidData
from surefit.neighbors.parameters import Algorithm, Jobs, LeafSize, MetricName, MetricParams, P, Radius, Weights
from surefit.neighbors.queries import WithinRadius, pieces_of


class Near(NamedTuple):
    """The rows within the radius of some queries."""

    owner: np.ndarray
    """Of each near row: which query it is near, 0 … n_queries − 1."""
    row: np.ndarray
    weight: np.ndarray | None
    """None where every one counts one."""
    alone: np.ndarray
    """Flags of queries that no row is near."""


class RadiusNeighborsModel(WithinRadius):
    """Predicts from all rows within the radius."""

    y_fit_: np.ndarray

    def __init__(
        self,
        radius: Radius = 1.0,
        *,
        weights: Weights = "uniform",
        algorithm: Algorithm = "auto",
        leaf_size: LeafSize = 30,
        p: P = 2,
        metric: MetricName = "minkowski",
        metric_params: MetricParams = None,
        n_jobs: Jobs = None,
    ) -> None:
        self.radius = radius
        self.weights = weights
        self.algorithm = algorithm
        self.leaf_size = leaf_size
        self.p = p
        self.metric = metric
        self.metric_params = metric_params
        self.n_jobs = n_jobs

    def _around(self, Q: Any) -> Iterator[Near]:
        radius = 1.0 if self.radius is None else float(self.radius)
        for _, indptr, indices, distances in self._index.radius_blocks(Q, radius, exclude_self=Q is None, sort=False):
            counts = np.diff(indptr)
            owner = np.repeat(np.arange(len(counts)), counts)
            yield Near(owner, indices, _weights(distances, indptr, owner, self.weights), counts == 0)


def _weights(distances: np.ndarray, indptr: np.ndarray, owner: np.ndarray, weights: Any) -> np.ndarray | None:
    """1 (None), 1/d (where rows are at distance zero those alone), or what a function makes of arrays of distances."""
    if weights is None or (isinstance(weights, str) and weights == "uniform"):
        return None
    if callable(weights):
        found = list(weights(pieces_of(distances, indptr)))
        lengths = [np.size(one) for one in found]
        if lengths != np.diff(indptr).tolist():
            raise InvalidData(
                "the function in weights=… is given an array of arrays of distances, and must return one of arrays of "
                f"the same lengths; got {lengths[:5]} … for {np.diff(indptr)[:5].tolist()} …"
            )
        return np.concatenate([np.zeros(0), *(np.asarray(one, dtype=np.float64).ravel() for one in found)])
    with np.errstate(divide="ignore", over="ignore"):
        inverse = 1.0 / distances.astype(np.float64)
    at_zero = np.isinf(inverse)
    some_at_zero = np.zeros(len(indptr) - 1, dtype=bool)
    some_at_zero[owner[at_zero]] = True
    return np.where(some_at_zero[owner], at_zero, inverse)
