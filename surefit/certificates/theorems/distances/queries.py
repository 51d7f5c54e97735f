"""Questions put to a model that searches for neighbors, and whether its answers are nearest rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.attributes import Attributes
from surefit.certificates.blocks import BadData, Blocks
from surefit.certificates.theorems.distances.metrics import BY_COORDINATE, read_metric
from surefit.certificates.theorems.distances.points import Points, read_points

ALL = 512  # rows up to which all are asked
SAMPLE = 64


@dataclass(frozen=True)
class Queries:
    """Rows of the data and points halfway between them, in its type; `own[i]` is a row that must not be found for i."""

    Q: NDArray
    what: str
    own: NDArray | None = None


def queries(points: Points) -> Queries:
    """All rows where they are few, else rows spread evenly; and points halfway between every two of 64 in turn."""
    n, X = len(points.X), points.X.astype(points.dtype)
    if not np.isfinite(X).all():
        raise BadData("a sparse matrix of distances cannot be asked row by row; pass it dense")
    few = np.unique(np.linspace(0, n - 1, min(SAMPLE, n)).astype(np.intp))
    rows = np.arange(n) if n <= ALL else few
    what = f"all {n} rows" if n <= ALL else f"{len(rows)} rows spread evenly"
    if points.metric.name not in BY_COORDINATE or n == 1:
        return Queries(X[rows], what)
    between = (X[few[:-1]] / 2 + X[few[1:]] / 2).astype(points.dtype)
    return Queries(np.concatenate([X[rows], between]), f"{what} and {len(between)} points halfway between rows")


def read_search(attrs: Attributes, blocks: Blocks) -> Points | None:
    """The rows and the metric, held against n_samples_fit_, X_fit_ and effective_metric_; None with the fault noted."""
    points = read_points(attrs, blocks)
    if points is None:
        return None
    n, d = points.X.shape
    if attrs.number("n_samples_fit_") != n:
        attrs.faults.append(f"n_samples_fit_ is not {n}, the number of rows")
    if attrs.has("X_fit_"):
        rows = attrs.array("X_fit_", (n, d))
        if rows is not None and not (rows == np.where(np.isinf(points.X), 0.0, points.X)).all():
            attrs.faults.append("X_fit_ is not the rows of the data")
    if hasattr(attrs.model, "effective_metric_"):
        settings = attrs.parameter("effective_metric_params_", {})
        stated = read_metric(attrs, d, attrs.model.effective_metric_, 2, settings)
        callables = callable(attrs.model.effective_metric_) and attrs.model.effective_metric_ is attrs.model.metric
        asked = points.metric
        same = stated is not None and (stated.name, stated.p) == (asked.name, asked.p)
        same = same and isinstance(settings, dict)
        if not (callables or (same and stated is not None and np.array_equal(stated.weight, asked.weight))):
            attrs.faults.append("effective_metric_ and effective_metric_params_ are not the metric asked for")
    return points
