"""k-means as a function."""

from __future__ import annotations

from typing import Any

from surefit._core.random import RandomStateLike
from surefit.cluster.kmeans import KMeans


def k_means(
    X: Any,
    n_clusters: int,
    *,
    sample_weight: Any = None,
    init: Any = "k-means++",
    n_init: Any = "auto",
    max_iter: int = 300,
    verbose: int | bool = False,
    tol: float = 1e-4,
    random_state: RandomStateLike = None,
    copy_x: bool = True,
    algorithm: Any = "lloyd",
    return_n_iter: bool = False,
) -> Any:
    """(centers, labels, inertia) of `KMeans(n_clusters, …).fit(X)`, and with `return_n_iter` its iterations.

    >>> centers, labels, inertia = k_means([[0.0], [1.0], [9.0]], 2, random_state=0)
    >>> sorted(centers.ravel().tolist()), inertia
    ([0.5, 9.0], 0.5)
    """
    model = KMeans(
        n_clusters,
        init=init,
        n_init=n_init,
        max_iter=max_iter,
        verbose=verbose,
        tol=tol,
        random_state=random_state,
        copy_x=copy_x,
        algorithm=algorithm,
    ).fit(X, sample_weight=sample_weight)
    found = (model.cluster_centers_, model.labels_, model.inertia_)
    return (*found, model.n_iter_) if return_n_iter else found
