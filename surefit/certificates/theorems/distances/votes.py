"""What models that ask neighbors for votes or means share: the target, weights of rows, the precision of answers."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.attributes import Attributes
from surefit.certificates.blocks import F64, BadData, Blocks
from surefit.certificates.claim import Claim
from surefit.certificates.labels import read_classes
from surefit.certificates.predictions import answer_of
from surefit.certificates.rounding import UNIT
from surefit.certificates.theorems.distances.points import Points
from surefit.certificates.theorems.distances.queries import Queries, read_search


def read_labelled(attrs: Attributes, blocks: Blocks) -> tuple[Points, NDArray[np.intp], int] | None:
    """The rows, the class of each and the number of classes; else None, with the faults noted."""
    points, K = read_search(attrs, blocks), read_classes(attrs, 1)
    codes = None if points is None else points.y
    if codes is None or K is None or not np.array_equal(np.unique(codes), np.arange(K)):
        attrs.faults.append("classes_ is not the labels of the data")
    _kept_target(attrs, codes)
    return None if points is None or codes is None or K is None else (points, codes.astype(np.intp), K)


def read_measured(attrs: Attributes, blocks: Blocks) -> tuple[Points, F64] | None:
    """The rows and their targets; else None, with the faults noted."""
    points = read_search(attrs, blocks)
    if points is None:
        return None
    if points.y is None:
        raise BadData("the target is missing")
    _kept_target(attrs, points.y)
    return points, np.asarray(points.y, dtype=np.float64)


def _kept_target(attrs: Attributes, y: NDArray | None) -> None:
    """y_fit_, where the model has it, is the target (of classes, the places); outputs_2d_ says that it has columns."""
    if y is None:
        return
    if attrs.has("y_fit_"):
        kept = attrs.array("y_fit_", y.shape)
        if kept is not None and not (kept == y).all():
            attrs.faults.append("y_fit_ is not the target")
    if attrs.has("outputs_2d_") and attrs.model.outputs_2d_ is not bool(y.ndim == 2 and y.shape[1] > 1):
        attrs.faults.append("outputs_2d_ does not say how many columns the target has")


def votes_of(weights: Any, distances: F64) -> F64:
    """1; 1/distance, where a distance of the query is 0 those rows alone; or a function of the distances."""
    if callable(weights):
        return np.asarray(weights(distances), dtype=np.float64)
    if weights != "distance":
        return np.ones_like(distances)
    zero = distances == 0
    return np.where(zero.any(axis=1)[:, None], zero, 1.0 / np.where(zero, 1.0, distances))


def unit_of(model: Any, method: str, points: Points, asked: Queries) -> float:
    """u of the precision that the model answers in."""
    given = answer_of(model, method, asked.Q[:1])
    single = points.dtype == np.float32 or (not isinstance(given, Claim) and given.dtype == np.float32)
    return float(np.finfo(np.float32).eps) / 2 if single else UNIT
