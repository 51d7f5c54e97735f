"""Graphs of neighbors as functions: of rows, or of a fitted search."""

from __future__ import annotations

from typing import Any, Literal

from surefit._core.errors import InvalidParameter
from surefit.neighbors.base import NeighborModel
from surefit.neighbors.nearest_neighbors import NearestNeighbors
from surefit.neighbors.queries import Mode

Self_ = bool | Literal["auto"]


def kneighbors_graph(
    X: Any,
    n_neighbors: int,
    *,
    mode: Mode = "connectivity",
    metric: Any = "minkowski",
    p: float = 2,
    metric_params: dict[str, Any] | None = None,
    include_self: Self_ = False,
    n_jobs: int | None = None,
) -> Any:
    """The k nearest rows of every row of X as a sparse matrix: 1, or with mode="distance" the distances.

    X is rows, or a fitted `NearestNeighbors` (whose metric then holds). With `include_self` a row is its own first
    neighbor; "auto" does so for mode="connectivity".

    >>> kneighbors_graph([[0.0], [3.0], [1.0]], 1).toarray()
    array([[0., 0., 1.],
           [0., 0., 1.],
           [1., 0., 0.]])
    """
    search = _search(X, {"metric": metric, "p": p, "metric_params": metric_params}, n_jobs, n_neighbors=n_neighbors)
    return search.kneighbors_graph(_queries(search, include_self, mode), n_neighbors, mode)


def radius_neighbors_graph(
    X: Any,
    radius: float,
    *,
    mode: Mode = "connectivity",
    metric: Any = "minkowski",
    p: float = 2,
    metric_params: dict[str, Any] | None = None,
    include_self: Self_ = False,
    n_jobs: int | None = None,
) -> Any:
    """The rows within `radius` of every row of X as a sparse matrix; see `kneighbors_graph`.

    >>> radius_neighbors_graph([[0.0], [3.0], [1.0]], 1.5, mode="distance").toarray()
    array([[0., 0., 1.],
           [0., 0., 0.],
           [1., 0., 0.]])
    """
    search = _search(X, {"metric": metric, "p": p, "metric_params": metric_params}, n_jobs, radius=radius)
    return search.radius_neighbors_graph(_queries(search, include_self, mode), radius, mode)


def _search(X: Any, how: dict[str, Any], n_jobs: int | None, **wanted: Any) -> Any:
    """A fitted search with this metric."""
    if not hasattr(X, "kneighbors_graph"):
        return NearestNeighbors(**wanted, **how, n_jobs=n_jobs).fit(X)
    for name, value in how.items():
        if value != getattr(X, name):
            raise InvalidParameter(
                f"Got {value} for {name}, while the estimator has {getattr(X, name)} for the same parameter."
            )
    return X


def _queries(search: Any, include_self: Any, mode: str) -> Any:
    """None: the rows themselves, each without itself."""
    if include_self not in (True, False, "auto"):
        raise InvalidParameter(f"include_self must be True, False or 'auto'; got {include_self!r}")
    if not (mode == "connectivity" if include_self == "auto" else include_self):
        return None
    if not isinstance(search, NeighborModel):
        raise InvalidParameter(f"include_self=True needs the rows, or surefit's NearestNeighbors; got {search!r}")
    return search.X_fit_
