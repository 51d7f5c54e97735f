"""k-means++ on its own: k rows that are good places to start from."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np

from surefit._core.base import Estimator
from surefit._core.data.intake import take_rows, take_weights
from surefit._core.errors import InvalidData, InvalidParameter
from surefit._core.random import RandomStateLike, random_stream
from surefit.engine.leaves import leaf_threads
from surefit.engine.sources.source import MemorySource
from surefit.solvers.clustering.lloyd import measure_extent
from surefit.solvers.clustering.seeding import choose, rows_at
from surefit.summaries.canonical import canonical_rows, row_hashes


def kmeans_plusplus(
    X: Any,
    n_clusters: int,
    *,
    sample_weight: Any = None,
    x_squared_norms: Any = None,
    random_state: RandomStateLike = None,
    n_local_trials: int | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Choose k rows of X as first centers, far from each other as a rule (Arthur and Vassilvitskii, 2007).

    Each next row is drawn with a chance proportional to its weight times its *squared* distance to the nearest row
    chosen so far; of `n_local_trials` such draws the one that leaves the least potential is kept. The choice depends on
    the weighted rows alone, not on their order.

    Parameters
    ----------
    X : array-like or CSR of shape (n_samples, n_features)
        The rows to choose from.
    n_clusters : int
        How many to choose.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights ≥ 0; a weight of two is a row given twice.
    x_squared_norms : array-like of shape (n_samples,), default=None
        For compatibility; not used.
    random_state : int, RandomState, Generator, SeedSequence or None, default=None
        Seed or stream of the draws.
    n_local_trials : int, default=None
        Draws per round; None takes 2 + ⌊ln k⌋.

    Returns
    -------
    centers : ndarray of shape (n_clusters, n_features)
        The chosen rows.
    indices : ndarray of shape (n_clusters,)
        Where they are in X.

    Examples
    --------
    >>> import numpy as np
    >>> from surefit.cluster import kmeans_plusplus
    >>> X = np.array([[1.0, 2], [1, 4], [1, 0], [10, 2], [10, 4], [10, 0]])
    >>> centers, indices = kmeans_plusplus(X, n_clusters=2, random_state=0)
    >>> bool(abs(centers[0, 0] - centers[1, 0]) == 9) and np.array_equal(X[indices], centers)
    True
    """
    for name, value in (("n_clusters", n_clusters), ("n_local_trials", n_local_trials)):
        if value is None and name == "n_local_trials":
            continue
        if not isinstance(value, Integral) or isinstance(value, bool) or value < 1:
            raise InvalidParameter(f"kmeans_plusplus({name}=…) must be a whole number ≥ 1; got {value!r}.")
    rows = take_rows(Estimator(), X, reset=True)
    w = take_weights(sample_weight, rows.shape[0])
    if rows.shape[0] < n_clusters:
        raise InvalidData(f"n_samples={rows.shape[0]} should be >= n_clusters={n_clusters}.")
    if x_squared_norms is not None and len(x_squared_norms) != rows.shape[0]:
        raise InvalidData(
            f"The length of x_squared_norms {len(x_squared_norms)} should be equal to the length of n_samples "
            f"{rows.shape[0]}."
        )
    data = MemorySource(rows, w=w)
    n_threads = leaf_threads(data.n_rows, data.leaf_rows)
    sample = canonical_rows(data.X, w, row_hashes(data.X, n_threads))
    scale = measure_extent(data).frame.scale
    chosen, _ = choose(sample, int(n_clusters), "k-means++", random_stream(random_state), scale, n_local_trials)
    return rows_at(sample, chosen), sample.order[chosen]
