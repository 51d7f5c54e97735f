"""The rows of the data with their metric: distances, and what of them a model's rounding leaves open.

A pair is *surely* within t where D + slack ≤ t and *maybe* where D − slack ≤ t: a model whose distances are right to
rounding finds every sure pair and no pair that is not maybe one; ties within rounding are left to it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from surefit.certificates.attributes import Attributes
from surefit.certificates.blocks import F64, BadData, Blocks
from surefit.certificates.rounding import gamma
from surefit.certificates.theorems.distances.all_rows import all_rows
from surefit.certificates.theorems.distances.metrics import BY_COORDINATE, Metric, read_metric


@dataclass(frozen=True)
class Points:
    """Rows X (or, precomputed, the distances of each to all) and the metric.

    whole     rows of whole numbers whose squares the type adds up exactly: distances that are whole have no slack
    products  δ ≥ γ_{d+8}(‖a‖ + ‖b‖)², by which squares formed as ‖a‖² − 2a·b + ‖b‖² are off, and distances by at most
              min(δ/D, √δ); 0 where models may not form them so
    """

    X: F64
    dtype: Any
    metric: Metric
    whole: bool = False
    products: float = 0.0

    @property
    def unit(self) -> float:
        return float(np.finfo(self.dtype).eps) / 2

    def loosened(self, t: float = np.inf, tol: float = 1.0) -> Points | None:
        """For models that form distances from products; None where that changes squares near t² by more than tol."""
        delta = gamma(self.X.shape[1] + 8) * 4 * float(np.einsum("ij,ij->i", self.X, self.X).max())
        return replace(self, products=delta) if self.metric.name == "euclidean" and delta <= tol * t * t else None

    def slack(self, D: F64) -> F64:
        """|a model's distance − D| is at most this where both are roundings of one distance."""
        slack = self.metric.error(D, self.X.shape[1]) + self.metric.error(D, self.X.shape[1], self.unit)
        if self.products:
            slack = slack + np.minimum(self.products / np.where(D > 0, D, 1e-300), np.sqrt(self.products))
        return np.where(D == np.rint(D), 0.0, slack) if self.whole else slack

    def tell(self, t: float) -> None:
        """BadData where rounding may hide more than a tenth of a distance t > 0."""
        if 0 < t < 10 * float(self.slack(np.array(t))):
            raise BadData(f"distances near {t:.2g} are rounding in the model's precision: center X first, in float64")

    def block(self, Q: F64, J: Any = slice(None)) -> F64:
        """Distances of all queries to the rows J."""
        return self.metric.block(Q, self.X, J)


def read_points(attrs: Attributes, blocks: Blocks, metric: Any) -> Points:
    """All rows, with the metric of this name (or function) and the model's parameters of it."""
    known = read_metric(blocks.n_features, metric, attrs.parameter("p", 2), attrs.parameter("metric_params", {}))
    X, single = all_rows(blocks, distances=known.name == "precomputed")
    if known.name == "cosine" and not X.any(axis=1).all():
        raise BadData("a row of zeros has no direction: how far it is from others by the cosine is a convention")
    dtype: Any = np.float32 if single else np.float64
    whole = known.name in BY_COORDINATE - {"minkowski"} and bool((X == np.rint(X)).all())
    return Points(X, dtype, known, whole and bool(X.shape[1] * np.ptp(X) ** 2 * np.finfo(dtype).eps < 1))
