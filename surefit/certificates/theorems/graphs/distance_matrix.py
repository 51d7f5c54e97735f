"""The matrix of all distances, and the claim that a model's `dissimilarity_matrix_` is that of its metric."""

from __future__ import annotations

from typing import Any

import numpy as np

from surefit.certificates.attributes import Attributes
from surefit.certificates.blocks import F64, Blocks
from surefit.certificates.claim import Claim, Grade, at_most, refuted
from surefit.certificates.rounding import UNIT
from surefit.certificates.theorems.distances.all_rows import all_rows
from surefit.certificates.theorems.distances.metrics import read_metric

ROUNDINGS = 10.0


def all_distances(attrs: Attributes, blocks: Blocks, given: Any, most: int) -> tuple[F64, F64, bool]:
    """All distances by the metric, bounds of their errors, and whether the rows are float32; a precomputed matrix is
    made symmetric, as scikit-learn does."""
    metric = read_metric(blocks.n_features, given, attrs.parameter("p", 2), attrs.parameter("metric_params", {}))
    X, single = all_rows(blocks, most, metric.name == "precomputed")
    D = metric.block(X, X)
    if metric.name == "precomputed":
        return (D + D.T) / 2, UNIT * (D + D.T), single
    return D, metric.error(D, X.shape[1]), single


def matrix_claim(attrs: Attributes, D: F64, error: F64, eps: float, tol: float) -> Claim:
    """|δ² − d²| over the mean of d², the largest."""
    given, square = attrs.array("dissimilarity_matrix_", D.shape), D * D
    if given is None:
        return refuted("dissimilarities", f"{'; '.join(attrs.faults)}.")
    mean, largest = float(square.sum()) / max(1, len(D) * (len(D) - 1)) or 1.0, float(square.max(initial=0.0))
    off = float(np.abs(given * given - square).max(initial=0.0)) if (given >= 0).all() else np.inf
    slip = float((2.01 * D * error + error * error).max(initial=0.0)) + 4 * UNIT * largest
    return at_most(
        "dissimilarities",
        "dissimilarity_matrix_ has the distances of the rows; largest difference of squares, relative to their mean.",
        Grade.EXACT, off / mean, tol, error=slip / mean, excuse=ROUNDINGS * eps * largest / mean,
        failure=f"dissimilarity_matrix_ is not that of the rows: a squared distance is off by {off / mean:.2g} of the "
        "mean. Distances of rows far from zero lose digits: center X first, in float64.",
    )  # fmt: skip
