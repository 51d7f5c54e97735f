"""The k-distance curve, and the radius at its knee: the usual way to choose eps (Ester, Kriegel, Sander and Xu, 1996).

The k-distance of a row is the smallest eps at which k rows, itself among them, lie within eps of it: with
min_samples = k it is core for every eps from there on. Sorted, the curve rises slowly through the rows of clusters and
steeply through noise; between lies the knee, where the curve is farthest below the chord of its ends.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from surefit.search import build_index, resolve_metric

MOST_ROWS = 2000


def k_distances(X: Any, k: int, *, metric: Any = "euclidean", most_rows: int = MOST_ROWS) -> np.ndarray:
    """The sorted k-distances of the rows of X; of at most `most_rows` of them, spread evenly over X."""
    n = X.shape[0]
    rows = np.unique(np.linspace(0, n - 1, min(n, most_rows)).astype(int))
    distances, _ = build_index(X, resolve_metric(metric)).query(X[rows], min(k, n))
    return np.sort(distances[:, -1])


def knee(curve: np.ndarray) -> float:
    """The value of a rising curve where it is farthest below the chord from its first to its last point.

    >>> knee(np.array([1.0, 1.1, 1.2, 1.3, 5.0, 9.0]))
    1.3
    """
    curve = np.asarray(curve, dtype=np.float64)
    chord = np.linspace(curve[0], curve[-1], len(curve))
    return float(curve[np.argmax(chord - curve)])


def knee_radius(X: Any, min_samples: int) -> float:
    """eps by the knee of the curve, a number above zero: the smallest there is where the knee is among duplicates."""
    curve = k_distances(X, min_samples)
    positive = curve[curve > 0]
    return max(knee(curve), float(positive[0])) if positive.size else 1.0
