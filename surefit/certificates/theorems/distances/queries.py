"""Questions put to a model that searches for neighbors, and whether its answers are nearest rows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.attributes import Attributes, real
from surefit.certificates.blocks import F64, Blocks
from surefit.certificates.claim import Claim, Grade, at_most, refuted
from surefit.certificates.predictions import SAMPLE, answer_of
from surefit.certificates.theorems.distances.all_rows import in_slices
from surefit.certificates.theorems.distances.metrics import BY_COORDINATE, read_metric
from surefit.certificates.theorems.distances.points import Points, read_points

ALL = 512  # rows up to which all are asked


@dataclass(frozen=True)
class Queries:
    """Rows of the data and points halfway between them, in its type; row `own[i]` must not be found for query i."""

    Q: NDArray
    what: str
    own: NDArray | None = None


def queries(points: Points) -> Queries:
    """All rows where they are few, else rows spread evenly; and points halfway between every two of 64 in turn."""
    n, X = len(points.X), points.X.astype(points.dtype)
    few = np.unique(np.linspace(0, n - 1, min(SAMPLE, n)).astype(np.intp))
    rows, what = (X, f"all {n} rows") if n <= ALL else (X[few], f"{len(few)} rows spread evenly")
    if points.metric.name not in BY_COORDINATE or n == 1:
        return Queries(rows, what)
    between = (X[few[:-1]] / 2 + X[few[1:]] / 2).astype(points.dtype)
    return Queries(np.concatenate([rows, between]), f"{what} and {len(between)} points halfway between rows")


def read_search(attrs: Attributes, blocks: Blocks) -> Points:
    """The rows and the metric, held against n_samples_fit_, X_fit_ and effective_metric_; faults are noted."""
    points = read_points(attrs, blocks, attrs.parameter("metric", "minkowski"))
    asked, settings = points.metric, attrs.parameter("effective_metric_params_", {})
    kept: Any = attrs.raw("X_fit_") if attrs.has("X_fit_") else points.X
    if real(attrs.parameter("n_samples_fit_", np.nan)) != len(points.X) or not np.array_equal(kept, points.X):
        attrs.faults.append(
            f"X_fit_ is not the rows of the data, or n_samples_fit_ is not {len(points.X)}, their number"
        )
    stated: Any = getattr(attrs.model, "effective_metric_", None)
    if hasattr(attrs.model, "effective_metric_") and not (callable(stated) and stated is attrs.model.metric):
        other = read_metric(points.X.shape[1], stated, 2, settings)
        if (other.name, other.p) != (asked.name, asked.p) or callable(stated) or not isinstance(settings, dict):
            attrs.faults.append("effective_metric_ and effective_metric_params_ are not the metric asked for")
    return points


def wrong_answers(points: Points, asked: Queries, distances: F64, indices: F64) -> tuple[NDArray, F64]:
    """Queries for which the answer is not k nearest rows in order, with their distances, beyond rounding; and how far
    row k + 1 is.

    With T the farthest recomputed distance of the answer, another row is nearer where D + slack < T − slack.
    """
    n, Q = len(points.X), asked.Q.astype(np.float64)
    places = np.clip(np.nan_to_num(indices), 0, n - 1).astype(np.intp)
    far, k = np.zeros(len(Q)), min(indices.shape[1], n - 1)
    bad = (places != indices).any(axis=1) | ~(np.diff(distances, axis=1) >= 0).all(axis=1)
    for part in in_slices(len(Q), n):
        D, own = points.block(Q[part]), places[part]
        slack, row = points.slack(D), np.arange(len(part))[:, None]
        if asked.own is not None:
            D[row[:, 0], asked.own[part]] = np.inf
        far[part] = np.partition(D, k, axis=1)[:, k]
        bad[part] |= ~(np.abs(distances[part] - D[row, own]) <= slack[row, own]).all(axis=1)
        farthest, others = (D - slack)[row, own].max(axis=1, initial=0.0), np.ones(D.shape, bool)
        others[row, own] = False
        bad[part] |= others.sum(axis=1) != n - own.shape[1]  # a row twice
        bad[part] |= (others & (D + slack < farthest[:, None])).any(axis=1)
    return bad, far


def neighbors_claim(
    model: Any, points: Points, asked: Queries, k: int, tol: float, name: str = "kneighbors"
) -> tuple[Claim, F64 | None]:
    """kneighbors gives k nearest rows; the claim, and where it holds the answer as (distances, indices)."""
    answer, m = answer_of(model, "kneighbors", None if asked.own is not None else asked.Q), len(asked.Q)
    if isinstance(answer, Claim):
        return replace(answer, name=name), None
    if answer.shape != (2, m, k) or answer.dtype.kind != "f":
        return refuted(name, f"kneighbors gives arrays of shape {answer.shape}, expected two of {(m, k)}."), None
    given, grade, how = answer.astype(np.float64), Grade.EXACT, ""
    bad, far = wrong_answers(points, asked, *given)
    points.tell(float(np.median(far)))
    loose = points.loosened(float(far[bad].min()), tol) if bad.any() else None
    if loose is not None and not wrong_answers(loose, asked, *given)[0].any():
        bad, grade, how = np.zeros(m, bool), Grade.BOUNDED, f" up to {loose.products:.1g} in squares"
    count, others = int(bad.sum()), "other rows than the query" if asked.own is not None else "rows"
    claim = at_most(
        name, f"kneighbors gives the {k} nearest {others}, distances and order{how}: {asked.what}; queries where not.",
        grade, count, 0,
        failure=f"kneighbors is wrong for {count} of {m} queries, number {int(np.argmax(bad))} among them: in rows, "
        "distances or order. Where columns have large offsets, algorithm='kd_tree' or centered columns help.",
    )  # fmt: skip
    return claim, given if claim.holds else None
