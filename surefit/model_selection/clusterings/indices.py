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

from typing import Any

import numpy as np
from sklearn.metrics import calinski_harabasz_score, davies_bouldin_score, silhouette_score

from surefit.model_selection.clusterings.explained_share import prepared, split_last
from surefit.model_selection.prepare.columns import take

SILHOUETTE_ROWS, MOST_ROWS = 2_000, 20_000
CLUSTERS, NOISE, SILHOUETTE = "clusters", "noise", "silhouette"
DAVIES_BOULDIN, CALINSKI_HARABASZ = "Davies–Bouldin", "Calinski–Harabasz"


def internal_indices(model: Any, X: Any) -> dict[str, float]:
    """The indices of a fitted clustering: none for a model without labels, counts alone where there is one cluster."""
    labels = getattr(split_last(model)[1], "labels_", None)
    if labels is None:
        return {}
    labels = np.asarray(labels)
    found = {CLUSTERS: float(np.unique(labels[labels >= 0]).size), NOISE: float(np.mean(labels < 0))}
    rows = _spread(labels.size, SILHOUETTE_ROWS)
    if _has_clusters(labels[rows]):
        kept = rows[labels[rows] >= 0]
        share = kept.size / rows.size
        found[SILHOUETTE] = share * float(silhouette_score(prepared(model, take(X, kept)), labels[kept]))
    rows = _spread(labels.size, MOST_ROWS)
    if _has_clusters(labels[rows]):
        kept = rows[labels[rows] >= 0]
        Z = prepared(model, take(X, kept))
        found[DAVIES_BOULDIN] = float(davies_bouldin_score(Z, labels[kept]))
        found[CALINSKI_HARABASZ] = float(calinski_harabasz_score(Z, labels[kept]))
    return found


def index_text(name: str, value: float) -> str:
    """With as many digits as the index deserves."""
    if name == CLUSTERS:
        return f"{value:.0f}"
    if name == NOISE:
        return f"{100 * value:.0f} %" if value in (0.0, 1.0) or value >= 0.095 else f"{100 * value:.1f} %"
    return f"{value:,.0f}" if name == CALINSKI_HARABASZ else f"{value:.3f}"


def _spread(n: int, most: int) -> np.ndarray:
    return np.unique(np.linspace(0, n - 1, min(n, most)).astype(int))


def _has_clusters(labels: np.ndarray) -> bool:
    """Two at least, and fewer than rows: else an index says nothing."""
    inside = labels[labels >= 0]
    return 2 <= np.unique(inside).size < inside.size
