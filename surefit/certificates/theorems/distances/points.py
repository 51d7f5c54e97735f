"""The rows of the data with their metric: distances, and what of them a model's rounding leaves open.

A pair is *surely* within t where D + slack ≤ t and *maybe* where D − slack ≤ t: a model whose distances are right to
rounding finds every sure pair and no pair that is not maybe one; ties within rounding are left to it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.attributes import Attributes
from surefit.certificates.blocks import F64, BadData, Blocks, Rows, all_finite, dense
from surefit.certificates.rounding import gamma
from surefit.certificates.theorems.distances.metrics import BY_COORDINATE, Metric, read_metric

ENTRIES = 1 << 21  # numbers worked on at once
MOST = 1 << 27  # entries that are kept in memory


def in_slices(n: int, width: int) -> list[NDArray]:
    """The numbers 0 … n−1 in runs, each with at most `ENTRIES` numbers of `width` per row."""
    step = max(1, ENTRIES // max(1, width))
    return [np.arange(low, min(low + step, n)) for low in range(0, n, step)]


@dataclass(frozen=True)
class Points:
    """Rows X (or, precomputed, the distances of each to all) and the metric.

    whole     rows of whole numbers whose squared differences the model's type adds up exactly: a distance that is a
              whole number is then the same in every model, without slack
    products  δ, where models may form squares as ‖a‖² − 2a·b + ‖b‖² of the rows as they are: off by
              γ_{d+8}(‖a‖ + ‖b‖)² ≤ δ, so that the distance is off by at most min(δ/D, √δ); 0 where they may not
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

    def block(self, Q: F64, J: Any = slice(None)) -> F64:
        """Distances of all queries to the rows J."""
        if self.metric.name == "precomputed":
            return Q[:, J]
        B, parts = self.X[J], [np.zeros((0, len(self.X[J])))]
        for part in in_slices(len(Q), B.size):
            parts.append(self.metric.distance(Q[part][:, None, :], B[None, :, :]))
        return np.concatenate(parts)


def read_points(attrs: Attributes, blocks: Blocks, metric: Any, most: int = MOST) -> Points:
    """All rows in memory, at most so many, with the metric of this name (or function) and the model's parameters of it.

    A sparse matrix of given distances has none where it is empty, but for the distance zero of a row to itself.
    """
    n, d, single, parts, first = blocks.n_rows, blocks.n_features, False, list[F64](), 0
    known = read_metric(d, metric, attrs.parameter("p", 2), attrs.parameter("metric_params", {}))
    if n > most or n * d > MOST or (known.name == "precomputed" and n != d):
        raise BadData(f"{n} × {d} entries are more than are compared in memory, or not the distances of all pairs")
    for X, _, _ in blocks:
        if X.shape[1] != d or not all_finite(X):
            raise BadData("the data have entries that are NaN, infinite or not numbers, or rows of other lengths")
        parts, single = [*parts, dense(X)], single or X.dtype == np.float32
        if isinstance(X, Rows) and known.name == "precomputed":
            stored = np.eye(len(parts[-1]), d, first, dtype=bool)
            stored[X.owner(), X.indices] = True
            parts[-1][~stored] = np.inf
        first += len(parts[-1])
    if first != n or not n:
        raise BadData(f"the blocks have {first} rows, expected {n}, at least one")
    Z = np.concatenate(parts)
    dtype: Any = np.float32 if single else np.float64
    whole = known.name in BY_COORDINATE - {"minkowski"} and bool((Z == np.rint(Z)).all())
    return Points(Z, dtype, known, whole and bool(d * np.ptp(Z) ** 2 * np.finfo(dtype).eps < 1))
