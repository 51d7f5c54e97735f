"""A score for models without a target: how much of the variance of unseen rows they carry.

A model that compresses rows gives each row x an image x̂ (the nearest centre; the projection on the components). With
m the mean of the training rows,

    score = 1 − Σ ‖xᵢ − x̂ᵢ‖² / Σ ‖xᵢ − m‖²        over rows the model has not seen.

It is R² for a whole matrix: 0 for "the mean will do", 1 for perfect; k-means and PCA are measured on one scale.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.pipeline import Pipeline

from surefit._core.errors import InvalidData


def split_last(model: Any) -> tuple[Any, Any]:
    """(what prepares the rows or None, the estimator itself)."""
    if isinstance(model, Pipeline) and len(model.steps) > 1:
        return model[:-1], model[-1]
    return None, model[-1] if isinstance(model, Pipeline) else model


def seen_by_last(model: Any, X: Any) -> Any:
    """What the last step of `model` sees, in the container it comes in."""
    before, _ = split_last(model)
    return X if before is None else before.transform(X)


def dense(Z: Any) -> np.ndarray:
    return np.asarray(Z.toarray() if sp.issparse(Z) else Z, dtype=np.float64)


def prepared(model: Any, X: Any) -> np.ndarray:
    """The matrix that the last step of `model` sees."""
    return dense(seen_by_last(model, X))


def answers_unseen(model: Any) -> bool:
    """Does it say anything about rows that it was not fitted to? Some clusterings speak of their own rows alone."""
    _, estimator = split_last(model)
    return hasattr(estimator, "predict") or hasattr(estimator, "transform")


def images(estimator: Any, Z: Any) -> np.ndarray:
    """x̂ for every row, through the estimator's public methods."""
    if hasattr(estimator, "cluster_centers_"):
        return np.asarray(estimator.cluster_centers_, dtype=np.float64)[estimator.predict(Z)]
    if hasattr(estimator, "inverse_transform"):
        return np.asarray(estimator.inverse_transform(estimator.transform(Z)), dtype=np.float64)
    raise InvalidData(
        f"{type(estimator).__name__} has no cluster_centers_ and no inverse_transform: pass y, or scoring="
    )


def explained_share(model: Any, X_train: Any, X_test: Any) -> float:
    """The score of a fitted model on rows it has not seen."""
    _, estimator = split_last(model)
    centre = prepared(model, X_train).mean(axis=0)
    seen = seen_by_last(model, X_test)
    Z = dense(seen)
    total = float(((Z - centre) ** 2).sum())
    lost = float(((Z - images(estimator, seen)) ** 2).sum())
    if total == 0.0:
        return 1.0 if lost == 0.0 else float("-inf")
    return 1.0 - lost / total
