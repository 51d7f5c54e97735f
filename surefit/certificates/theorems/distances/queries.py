"""Questions put to a model that searches for neighbors, and whether its answers are nearest rows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.attributes import Attributes
from surefit.certificates.blocks import F64, BadData, Blocks
from surefit.certificates.claim import Claim, Grade, at_most, refuted
from surefit.certificates.predictions import answer_of
from surefit.certificates.theorems.distances.metrics import BY_COORDINATE, read_metric
from surefit.certificates.theorems.distances.points import Points, read_points

ALL = 512  # rows up to which all are asked
SAMPLE = 64
PIECE = 1 << 14  # rows compared with the queries at once


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
        stated = read_metric(attrs, d, points.metric.unit, attrs.model.effective_metric_, 2, settings)
        callables = callable(attrs.model.effective_metric_) and attrs.model.effective_metric_ is attrs.model.metric
        asked = points.metric
        same = stated is not None and (stated.name, stated.p) == (asked.name, asked.p)
        same = same and isinstance(settings, dict)
        if not (callables or (same and stated is not None and np.array_equal(stated.weight, asked.weight))):
            attrs.faults.append("effective_metric_ and effective_metric_params_ are not the metric asked for")
    return points


def wrong_answers(points: Points, asked: Queries, distances: F64, indices: F64) -> NDArray:
    """Queries for which the answer is not k nearest rows in order, with their distances, beyond rounding.

    With T the farthest recomputed distance of the answer, another row is nearer where D + slack < T − slack.
    """
    n, (m, k) = len(points.X), indices.shape
    places = np.clip(np.nan_to_num(indices), 0, n - 1).astype(np.intp)
    ordered = np.sort(places, axis=1)
    bad = (places != indices).any(axis=1) | (ordered[:, 1:] == ordered[:, :-1]).any(axis=1)
    bad |= ~(np.diff(distances, axis=1) >= 0).all(axis=1)
    Q, i = asked.Q.astype(np.float64), np.repeat(np.arange(m), k)
    D, slack = (a.reshape(m, k) for a in points.pairs(Q[i], places.ravel()))
    bad |= ~(np.abs(distances - D) <= slack).all(axis=1)
    nearest = np.nextafter((D - slack).max(axis=1, initial=0.0), -np.inf)
    for low in range(0, n, PIECE):
        piece = np.arange(low, min(n, low + PIECE))
        sure, _ = points.within(Q, piece, nearest)
        mine = (places >= low) & (places <= piece[-1])
        sure[i[mine.ravel()], places[mine] - low] = False
        if asked.own is not None:
            inside = (asked.own >= low) & (asked.own <= piece[-1])
            sure[np.flatnonzero(inside), asked.own[inside] - low] = False
        bad |= sure.any(axis=1)
    return bad if asked.own is None else bad | (places == asked.own[:, None]).any(axis=1)


def neighbors_claim(
    model: Any, points: Points, asked: Queries, k: int, tol: float, name: str = "kneighbors"
) -> tuple[Claim, F64 | None]:
    """kneighbors gives k nearest rows; the claim, and where it holds the answer as (distances, indices)."""
    answer = answer_of(model, "kneighbors", None if asked.own is not None else asked.Q)
    if isinstance(answer, Claim):
        return replace(answer, name=name), None
    m = len(asked.Q)
    if answer.shape != (2, m, k) or answer.dtype.kind != "f":
        return refuted(name, f"kneighbors gives arrays of shape {answer.shape}, expected two of {(m, k)}."), None
    given = answer.astype(np.float64)
    bad, grade, how = wrong_answers(points, asked, *given), Grade.EXACT, "up to the rounding of distances"
    if bad.any():
        again = replace(asked, Q=asked.Q[bad], own=None if asked.own is None else asked.own[bad])
        loose = points.loosened(float(given[0][bad].max(axis=1, initial=0.0).min()), tol)
        if loose is not None and not wrong_answers(loose, again, *given[:, bad]).any():
            bad, grade = np.zeros(m, bool), Grade.BOUNDED
            how = f"up to {points.products_rounding():.1g} in squares, the rounding of products of rows as they are"
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
