"""Checker of NearestNeighbors: no row outside an answer is nearer than the farthest inside, on sampled queries."""

from __future__ import annotations

from typing import Any

import numpy as np

from surefit.certificates.attributes import Attributes, bad_attributes, real
from surefit.certificates.blocks import Blocks
from surefit.certificates.checker import Findings, checker
from surefit.certificates.claim import Claim, Grade, at_most, refuted
from surefit.certificates.predictions import answer_of
from surefit.certificates.theorems.distances.points import Points
from surefit.certificates.theorems.distances.queries import ALL, Queries, neighbors_claim, queries, read_search

AROUND = 32  # queries for all rows within the radius


@checker("n_samples_fit_", "X_fit_", "effective_metric_", "effective_metric_params_", "kneighbors", "radius_neighbors")
def check_nearest_neighbors(model: Any, blocks: Blocks, tol: float) -> Findings:
    """Each query against all rows."""
    attrs = Attributes(model, "n_samples_fit_")
    points = read_search(attrs, blocks)
    n, k = blocks.n_rows, real(attrs.parameter("n_neighbors", 5))
    if not (1 <= k < np.inf and k == int(k)):
        attrs.faults.append(f"n_neighbors={attrs.parameter('n_neighbors', 5)!r} is not a whole number from 1")
    if attrs.faults:
        return [bad_attributes(attrs)], "one pass"
    asked = queries(points)
    claim, answer = neighbors_claim(model, points, asked, int(k), tol) if k <= n else (_too_many(int(k), n), None)
    claims, far = [claim], 0.0 if answer is None else float(np.median(answer[0].max(axis=1)))
    if k < n <= ALL:
        itself = Queries(points.X.astype(points.dtype), f"all {n} rows", np.arange(n))
        claims.append(neighbors_claim(model, points, itself, int(k), tol, "other_rows")[0])
    few = asked.some(slice(None, None, max(1, len(asked.Q) // AROUND)))
    claims.append(radius_claim(model, points, few, real(attrs.parameter("radius", 1.0)), far, tol)[0])
    return claims, f"{len(asked.Q)} queries against {n} rows"


def _too_many(k: int, n: int) -> Claim:
    sentence = f"n_neighbors={k} are more than the {n} rows: kneighbors has no answer by itself, and none is checked."
    return Claim("kneighbors", sentence, Grade.EXACT, None, None, True)


def radius_claim(model: Any, points: Points, few: Queries, radius: float, far: float, tol: float) -> tuple[Claim, Any]:
    """radius_neighbors gives every row surely within the radius, and none that is not maybe within; and its answer.

    far  how far neighbors are: squares from products are measured by it where the radius is small beside it
    """
    name = "radius_neighbors"
    answer = answer_of(model, name, few.Q)
    if isinstance(answer, Claim):
        return answer, None
    if answer.shape[:2] != (2, len(few.Q)):
        reason = f"radius_neighbors gives an array of shape {answer.shape}, expected {(2, len(few.Q))}."
        return refuted(name, reason), None
    wrong, grade, how = _wrong(points, few, answer, radius), Grade.EXACT, ""
    loose = points.loosened(max(radius, far), tol) if wrong else None
    if loose is not None and not _wrong(loose, few, answer, radius):
        wrong, grade, how = 0, Grade.BOUNDED, f" up to {loose.products:.1g} in squares"
    claim = at_most(
        name,
        f"radius_neighbors gives the rows within {radius:g} with their distances{how}, for {len(few.Q)} queries; "
        "queries for which it does not.",
        grade, wrong, 0,
        failure=f"radius_neighbors is wrong for {wrong} of {len(few.Q)} queries: rows or distances are not those "
        f"within {radius:g}.",
    )  # fmt: skip
    return claim, answer if claim.holds else None


def _wrong(points: Points, asked: Queries, answer: Any, radius: float) -> int:
    n, count = len(points.X), 0
    for q, distances, indices in zip(asked.Q.astype(np.float64), *answer, strict=True):
        D = points.block(q[None, :])[0]
        slack = points.slack(D)
        found, stated = np.asarray(indices, dtype=np.float64), np.asarray(distances, dtype=np.float64)
        places = np.clip(np.nan_to_num(found), 0, n - 1).astype(np.intp)
        inside = np.bincount(places, minlength=n)
        fine = found.ndim == 1 and found.shape == stated.shape and (places == found).all() and inside.max() <= 1
        fine = fine and not ((D + slack <= radius) & (inside == 0)).any() and (D - slack <= radius)[places].all()
        count += not (fine and (np.abs(D[places] - stated) <= slack[places]).all())
    return count
