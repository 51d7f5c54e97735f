"""The rows of the data with their metric: distances, and which pairs are within a radius surely or maybe.

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
from surefit.certificates.rounding import epsilon, gamma
from surefit.certificates.theorems.distances.metrics import BY_COORDINATE, Metric, read_metric

ENTRIES = 1 << 21  # numbers worked on at once
MOST = 1 << 27  # entries that are kept in memory
SMALLEST = 1e-290


@dataclass(frozen=True)
class Points:
    """Rows X (or, precomputed, the distances of each to all), the metric, labels and weights.

    raw: distances may have been formed as ‖a‖² − 2a·b + ‖b‖² of the rows as they are, in double: the square is then off
    by δ = γ_{d+8}(‖a‖ + ‖b‖)², the distance by at most min(δ/D, √δ).
    grid: the rows are whole multiples of this power of two, few enough that sums of squares of differences are exact;
    a distance that is such a multiple too is then the same number in every model, without slack. 0 where not so.
    """

    X: F64
    y: NDArray | None
    w: F64 | None
    dtype: Any
    metric: Metric
    grid: float
    raw: bool = False

    def products_rounding(self) -> float:
        """The largest error of a squared distance from products of the rows as they are."""
        return gamma(self.X.shape[1] + 8) * 4 * float(np.einsum("ij,ij->i", self.X, self.X).max())

    def loosened(self, t: float, tol: float) -> Points | None:
        """For models that form distances from products; None where that changes squares near t² by more than tol."""
        fine = self.metric.name == "euclidean" and self.products_rounding() <= tol * t * t
        return replace(self, raw=True) if fine else None

    def _measured(self, A: F64, B: F64) -> tuple[F64, F64]:
        D = self.metric.distance(A, B)
        slack = self.metric.slack(D, A.shape[-1])
        if self.raw:
            a, b = (np.sqrt((Z * Z).sum(axis=-1)) for Z in (A, B))
            delta = gamma(A.shape[-1] + 8) * (a + b) ** 2
            slack = slack + np.minimum(delta / np.where(D > 0, D, 1e-300), np.sqrt(delta))
        return D, np.where(D == self.grid * np.rint(D / self.grid), 0.0, slack) if self.grid else slack

    def pairs(self, Q: F64, J: NDArray) -> tuple[F64, F64]:
        """Distances of query i to row J[i], and their slack."""
        if self.metric.name == "precomputed":
            D = Q[np.arange(len(J)), J]
            return D, np.zeros_like(D)
        step, parts = max(1, ENTRIES // max(1, Q.shape[1])), [(np.zeros(0), np.zeros(0))]
        for low in range(0, len(J), step):
            parts.append(self._measured(Q[low : low + step], self.X[J[low : low + step]]))
        return np.concatenate([D for D, _ in parts]), np.concatenate([s for _, s in parts])

    def block(self, Q: F64, J: NDArray | slice) -> tuple[F64, F64]:
        """Distances of all queries to all rows J, and their slack."""
        if self.metric.name == "precomputed":
            D = Q[:, J]
            return D, np.zeros_like(D)
        B = self.X[J]
        step, parts = max(1, ENTRIES // max(1, B.size)), [(np.zeros((0, len(B))), np.zeros((0, len(B))))]
        for low in range(0, len(Q), step):
            parts.append(self._measured(Q[low : low + step, None, :], B[None, :, :]))
        return np.concatenate([D for D, _ in parts]), np.concatenate([s for _, s in parts])

    def within(self, Q: F64, J: NDArray, t: F64 | float) -> tuple[NDArray, NDArray]:
        """For all queries and rows J: surely within t, maybe within t (one number, or one for each query).

        Euclidean distances come first from products of rows less a common center, whose square is off by at most
        γ_{d+8}(‖a‖ + ‖b‖)²; pairs for which that decides nothing are measured by differences.
        """
        t = np.broadcast_to(np.asarray(t, dtype=np.float64), (len(Q),))[:, None]
        if self.metric.name != "euclidean" or not len(J):
            D, slack = self.block(Q, J)
            return D + slack <= t, D - slack <= t
        center = self.X[J[len(J) // 2]]
        A, B = Q - center, self.X[J] - center
        a, b = np.einsum("ij,ij->i", A, A), np.einsum("ij,ij->i", B, B)
        square = A @ B.T
        square *= -2.0
        square += a[:, None]
        square += b
        # twice the larger norms of the block bound the error of every pair
        far = np.sqrt(a.max(initial=0.0)) + np.sqrt(b.max(initial=0.0))
        raw = np.sqrt((Q * Q).sum(axis=1).max(initial=0.0)) + np.sqrt((self.X[J] ** 2).sum(axis=1).max())
        error = gamma(A.shape[1] + 8) * (far**2 + (4 * raw**2 if self.raw else 0.0)) + SMALLEST
        band = error * (1 + 1e-9) + 4 * self.metric.slack(t, A.shape[1]) * t
        square -= t * t
        sure, maybe = square < -band, square <= band
        i, j = np.nonzero(maybe & ~sure)
        step = max(1, ENTRIES // max(1, A.shape[1]))
        for low in range(0, len(i), step):
            r, c = i[low : low + step], j[low : low + step]
            D, slack = self._measured(Q[r], self.X[J[c]])
            sure[r, c], maybe[r, c] = D + slack <= t[r, 0], D - slack <= t[r, 0]
        return sure, maybe

    def candidates(self, eps: float) -> list[tuple[NDArray, list[NDArray]]]:
        """Blocks of rows, each with pieces of all rows that may lie within eps of one of them.

        Where no column differs by more than the distance, rows are cut into strips of a width above eps along the
        widest column and sorted along the next: near rows are in strips that touch and not far along the other.
        """
        n, radius = len(self.X), eps * (1 + 1e-6)
        strip, along = np.zeros(n, np.intp), np.zeros(n)
        if self.metric.name in BY_COORDINATE and self.metric.p >= 1 and np.ndim(self.metric.weight) == 0 and n > 2048:
            width = np.ptp(self.X, axis=0)
            order = np.argsort(-width, kind="stable")
            radius += 1e-12 * float(np.abs(self.X).max())
            along = self.X[:, order[0]]
            if self.X.shape[1] > 1:
                strip = ((along - along.min()) // max(radius, 64 * width[order[0]] / n, SMALLEST)).astype(np.intp)
                along = self.X[:, order[1]]
        place = np.lexsort((along, strip))
        first = np.searchsorted(strip[place], np.arange(strip.max(initial=0) + 3) - 1)  # of strip s at s + 1
        found = []
        for s in range(len(first) - 2):
            rows = place[first[s + 1] : first[s + 2]]
            near = [place[first[k] : first[k + 1]] for k in range(max(0, s), min(s + 3, len(first) - 1))]
            for low in range(0, len(rows), 256):
                block = rows[low : low + 256]
                ends = along[block[0]] - radius, along[block[-1]] + radius
                found.append((block, [m[slice(*np.searchsorted(along[m], ends))] for m in near]))
        return found


def read_points(attrs: Attributes, blocks: Blocks, default: str = "minkowski") -> Points | None:
    """All rows in memory; None with the fault noted. A sparse matrix of given distances has none where it is empty,
    but for the distance zero of a row to itself."""
    n, d, single = blocks.n_rows, blocks.n_features, False
    if n * d > MOST:
        raise BadData(f"{n} × {d} entries are more than the {MOST} that are compared in memory")
    given = attrs.parameter("metric", default)
    X, y, w, row = np.empty((n, d)), list[NDArray](), list[NDArray](), 0
    for block, target, weight in blocks:
        rows = slice(row, row + block.shape[0])
        if block.shape[1] != d or rows.stop > n or not all_finite(block):
            raise BadData("the data have entries that are NaN, infinite or not numbers, or rows of other lengths")
        X[rows] = dense(block)
        if isinstance(block, Rows) and isinstance(given, str) and given == "precomputed":
            stored = np.zeros(block.shape, bool)
            stored[block.owner(), block.indices] = True
            X[rows][~stored] = np.inf
        y, w = y + ([] if target is None else [np.asarray(target)]), w + ([] if weight is None else [weight])
        row, single = rows.stop, single or block.dtype == np.float32
    if row != n or not n:
        raise BadData(f"the blocks have {row} rows, expected {n}, at least one")
    unit = epsilon(single) / 2
    metric = read_metric(attrs, d, unit, given, attrs.parameter("p", 2), attrs.parameter("metric_params", {}))
    if metric is not None and metric.name == "precomputed":
        if n != d:
            attrs.faults.append(f"the precomputed distances have the shape {(n, d)}")
            return None
        np.fill_diagonal(X, np.where(np.isinf(X.diagonal()), 0.0, X.diagonal()))
    weights = np.concatenate(w).astype(np.float64) if w else None
    if weights is not None and not np.isfinite(weights).all():
        raise BadData("some weights are NaN or infinite")
    dtype = np.float32 if single else np.float64
    grid = 0.0 if metric is None or metric.name not in BY_COORDINATE - {"minkowski"} else _grid(X, dtype)
    return None if metric is None else Points(X, np.concatenate(y) if y else None, weights, dtype, metric, grid)


def _grid(X: F64, dtype: Any) -> float:
    """A power of two that divides all entries, if sums of squares of differences are below the integers of the type."""
    for unit in 0.5 ** np.arange(12):
        if all((rows == np.rint(rows)).all() for rows in (X[:64] / unit, X[64:] / unit)):
            size = X.shape[1] * (float(np.ptp(X)) / unit) ** 2
            return float(unit) if size < 1 / np.finfo(dtype).eps else 0.0
    return 0.0
