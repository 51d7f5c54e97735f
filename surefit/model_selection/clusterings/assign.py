"""The cluster of a row that the clustering has not seen.

By the model's own `predict` where it has one (centers, mixtures). DBSCAN: that of the nearest core row, or noise where
none is within ε, as its definition says of border rows. Linkages and spectral clustering speak of their own rows
alone: here a new row goes with the nearest of these.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from surefit.model_selection.clusterings.search import labels_of
from surefit.neighbors import NearestNeighbors

NOISE = -1


def assigned(model: Any, seen: Any, rows: Any) -> np.ndarray:
    """Labels of `rows` by a clustering that was fitted to `seen`."""
    if hasattr(model, "predict"):
        return np.asarray(model.predict(rows))
    labels, reach = labels_of(model, seen), np.inf
    if hasattr(model, "core_sample_indices_"):
        core = np.asarray(model.core_sample_indices_)
        if not core.size:
            return np.full(rows.shape[0], NOISE)
        seen, labels, reach = seen[core], labels[core], float(model.eps)
    distances, nearest = NearestNeighbors(n_neighbors=1).fit(seen).kneighbors(rows)
    return np.where(distances[:, 0] <= reach, labels[nearest[:, 0]], NOISE)
