"""Trees of merges as functions, under scikit-learn's names."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from surefit._core.errors import InvalidParameter
from surefit.cluster.agglomerative_clustering import AgglomerativeClustering


def ward_tree(X: Any, *, connectivity: Any = None, n_clusters: int | None = None, return_distance: bool = False) -> Any:
    """Ward's tree: (children, pieces of the graph, rows, parents or None), and with `return_distance` the heights.

    children     the two clusters of each merge; row i is cluster i, merge j makes cluster n + j
    connectivity only neighbors in this graph merge; `n_clusters` then stops the tree at so many clusters
    parents      with `connectivity`: the cluster that each one was merged into, its own number for the last

    >>> children, pieces, n, parents = ward_tree([[0.0], [1.0], [5.0]])
    >>> children.tolist(), pieces, n, parents
    ([[0, 1], [2, 3]], 1, 3, None)
    """
    return _tree(X, "ward", "euclidean", connectivity, n_clusters, return_distance)


def linkage_tree(
    X: Any,
    connectivity: Any = None,
    n_clusters: int | None = None,
    linkage: str = "complete",
    affinity: Any = "euclidean",
    return_distance: bool = False,
) -> Any:
    """The tree by complete, average or single linkage, in any metric (`affinity`); answers as `ward_tree`.

    >>> linkage_tree([[0.0], [1.0], [5.0]], linkage="single", return_distance=True)[-1]
    array([1., 4.])
    """
    if linkage not in ("complete", "average", "single"):
        raise InvalidParameter(f"linkage must be 'complete', 'average' or 'single'; got {linkage!r}")
    return _tree(X, linkage, affinity, connectivity, n_clusters, return_distance)


def _tree(X: Any, linkage: str, metric: Any, connectivity: Any, n_clusters: int | None, heights: bool) -> Any:
    X = np.asarray(X) if not hasattr(X, "tocsr") else X
    if X.ndim == 1:
        X = X.reshape(-1, 1)
    if connectivity is None and n_clusters is not None:
        warnings.warn(
            "the tree is built to its root: n_clusters stops it only where connectivity is given", stacklevel=3
        )
    stop = connectivity is not None and n_clusters is not None
    model = AgglomerativeClustering(
        n_clusters if stop else 1,
        metric=metric,
        linkage=linkage,  # type: ignore[arg-type]
        connectivity=connectivity,
        compute_full_tree=not stop,
        compute_distances=True,
    ).fit(X)
    n = model.n_leaves_
    parents = None if connectivity is None else _parents(model.children_, n)
    found = (model.children_, model.n_connected_components_, n, parents)
    return (*found, model.distances_) if heights else found


def _parents(children: np.ndarray, n: int) -> np.ndarray:
    """The cluster that each cluster was merged into; what is left has its own number."""
    parents = np.arange(n + len(children))
    parents[children.ravel()] = np.repeat(n + np.arange(len(children)), 2)
    return parents
