"""The matrix of all squared distances, and the claim that a model's `dissimilarity_matrix_` is that of its metric."""

from __future__ import annotations

import numpy as np

from surefit.certificates.attributes import Attributes
from surefit.certificates.blocks import F64
from surefit.certificates.claim import Claim, Grade, at_most, refuted
from surefit.certificates.rounding import UNIT, gamma
from surefit.certificates.theorems.graphs.distances import Metric, in_slices
from surefit.certificates.theorems.graphs.squared import SquaredDistances

ROUNDINGS = 10.0


def squared_distances(metric: Metric, X: F64) -> SquaredDistances:
    """All squared distances by the metric; a precomputed matrix is made symmetric, as scikit-learn does."""
    n, D2, relative, absolute = len(X), np.zeros((len(X), len(X))), 0.0, 0.0
    for rows in in_slices(len(X), len(X)):
        D2[rows], error = metric.squares(X[rows], X, np.arange(len(X)))
        if metric.name == "cosine":
            absolute = max(absolute, float(error.max(initial=0.0)))
        else:
            some = D2[rows] > 0
            relative = max(relative, float((error[some] / D2[rows][some]).max(initial=0.0)))
    if metric.name == "precomputed":
        D = (np.sqrt(D2) + np.sqrt(D2).T) / 2
        D2, relative = D * D, 8 * UNIT
    root = n * gamma(2 * X.shape[1] + 16) if metric.name == "cosine" else relative * float(np.sqrt(D2.sum()))
    return SquaredDistances(D2, 1.01 * relative, absolute, 1.01 * root)


def matrix_claim(attrs: Attributes, squares: SquaredDistances, eps: float, tol: float) -> Claim:
    """|δ² − d²| over the mean of d², the largest."""
    n = len(squares.value)
    given = attrs.array("dissimilarity_matrix_", (n, n))
    if given is None:
        return refuted("dissimilarities", f"{'; '.join(attrs.faults)}.")
    mean = float(squares.value.sum()) / max(1, n * (n - 1)) or 1.0
    off = float(np.abs(given * given - squares.value).max(initial=0.0)) if (given >= 0).all() else np.inf
    largest = float(squares.value.max(initial=0.0))
    error = (squares.relative + 2 * UNIT) * largest + squares.absolute
    return at_most(
        "dissimilarities",
        "dissimilarity_matrix_ has the distances of the rows; largest difference of squares, relative to their mean.",
        Grade.EXACT, off / mean, tol, error=error / mean, excuse=ROUNDINGS * eps * largest / mean,
        failure=f"dissimilarity_matrix_ is not that of the rows: a squared distance is off by {off / mean:.2g} of the "
        "mean. Distances of rows far from zero lose digits: center X first, in float64.",
    )  # fmt: skip
