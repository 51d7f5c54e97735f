"""The order in which density reaches rows (OPTICS: Ankerst, Breunig, Kriegel and Sander, 1999).

With c(x) the k-distance of a row, x reaches y at max(c(x), d(x, y)). Starting at the first row, the next one is always
that which the rows so far reach at the smallest radius; ties go to the lower row. Drawn in this order the radii show
clusters as valleys: those of DBSCAN at eps are the runs below eps.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from surefit.search import Metric


def reachability(X: Any, k: int, metric: Metric) -> tuple[np.ndarray, np.ndarray]:
    """The order of the rows, and the radius at which each row (not: each place) was reached; ∞ for the first."""
    n = X.shape[0]
    D = metric.pairwise(X, X)
    core = np.partition(D, min(k, n) - 1, axis=1)[:, min(k, n) - 1]
    radius, done = np.full(n, np.inf), np.zeros(n, dtype=bool)
    order = np.empty(n, dtype=np.intp)
    for place in range(n):
        at = int(np.argmin(np.where(done, np.inf, radius))) if place else 0
        order[place], done[at] = at, True
        radius = np.where(done, radius, np.minimum(radius, np.maximum(core[at], D[at])))
    return order, radius
