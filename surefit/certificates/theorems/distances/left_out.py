"""The number of neighbors chosen by leaving out one row after the other: every score again, from the definition.

Each row is answered from the k nearest others, of rows equally far the lower index first. Where rows tie up to rounding
for the last places, the answer may be that of another choice: such a row widens the score by what that can change.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.attributes import Attributes
from surefit.certificates.blocks import F64
from surefit.certificates.claim import Claim, Grade, at_most, refuted
from surefit.certificates.theorems.distances.points import Points

WORK = 1 << 28  # differences of coordinates

# of a row, its neighbors in order with their distances, and the rows that may be among them: its score, and by how much
# another choice among these can change it
Judge = Callable[[int, NDArray, F64, NDArray], tuple[float, float]]


def choice_claim(attrs: Attributes, points: Points, chosen: int, judge: Judge, unit: float) -> Claim:
    """cv_scores_ are the mean scores of rows left out; n_neighbors_ is the first candidate with the largest."""
    candidates, scores = attrs.array("candidates_"), attrs.array("cv_scores_")
    best, asked = attrs.number("best_score_"), attrs.parameter("n_neighbors", 5)
    if attrs.faults or candidates is None or scores is None or best is None:
        return refuted("cv_scores", f"{'; '.join(attrs.faults)}.")
    fine = candidates.ndim == 1 and candidates.shape == scores.shape and candidates.size > 0
    fine = fine and bool(((candidates >= 1) & (candidates == np.rint(candidates))).all())
    if not fine or (not isinstance(asked, str) and not set(candidates.tolist()) <= _numbers(asked)):
        return refuted("cv_scores", "candidates_ and cv_scores_ are not the numbers asked for with a score each.")
    if chosen != candidates[np.argmax(scores)] or best != scores.max():
        return refuted("cv_scores", "n_neighbors_ is not the first candidate with the largest score, best_score_.")
    (n, d), ks = points.X.shape, candidates.astype(np.intp)
    how = "leaving out one row after the other"
    if getattr(attrs.model, "cv", None) is not None or n * n * d > WORK or ks.max() >= n:
        reason = (
            "best_score_ is the largest of cv_scores_, and n_neighbors_ its candidate; the scores themselves are not "
        )
        reason += f"recomputed: that is done for {how}, on fewer rows."
        return Claim("cv_scores", reason, Grade.BOUNDED, None, None, True)
    value, width = _scores(points, ks, judge)
    off = np.abs(scores - value) - width - 4 * (n + 16) * unit * np.abs(value)
    i = int(np.argmax(off))
    return at_most(
        "cv_scores",
        f"cv_scores_ are the scores {how}, recomputed; the first of the largest is that of n_neighbors_={chosen}. "
        "Largest difference beyond ties and rounding.",
        Grade.EXACT, max(0.0, float(off[i])) if not np.isnan(off).any() else np.nan, 0.0, {"ties": float(width.max())},
        failure=f"cv_scores_ is {scores[i]:.10g} for {ks[i]} neighbors, recomputed as {value[i]:.10g}.",
    )  # fmt: skip


def _numbers(asked: Any) -> set[float]:
    try:
        return set(np.asarray(asked, dtype=np.float64).ravel().tolist())
    except (TypeError, ValueError):
        return set()


def _scores(points: Points, ks: NDArray, judge: Judge) -> tuple[F64, F64]:
    n, top = len(points.X), int(ks.max())
    total, width = np.zeros(len(ks)), np.zeros(len(ks))
    for i in range(n):
        D = points.block(points.X[i : i + 1])[0]
        slack = points.slack(D)
        D[i] = np.inf
        order = np.argsort(D, kind="stable")[: top + 1]
        for j, k in enumerate(ks):
            last, next_ = order[k - 1], order[k] if k < n - 1 else None
            exact = next_ is not None and slack[last] == 0 and slack[next_] == 0
            tied = next_ is not None and not exact and D[next_] - slack[next_] <= D[last] + slack[last]
            maybe = np.flatnonzero(D - slack <= D[last] + slack[last]) if tied else order[:0]
            score, change = judge(i, order[:k], D[order[:k]], maybe)
            total[j], width[j] = total[j] + score, width[j] + change
    return total / n, width / n
