"""Principal axes by orthogonal factors, without squaring: small singular values keep their digits.

For A = diag(√ω)(X − 1 mᵀ), tall: each leaf gives the triangle of a QR factorisation of its own deviations. Two leaves
merge by stacking their triangles and one more row for the step between their means (Chan's merge, unsquared):

    [R_left; R_right; δᵀ √(W_left W_right / W)] = Q R

AᵀA = RᵀR throughout, and the last triangle has the singular values and the right vectors of A.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from surefit.engine.sources.block import Block
from surefit.engine.step import Step
from surefit.summaries.column_spread import deviations


class Factor(NamedTuple):
    weight: float
    mean: np.ndarray
    R: np.ndarray
    """At most d rows; RᵀR is the matrix of products of deviations."""


def leaf_deviations(X: Any, w: np.ndarray | None) -> tuple[float, np.ndarray, np.ndarray]:
    """Weight, mean and the rows √ω (x − m) of a dense or sparse leaf, in double."""
    rows = X.toarray() if sp.issparse(X) else X
    if w is not None and not w.all():
        rows, w = rows[w != 0], w[w != 0]
    if not len(rows):
        return 0.0, np.zeros(X.shape[1]), np.zeros((0, X.shape[1]))
    weight, mean, D = deviations(rows, w)
    if w is not None:
        D *= np.sqrt(w)[:, None]
    return weight, mean, D


class FactorStep(Step):
    def map_leaf(self, state: Any, leaf: Block) -> Factor:
        weight, mean, D = leaf_deviations(leaf.X, leaf.w)
        return Factor(weight, mean, triangle(D))

    def combine(self, left: Factor, right: Factor) -> Factor:
        if right.weight == 0:
            return left
        if left.weight == 0:
            return right
        weight = left.weight + right.weight
        share = right.weight / weight
        step = right.mean - left.mean
        stacked = np.vstack([left.R, right.R, step * math.sqrt(left.weight * share)])
        return Factor(weight, left.mean + step * share, triangle(stacked))


def triangle(D: np.ndarray) -> np.ndarray:
    """R of D = QR; D itself while it has fewer rows than columns."""
    return np.asarray(np.linalg.qr(D, mode="r")) if D.shape[0] > D.shape[1] else D
