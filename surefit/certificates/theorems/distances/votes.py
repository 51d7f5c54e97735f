"""What models that ask neighbors for votes or means share: the target, in its own precision, and weights of rows.

Votes of classes are means too: those of the indicators of the classes.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from surefit.certificates.attributes import Attributes
from surefit.certificates.blocks import F64, BadData, Blocks
from surefit.certificates.labels import read_classes


def read_target(attrs: Attributes, blocks: Blocks, classifies: bool) -> F64:
    """The target of every row, or a column of zeros and ones for each class; y_fit_ and outputs_2d_ must be of it."""
    parts = [np.asarray(y) for _, y, _ in blocks if y is not None]
    y = np.concatenate(parts) if parts else np.zeros(0)
    if len(y) != blocks.n_rows or not np.isfinite(y).all():
        raise BadData("the target is missing, or has entries that are NaN or infinite")
    if attrs.has("y_fit_") and not np.array_equal(np.asarray(attrs.raw("y_fit_")), y):
        attrs.faults.append("y_fit_ is not the target")
    if attrs.has("outputs_2d_") and attrs.model.outputs_2d_ is not (y.ndim == 2 and y.shape[-1] > 1):
        attrs.faults.append("outputs_2d_ does not say how many columns the target has")
    if not classifies:
        return y
    K = read_classes(attrs, 1) or 0
    if not np.array_equal(np.unique(y), np.arange(K)):
        attrs.faults.append("classes_ is not the labels of the data")
    return (y[:, None] == np.arange(K)) + 0.0


def votes_of(weights: Any, distances: F64) -> F64:
    """1; 1/distance, where a distance of the query is 0 those rows alone; or a function of the distances."""
    if callable(weights):
        return np.asarray(weights(distances), dtype=np.float64)
    if weights != "distance":
        return np.ones_like(distances)
    zero = distances == 0
    return np.where(zero.any(axis=-1, keepdims=True), zero, 1.0 / np.where(zero, 1.0, distances))
