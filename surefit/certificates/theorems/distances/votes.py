"""What models that ask neighbors for votes or means share: the target, weights of rows, the precision of answers.

Votes of classes are means too: those of the indicators of the classes.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from surefit.certificates.attributes import Attributes
from surefit.certificates.blocks import F64, BadData, Blocks
from surefit.certificates.claim import Claim
from surefit.certificates.labels import read_classes
from surefit.certificates.predictions import answer_of
from surefit.certificates.rounding import UNIT
from surefit.certificates.theorems.distances.points import Points
from surefit.certificates.theorems.distances.queries import Queries


def read_target(attrs: Attributes, blocks: Blocks, classifies: bool) -> F64:
    """The target of every row, or a column of zeros and ones for each class; faults are noted.

    y_fit_, where the model has it, is the target (of classes, the places); outputs_2d_ says that it has columns.
    """
    parts = [np.asarray(y, dtype=np.float64) for _, y, _ in blocks if y is not None]
    y = np.concatenate(parts) if parts else np.zeros(0)
    if len(y) != blocks.n_rows or not np.isfinite(y).all():
        raise BadData("the target is missing, or has entries that are NaN or infinite")
    kept = attrs.array("y_fit_", y.shape) if attrs.has("y_fit_") else y
    if kept is not None and not (kept == y).all():
        attrs.faults.append("y_fit_ is not the target")
    if attrs.has("outputs_2d_") and attrs.model.outputs_2d_ is not bool(y.ndim == 2 and y.shape[1] > 1):
        attrs.faults.append("outputs_2d_ does not say how many columns the target has")
    K = read_classes(attrs, 1) if classifies else None
    if classifies and (K is None or not np.array_equal(np.unique(y), np.arange(K))):
        attrs.faults.append("classes_ is not the labels of the data")
        return y
    return y if K is None else np.eye(K)[y.astype(np.intp)]


def votes_of(weights: Any, distances: F64) -> F64:
    """1; 1/distance, where a distance of the query is 0 those rows alone; or a function of the distances."""
    if callable(weights):
        return np.asarray(weights(distances), dtype=np.float64)
    if weights != "distance":
        return np.ones_like(distances)
    zero = distances == 0
    return np.where(zero.any(axis=-1, keepdims=True), zero, 1.0 / np.where(zero, 1.0, distances))


def unit_of(model: Any, method: str, points: Points, asked: Queries) -> float:
    """u of the precision that the model answers in."""
    given = answer_of(model, method, asked.Q[:1])
    single = points.dtype == np.float32 or (not isinstance(given, Claim) and given.dtype == np.float32)
    return float(np.finfo(np.float32).eps) / 2 if single else UNIT
