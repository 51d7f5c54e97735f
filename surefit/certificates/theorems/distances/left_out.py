"""The number of neighbors chosen by leaving out one row after the other: every score again, from the definition.

Each row is answered from the k nearest others, of rows equally far the lower index first; ties may widen a score.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.attributes import Attributes, real
from surefit.certificates.blocks import F64
from surefit.certificates.claim import Claim, Grade, at_most, refuted
from surefit.certificates.theorems.distances.points import Points
from surefit.certificates.theorems.distances.votes import votes_of

WORK = 1 << 28  # differences of coordinates


def choice_claim(attrs: Attributes, points: Points, y: F64, classifies: bool, chosen: int) -> Claim:
    """cv_scores_ are the mean scores of rows left out; n_neighbors_ is the first candidate with the largest."""
    candidates, scores = attrs.array("candidates_"), attrs.array("cv_scores_")
    best, asked = real(attrs.parameter("best_score_", np.nan)), attrs.parameter("n_neighbors", 5)
    if candidates is None or scores is None or candidates.ndim != 1 or candidates.shape != scores.shape:
        return refuted("cv_scores", "candidates_ and cv_scores_ are not numbers with a score each.")
    offered = isinstance(asked, str) or np.isin(candidates, np.asarray(asked)).all()
    if not offered or candidates.min() < 1 or chosen != candidates[np.argmax(scores)] or best != scores.max():
        return refuted("cv_scores", "candidates_ and cv_scores_ do not fit n_neighbors, n_neighbors_ or best_score_.")
    (n, d), ks, how = points.X.shape, candidates.astype(np.intp), "leaving out one row after the other"
    if attrs.has("cv") or n * n * d > WORK or ks.max() >= n:
        sentence = f"n_neighbors_ has the largest of cv_scores_; these are only recomputed for {how}, of fewer rows."
        return Claim("cv_scores", sentence, Grade.BOUNDED, None, None, True)
    value, width = _scores(points, y, classifies, ks, attrs.parameter("weights", "uniform"))
    off = np.abs(scores - value) - width - 4 * (n + 16) * points.unit * np.abs(value)
    i = int(np.argmax(off))
    return at_most(
        "cv_scores", f"cv_scores_ are the scores {how}; the first of the largest is that of n_neighbors_={chosen}. "
        "Largest difference beyond ties and rounding.",
        Grade.EXACT, np.maximum(0.0, off[i]), 0.0, {"ties": float(width.max())},
        failure=f"cv_scores_ is {scores[i]:.10g} for {ks[i]} neighbors, recomputed as {value[i]:.10g}.",
    )  # fmt: skip


def _scores(points: Points, y: F64, classifies: bool, ks: NDArray, weights: Any) -> tuple[F64, F64]:
    """For every candidate the mean score of all rows, 1 for the right class or minus the squared error; and by how much
    ties may change it: a class by anything, a mean within the targets of the rows that may count."""
    n, value, width = len(points.X), np.zeros(len(ks)), np.zeros(len(ks))
    for i in range(n):
        D = points.block(points.X[i : i + 1])[0]
        D[i] = np.inf
        order = np.argsort(D, kind="stable")
        for j, k in enumerate(ks):
            near, last = order[:k], D[order[k - 1]]
            wide = 2.01 * points.slack(last)
            maybe = y[D <= last + wide]
            known = len(maybe) <= k or wide == 0
            v = votes_of(weights, D[near])
            mean = v @ y[near] / v.sum()
            if classifies:
                value[j] += mean.argmax() == y[i].argmax()
                width[j] += not known or (weights != "uniform" and np.ptp(np.sort(mean)[-2:]) <= 1e-9)
            else:
                off, wide = np.abs(y[i] - mean), np.ptp(maybe, axis=0) * (not known)
                value[j] -= float((off**2).mean())
                width[j] += float(np.mean(wide * (2 * off + wide)))
    return value / n, width / n
