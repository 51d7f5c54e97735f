"""Neighbours as a model answers them, held against all distances."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.blocks import F64
from surefit.certificates.claim import Claim, Grade, at_most, refuted
from surefit.certificates.predictions import answer_of
from surefit.certificates.theorems.distances.points import Points, in_slices
from surefit.certificates.theorems.distances.queries import Queries

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
