"""Would other rows of the same kind give the same clusters?

The rows are cut at random into two halves, again and again. Each half is clustered by itself with the setting that all
rows chose (a radius is taken at the half's own knee), and both clusterings say where a common sample of rows belongs
(`assign.py`). Nothing is shared by the two but the kind of the data:

    stability         the mean over the pairs of the adjusted Rand index of the two: 1 the same, 0 no better than chance
    of one cluster    the mean over all halves of the largest Jaccard index |A ∩ B| / |A ∪ B| of the cluster A with a
                      cluster B of the half (Hennig 2007): which of the clusters come again, and which do not

Noise is a group of its own in the first and no cluster in the second. Halves have at most 2,000 rows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.metrics import adjusted_rand_score

from surefit.model_selection.clusterings.assign import assigned
from surefit.model_selection.clusterings.indices import rows_spread

PAIRS = 10
HALF_ROWS, COMMON_ROWS = 2_000, 2_000
FEWEST_ROWS = 20
"""With fewer rows a half says nothing."""


@dataclass(frozen=True)
class Stability:
    """`pairs`: the adjusted Rand index of each pair of halves. `clusters`: the Jaccard index of each cluster."""

    pairs: np.ndarray
    clusters: np.ndarray
    half_rows: int

    @property
    def mean(self) -> float:
        return float(np.mean(self.pairs))


def stability(fit: Callable[[Any], Any], Z: Any, labels: np.ndarray, seed: int = 0) -> Stability | None:
    """The stability of the clustering `labels` of the rows Z under `fit`; None where halves say nothing.

    `fit(rows)` gives a fitted clustering. A single cluster, or too few rows, have no stability.
    """
    n, ids = labels.size, np.unique(labels[labels >= 0])
    if n < FEWEST_ROWS or ids.size < 2:
        return None
    common = rows_spread(n, COMMON_ROWS)
    size = min(n // 2, HALF_ROWS)
    pairs, overlaps = [], []
    for pair in range(PAIRS):
        order = np.random.default_rng([seed, pair]).permutation(n)
        said = []
        for half in (np.sort(order[:size]), np.sort(order[n // 2 : n // 2 + size])):
            said.append(assigned(fit(Z[half]), Z[half], Z[common]))
            overlaps.append([_best_overlap(labels[common] == k, said[-1]) for k in ids])
        pairs.append(adjusted_rand_score(said[0], said[1]))
    return Stability(np.array(pairs), np.mean(overlaps, axis=0), size)


def _best_overlap(mine: np.ndarray, labels: np.ndarray) -> float:
    """The largest Jaccard index of a set of rows with a cluster."""
    found = [0.0]
    for k in np.unique(labels[labels >= 0]):
        theirs = labels == k
        both = np.count_nonzero(mine & theirs)
        found.append(both / (np.count_nonzero(mine | theirs) or 1))
    return max(found)
