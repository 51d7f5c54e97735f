"""Internal indices of a clustering: how well its clusters hold together, from the rows and the labels alone.

    clusters             how many there are
    noise                the share of rows in no cluster (label −1)
    silhouette           mean of (b − a) / max(a, b): a the mean distance to the own cluster, b to the nearest other one
                         (Rousseeuw 1987); a noise row counts as 0
    Davies–Bouldin       mean over the clusters of the worst (sᵢ + sⱼ) / ‖cᵢ − cⱼ‖: lower is better (1979)
    Calinski–Harabasz    variance between the clusters by variance within them, each by its degrees of freedom (1974)

Noise rows are in no cluster: the last two leave them out, and nobody's silhouette looks at them. The silhouette is that
of at most 2,000 rows, the others of at most 20,000, spread evenly over the data.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.metrics import calinski_harabasz_score, davies_bouldin_score, silhouette_score

from surefit.model_selection.clusterings.explained_share import dense, prepared, split_last
from surefit.model_selection.describe.columns import take

SILHOUETTE_ROWS, MOST_ROWS = 2_000, 20_000
CLUSTERS, NOISE, SILHOUETTE = "clusters", "noise", "silhouette"
DAVIES_BOULDIN, CALINSKI_HARABASZ = "Davies–Bouldin", "Calinski–Harabasz"


def internal_indices(model: Any, X: Any) -> dict[str, float]:
    """The indices of a fitted clustering: none for a model without labels, counts alone where there is one cluster."""
    labels = getattr(split_last(model)[1], "labels_", None)
    return {} if labels is None else indices_of(lambda rows: prepared(model, take(X, rows)), np.asarray(labels))


def indices_of(rows_of: Callable[[np.ndarray], np.ndarray], labels: np.ndarray) -> dict[str, float]:
    """The indices of labels; `rows_of` gives the rows with the numbers asked for, so that only these are made dense."""
    found = {CLUSTERS: float(np.unique(labels[labels >= 0]).size), NOISE: float(np.mean(labels < 0))}
    rows = rows_spread(labels.size, SILHOUETTE_ROWS)
    if _has_clusters(labels[rows]):
        kept = rows[labels[rows] >= 0]
        found[SILHOUETTE] = kept.size / rows.size * _silhouette(rows_of(kept), labels[kept])
    rows = rows_spread(labels.size, MOST_ROWS)
    if _has_clusters(labels[rows]):
        kept = rows[labels[rows] >= 0]
        Z = rows_of(kept)
        found[DAVIES_BOULDIN] = float(davies_bouldin_score(Z, labels[kept]))
        found[CALINSKI_HARABASZ] = float(calinski_harabasz_score(Z, labels[kept]))
    return found


def silhouette_of(Z: Any, labels: np.ndarray) -> float:
    """The silhouette alone, of at most 2,000 rows; NaN where there are no two clusters to compare."""
    rows = rows_spread(labels.size, SILHOUETTE_ROWS)
    if not _has_clusters(labels[rows]):
        return float("nan")
    kept = rows[labels[rows] >= 0]
    return kept.size / rows.size * _silhouette(dense(Z[kept]), labels[kept])


def _silhouette(Z: np.ndarray, labels: np.ndarray) -> float:
    """0 where all rows are equal: nothing is near or far."""
    return float(silhouette_score(Z, labels)) if Z.size and np.ptp(Z, axis=0).any() else 0.0


def index_text(name: str, value: float) -> str:
    """With as many digits as the index deserves."""
    if name == CLUSTERS:
        return f"{value:.0f}"
    if name == NOISE:
        return f"{100 * value:.0f} %" if value in (0.0, 1.0) or value >= 0.095 else f"{100 * value:.1f} %"
    return f"{value:,.0f}" if name == CALINSKI_HARABASZ else f"{value:.3f}"


def rows_spread(n: int, most: int) -> np.ndarray:
    """At most so many row numbers, spread evenly."""
    return np.unique(np.linspace(0, n - 1, min(n, most)).astype(int))


def _has_clusters(labels: np.ndarray) -> bool:
    """Two at least, and fewer than rows: else an index says nothing."""
    inside = labels[labels >= 0]
    return 2 <= np.unique(inside).size < inside.size
