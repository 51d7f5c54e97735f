"""Checker of NearestNeighbors: no row outside an answer is nearer than the farthest inside, on sampled queries."""

from __future__ import annotations

from typing import Any

import numpy as np

from surefit.certificates.attributes import Attributes, bad_attributes, real
from surefit.certificates.blocks import Blocks
from surefit.certificates.checker import Findings, checker
from surefit.certificates.claim import Claim, Grade
from surefit.certificates.theorems.distances.queries import ALL, Queries, neighbors_claim, queries, read_search
from surefit.certificates.theorems.distances.within_radius import AROUND, radius_claim


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
    few = Queries(asked.Q[:: max(1, len(asked.Q) // AROUND)], asked.what)
    claims.append(radius_claim(model, points, few, real(attrs.parameter("radius", 1.0)), far, tol)[0])
    return claims, f"{len(asked.Q)} queries against {n} rows"


def _too_many(k: int, n: int) -> Claim:
    sentence = f"n_neighbors={k} are more than the {n} rows: kneighbors has no answer by itself, and none is checked."
    return Claim("kneighbors", sentence, Grade.EXACT, None, None, True)
