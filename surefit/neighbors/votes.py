"""What neighbors count, and what they say together: votes of classes, means of targets.

    weight of a neighbor at distance d:   1,   1/d,   or a function of the distances
    votes of class c for query i:         Σⱼ weightᵢⱼ [class of neighbor j = c]
    mean for query i:                     Σⱼ weightᵢⱼ yⱼ / Σⱼ weightᵢⱼ

Where some neighbor is at distance zero, 1/d is 1 for those at zero and 0 for the others.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from surefit._core.errors import InvalidData


def neighbor_weights(distances: np.ndarray, weights: Any) -> np.ndarray | None:
    """The weights of neighbors at these distances, (m, k); None where every one counts one."""
    if weights is None or (isinstance(weights, str) and weights == "uniform"):
        return None
    if callable(weights):
        found = np.asarray(weights(distances), dtype=np.float64)
        if found.shape != distances.shape:
            raise InvalidData(
                f"the function in weights=… must return an array of the shape it is given, {distances.shape}; "
                f"got {found.shape}"
            )
        return found
    with np.errstate(divide="ignore", over="ignore"):
        inverse = 1.0 / distances
    at_zero = np.isinf(inverse)
    return np.where(at_zero.any(axis=1, keepdims=True), at_zero, inverse)


def refuse_weightless(weights: np.ndarray | None) -> None:
    if weights is not None:
        refuse_no_votes(weights)


def refuse_no_votes(votes: np.ndarray) -> None:
    """Where all numbers of a row are zero nothing is said."""
    if not votes.any(axis=1).all():
        raise InvalidData(
            "All neighbors of some sample is getting zero weights. Please modify 'weights' to avoid this case if you "
            "are using a user-defined function."
        )


def class_votes(codes: np.ndarray, weights: np.ndarray | None, n_classes: int) -> np.ndarray:
    """The votes of each class, (m, n_classes), from the classes of the neighbors, (m, k)."""
    m = len(codes)
    places = codes + n_classes * np.arange(m)[:, None]
    counted = np.bincount(places.ravel(), None if weights is None else weights.ravel(), minlength=m * n_classes)
    return counted.reshape(m, n_classes)


def weighted_means(targets: np.ndarray, weights: np.ndarray | None) -> np.ndarray:
    """The means (m, t) of the targets of the neighbors, (m, k, t)."""
    if weights is None:
        return targets.mean(axis=1, dtype=np.float64)
    return np.einsum("mk,mkt->mt", weights, targets) / weights.sum(axis=1)[:, None]
