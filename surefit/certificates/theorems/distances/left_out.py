"""The number of neighbors chosen by leaving out one row after the other: every score again, from the definition.

Each row is answered from the k nearest others, of rows equally far the lower index first. Where rows tie up to rounding
for the last places, the answer may be that of another choice: such a row widens the score by what that can change.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.attributes import Attributes
from surefit.certificates.blocks import F64
from surefit.certificates.claim import Claim, Grade, at_most, refuted
from surefit.certificates.theorems.distances.points import Points
from surefit.certificates.theorems.distances.votes import votes_of

WORK = 1 << 28  # differences of coordinates


def choice_claim(attrs: Attributes, points: Points, y: F64, classifies: bool, chosen: int) -> Claim:
    """cv_scores_ are the mean scores of rows left out; n_neighbors_ is the first candidate with the largest."""
    candidates, scores = attrs.array("candidates_"), attrs.array("cv_scores_")
    best, asked = attrs.number("best_score_"), attrs.parameter("n_neighbors", 5)
    if candidates is None or scores is None or candidates.ndim != 1 or candidates.shape != scores.shape:
        return refuted("cv_scores", "candidates_ and cv_scores_ are not lists of numbers with a score each.")
    known = isinstance(asked, str) or np.isin(candidates, np.asarray(asked)).all()
    if not known or not (candidates >= 1).all() or chosen != candidates[np.argmax(scores)] or best != scores.max():
        reason = (
            "candidates_ are not those asked for, or n_neighbors_ not the first with the largest score, best_score_."
        )
        return refuted("cv_scores", reason)
    (n, d), ks, how = points.X.shape, candidates.astype(np.intp), "leaving out one row after the other"
    if getattr(attrs.model, "cv", None) is not None or n * n * d > WORK or ks.max() >= n:
        reason = "best_score_ is the largest of cv_scores_, and n_neighbors_ its candidate; the scores themselves are "
        reason += f"not recomputed: that is done for {how}, on fewer rows."
        return Claim("cv_scores", reason, Grade.BOUNDED, None, None, True)
    value, width = _scores(points, y, classifies, ks, attrs.parameter("weights", "uniform"))
    off = np.abs(scores - value) - width - 4 * (n + 16) * points.unit * np.abs(value)
    i = int(np.argmax(off))
    return at_most(
        "cv_scores",
        f"cv_scores_ are the scores {how}, recomputed; the first of the largest is that of n_neighbors_={chosen}. "
        "Largest difference beyond ties and rounding.",
        Grade.EXACT, max(0.0, float(off[i])) if not np.isnan(off).any() else np.nan, 0.0, {"ties": float(width.max())},
        failure=f"cv_scores_ is {scores[i]:.10g} for {ks[i]} neighbors, recomputed as {value[i]:.10g}.",
    )  # fmt: skip


def _scores(points: Points, y: F64, classifies: bool, ks: NDArray, weights: Any) -> tuple[F64, F64]:
    """For every candidate the mean score of all rows, and by how much ties may change it."""
    n, found = len(points.X), np.zeros((2, len(ks)))
    for i in range(n):
        D = points.block(points.X[i : i + 1])[0]
        slack = points.slack(D)
        D[i] = np.inf
        order = np.argsort(D, kind="stable")[: int(ks.max()) + 1]
        for j, k in enumerate(ks):
            rows, last = order[:k], order[k - 1]
            v, maybe = votes_of(weights, D[rows]), np.flatnonzero(D - slack <= D[last] + slack[last])
            if len(maybe) <= k or (k < n - 1 and slack[last] == slack[order[k]] == 0):
                maybe = maybe[:0]  # the k nearest are known
            found[:, j] += _judged(y[i], v @ y[rows] / v.sum(), y[maybe], classifies, weights == "uniform")
    return found[0] / n, found[1] / n


def _judged(own: F64, mean: F64, others: F64, classifies: bool, exact: bool) -> tuple[float, float]:
    """1 where the first class with the most votes is that of the row, or minus the squared error; and how much another
    choice can change: anything for a class, else the mean moves within the targets of the rows that may count."""
    if classifies:
        close = np.sort(mean)[-2:]
        tied = not exact and len(close) > 1 and close[1] - close[0] <= 1e-9 * close[1]
        return float(mean.argmax() == own.argmax()), float(len(others) > 0 or tied)
    off, wide = np.abs(own - mean), np.ptp(others, axis=0) if len(others) else 0.0
    return -float((off**2).mean()), float(np.mean(wide * (2 * off + wide)))
