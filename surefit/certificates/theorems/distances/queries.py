"""Questions put to a model that searches for neighbors, and whether its answers are nearest rows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.attributes import Attributes
from surefit.certificates.blocks import F64, BadData, Blocks
from surefit.certificates.claim import Claim, Grade, at_most, refuted
from surefit.certificates.predictions import SAMPLE, answer_of
from surefit.certificates.theorems.distances.all_rows import in_slices
from surefit.certificates.theorems.distances.metrics import BY_COORDINATE, read_metric
from surefit.certificates.theorems.distances.points import Points, read_points

ALL = 512  # rows up to which all are asked


@dataclass(frozen=True)
class Queries:
    """Rows of the data and points halfway between them, in its type; `own[i]` is a row that must not be found for i."""

    Q: NDArray
    what: str
    own: NDArray | None = None

    def some(self, rows: Any) -> Queries:
        return replace(self, Q=self.Q[rows], own=None if self.own is None else self.own[rows])


def queries(points: Points) -> Queries:
    """All rows where they are few, else rows spread evenly; and points halfway between every two of 64 in turn."""
    n, X = len(points.X), points.X.astype(points.dtype)
    if not np.isfinite(X).all():
        raise BadData("a sparse matrix of distances cannot be asked row by row; pass it dense")
    few = np.unique(np.linspace(0, n - 1, min(SAMPLE, n)).astype(np.intp))
    rows, what = (X, f"all {n} rows") if n <= ALL else (X[few], f"{len(few)} rows spread evenly")
    if points.metric.name not in BY_COORDINATE or n == 1:
        return Queries(rows, what)
    between = (X[few[:-1]] / 2 + X[few[1:]] / 2).astype(points.dtype)
    return Queries(np.concatenate([rows, between]), f"{what} and {len(between)} points halfway between rows")


def read_search(attrs: Attributes, blocks: Blocks) -> Points:
    """The rows and the metric, held against n_samples_fit_, X_fit_ and effective_metric_; faults are noted."""
    points = read_points(attrs, blocks, attrs.parameter("metric", "minkowski"))
    (n, d), asked, settings = points.X.shape, points.metric, attrs.parameter("effective_metric_params_", {})
    if attrs.number("n_samples_fit_") != n:
        attrs.faults.append(f"n_samples_fit_ is not {n}, the number of rows")
    rows = attrs.array("X_fit_", (n, d)) if attrs.has("X_fit_") else None
    if rows is not None and not (rows == np.where(np.isinf(points.X), 0.0, points.X)).all():
        attrs.faults.append("X_fit_ is not the rows of the data")
    stated: Any = getattr(attrs.model, "effective_metric_", None)
    if hasattr(attrs.model, "effective_metric_") and not (callable(stated) and stated is attrs.model.metric):
        other = read_metric(d, stated, 2, settings)
        same = (other.name, other.p) == (asked.name, asked.p) and np.array_equal(other.weight, asked.weight)
        if not same or callable(stated) or not isinstance(settings, dict):
            attrs.faults.append("effective_metric_ and effective_metric_params_ are not the metric asked for")
    return points


def wrong_answers(points: Points, asked: Queries, distances: F64, indices: F64) -> NDArray:
    """Queries for which the answer is not k nearest rows in order, with their distances, beyond rounding.

    With T the farthest recomputed distance of the answer, another row is nearer where D + slack < T − slack.
    """
    n, Q = len(points.X), asked.Q.astype(np.float64)
    places = np.clip(np.nan_to_num(indices), 0, n - 1).astype(np.intp)
    bad = (places != indices).any(axis=1) | ~(np.diff(distances, axis=1) >= 0).all(axis=1)
    for part in in_slices(len(Q), n):
        D, own = points.block(Q[part]), places[part]
        slack, row = points.slack(D), np.arange(len(part))[:, None]
        bad[part] |= ~(np.abs(distances[part] - D[row, own]) <= slack[row, own]).all(axis=1)
        farthest = (D - slack)[row, own].max(axis=1, initial=0.0)
        others = np.ones(D.shape, bool)
        others[row, own] = False
        bad[part] |= others.sum(axis=1) != n - own.shape[1]  # a row twice
        if asked.own is not None:
            others[row[:, 0], asked.own[part]] = False
            bad[part] |= (own == asked.own[part][:, None]).any(axis=1)
        bad[part] |= (others & (D + slack < farthest[:, None])).any(axis=1)
    return bad


def neighbors_claim(
    model: Any, points: Points, asked: Queries, k: int, tol: float, name: str = "kneighbors"
) -> tuple[Claim, F64 | None]:
    """kneighbors gives k nearest rows; the claim, and where it holds the answer as (distances, indices)."""
    answer, m = answer_of(model, "kneighbors", None if asked.own is not None else asked.Q), len(asked.Q)
    if isinstance(answer, Claim):
        return replace(answer, name=name), None
    if answer.shape != (2, m, k) or answer.dtype.kind != "f":
        return refuted(name, f"kneighbors gives arrays of shape {answer.shape}, expected two of {(m, k)}."), None
    given = answer.astype(np.float64)
    bad, grade, how = wrong_answers(points, asked, *given), Grade.EXACT, "up to the rounding of distances"
    if bad.any():
        loose = points.loosened(float(given[0][bad].max(axis=1, initial=0.0).min()), tol)
        if loose is not None and not wrong_answers(loose, asked.some(bad), *given[:, bad]).any():
            bad, grade = np.zeros(m, bool), Grade.BOUNDED
            how = f"up to {loose.products:.1g} in squares, the rounding of products of rows as they are"
    count = int(bad.sum())
    others = "other rows than the query" if asked.own is not None else "rows"
    claim = at_most(
        name,
        f"kneighbors gives the {k} nearest {others} with their distances, in order, {how}: {asked.what}; queries for "
        "which it does not.",
        grade, count, 0,
        failure=f"kneighbors is wrong for {count} of {m} queries, number {int(np.argmax(bad))} among them: another row "
        "is nearer, or a distance is not that of its row, or the order is not by distance. Where columns have "
        "large offsets, algorithm='kd_tree' or centered columns help.",
    )  # fmt: skip
    return claim, given if claim.holds else None
