"""Agglomerative clustering without restrictions: merge the closest two clusters until one is left."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.cluster import hierarchy

from surefit.solvers.clustering.pair_distances import PairDistances


def linkage_matrix(X: np.ndarray, method: str, metric: str | Callable) -> np.ndarray:
    """SciPy's linkage matrix of the rows of X (or of precomputed distances), heights ascending."""
    return hierarchy.linkage(PairDistances(X, metric).condensed(), method=method)
