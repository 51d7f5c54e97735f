"""The radius of density-based candidates: from the knee of the k-distances of the rows as the clustering sees them."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone

from surefit.model_selection.clusterings.explained_share import split_last
from surefit.solvers.clustering.k_distance import knee_radius


def with_radius(models: dict[str, Any], X: Any) -> dict[str, Any]:
    """The models, those that have an `eps` with its value and named by it. All other models stay as they are."""
    if not any(hasattr(split_last(model)[1], "eps") for model in models.values()):
        return models
    found: dict[str, Any] = {}
    for name, model in models.items():
        before, estimator = split_last(model)
        if hasattr(estimator, "eps"):
            rows = X if before is None else clone(before).fit_transform(X)
            rows = rows.tocsr() if sp.issparse(rows) else np.asarray(rows, dtype=np.float64)
            estimator.set_params(eps=rounded_knee(rows, estimator.min_samples))
            name = f"{name} ε={estimator.eps:g}"
        found[name] = model
    return found


def rounded_knee(Z: Any, min_samples: int) -> float:
    """Three digits: nothing depends on more, and the table can show them."""
    return float(f"{knee_radius(Z, min_samples):.3g}")
