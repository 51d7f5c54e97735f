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
    """Rows X (or, precomputed, the distances of each to all), the metric, labels and weights.

    products: δ, where models may form squares as ‖a‖² − 2a·b + ‖b‖² of the rows as they are: off by
    γ_{d+8}(‖a‖ + ‖b‖)² ≤ δ, so that the distance is off by at most min(δ/D, √δ). 0 where they may not.
    whole: rows of whole numbers whose squared differences the model's type adds up exactly: a distance that is a whole
    number is then the same in every model, without slack.
    """

    X: F64
    y: NDArray | None
    w: F64 | None
    dtype: Any
    metric: Metric
    whole: bool = False
    products: float = 0.0

    @property
    def unit(self) -> float:
        return float(np.finfo(self.dtype).eps) / 2

    def loosened(self, t: float, tol: float) -> Points | None:
        """For models that form distances from products; None where that changes squares near t² by more than tol."""
        delta = gamma(self.X.shape[1] + 8) * 4 * float(np.einsum("ij,ij->i", self.X, self.X).max())
        return replace(self, products=delta) if self.metric.name == "euclidean" and delta <= tol * t * t else None

    def slack(self, D: F64) -> F64:
        """|a model's distance − D| is at most this where both are roundings of one distance."""
        d = self.X.shape[1]
        slack = self.metric.error(D, d) + self.metric.error(D, d, self.unit)
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


def read_points(attrs: Attributes, blocks: Blocks, default: str = "minkowski", given: Any = None) -> Points | None:
    """All rows in memory; None with the fault noted. A sparse matrix of given distances has none where it is empty,
    but for the distance zero of a row to itself."""
    n, d, single = blocks.n_rows, blocks.n_features, False
    if n * d > MOST:
        raise BadData(f"{n} × {d} entries are more than the {MOST} that are compared in memory")
    given = attrs.parameter("metric", default) if given is None else given
    metric = read_metric(attrs, d, given, attrs.parameter("p", 2), attrs.parameter("metric_params", {}))
    if metric is None or (metric.name == "precomputed" and n != d):
        attrs.faults += [] if metric is None else [f"the precomputed distances have the shape {(n, d)}"]
        return None
    parts, y, w = [np.zeros((0, d))], list[NDArray](), list[NDArray]()
    for block, target, weight in blocks:
        if block.shape[1] != d or not all_finite(block) or (weight is not None and not all_finite(weight)):
            raise BadData("the data have entries that are NaN, infinite or not numbers, or rows of other lengths")
        rows, first = dense(block), sum(map(len, parts))
        if isinstance(block, Rows) and metric.name == "precomputed":
            stored = np.eye(len(rows), d, first, dtype=bool)
            stored[block.owner(), block.indices] = True
            rows[~stored] = np.inf
        parts, single = [*parts, rows], single or block.dtype == np.float32
        y, w = y + ([] if target is None else [np.asarray(target)]), w + ([] if weight is None else [weight])
    X = np.concatenate(parts)
    if len(X) != n or not n:
        raise BadData(f"the blocks have {len(X)} rows, expected {n}, at least one")
    target, weight = (np.concatenate(parts) if parts else None for parts in (y, w))
    kind: Any = np.float32 if single else np.float64
    whole = metric.name in BY_COORDINATE - {"minkowski"} and bool((X == np.rint(X)).all())
    whole = whole and bool(d * np.ptp(X) ** 2 * np.finfo(kind).eps < 1)
    return Points(X, target, None if weight is None else weight.astype(np.float64), kind, metric, whole)
