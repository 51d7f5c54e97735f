"""All rows within a radius, as a model answers them."""

from __future__ import annotations

from typing import Any

import numpy as np

from surefit.certificates.claim import Claim, Grade, at_most, refuted
from surefit.certificates.predictions import answer_of
from surefit.certificates.theorems.distances.points import Points
from surefit.certificates.theorems.distances.queries import Queries

AROUND = 32  # queries for all rows within the radius


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
    points.tell(radius)
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
