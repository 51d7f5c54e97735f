"""Checker of GammaIndex: γ(x), the mean distance to the k nearest other rows, recomputed; the threshold from γ.

A row at distance zero from a training row is taken for it: one such row is left out. If every distance is right to its
slack, so is every order statistic, and the mean of the k least to the mean of their slacks.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.attributes import Attributes, bad_attributes, real
from surefit.certificates.blocks import F64, Blocks
from surefit.certificates.checker import Findings, checker
from surefit.certificates.claim import Claim, Grade, at_most
from surefit.certificates.predictions import answer_of, numbers_claim
from surefit.certificates.rounding import gamma as g
from surefit.certificates.theorems.distances.points import Points
from surefit.certificates.theorems.distances.queries import queries, read_search

WORK = 1 << 26  # differences of coordinates
SEARCH = ("n_samples_fit_", "X_fit_", "effective_metric_", "effective_metric_params_")
ANSWERS = ("score_samples", "decision_function", "predict", "rank")


@checker(*SEARCH, "gamma_", "threshold_", "offset_", *ANSWERS)
def check_gamma_index(model: Any, blocks: Blocks, tol: float) -> Findings:
    """All rows against all where that is little work, else rows spread evenly against all."""
    attrs = Attributes(model, "gamma_")
    points, n = read_search(attrs, blocks), blocks.n_rows
    k, share = real(attrs.parameter("n_neighbors", 5)), real(attrs.parameter("contamination", 0.1))
    stated, threshold, offset = attrs.array("gamma_", (n,)), attrs.number("threshold_"), attrs.number("offset_")
    if not (1 <= k < max(n, 2) and k == int(k) and 0 <= share < 1):
        attrs.faults.append("n_neighbors is not a number below that of the rows, or contamination not a share")
    if attrs.faults or stated is None or threshold is None or offset is None:
        return [bad_attributes(attrs)], "one pass"
    m = min(n, max(32, WORK // max(1, points.X.size)))
    rows = np.unique(np.linspace(0, n - 1, m).astype(np.intp))
    claims = [
        _gammas(points, stated, rows, int(k)),
        _threshold(stated, threshold, offset, share),
        *_answers(model, points, stated, threshold, offset, int(k)),
    ]
    return claims, f"{len(rows)} rows against {n}"


def _means(points: Points, Q: F64, k: int, own: NDArray | None) -> tuple[F64, F64, F64]:
    """γ of each query with its slack; last, γ if no row is left out, where a distance is zero up to rounding only."""
    out = np.zeros((3, len(Q)))
    for i, q in enumerate(Q):
        D = points.block(q[None, :])[0]
        slack = points.slack(D)
        nearest = int(np.argmin(D)) if own is None else int(own[i])
        left_out = own is not None or D[nearest] <= slack[nearest]
        none_left_out = np.sort(np.partition(D, k - 1)[:k]).mean()
        if left_out:
            D, slack = np.delete(D, nearest), np.delete(slack, nearest)
        order = np.argpartition(D, k - 1)[:k] if k < len(D) else np.arange(len(D))
        mean = np.sort(D[order]).mean()
        rounding = slack[order].mean() + (g(k + 4) + 4 * points.unit) * mean
        sure = own is not None or not left_out or points.metric.name not in ("cosine", "haversine")
        out[:, i] = mean, rounding, mean if sure else none_left_out
    return out[0], out[1], out[2]


def _gammas(points: Points, stated: F64, rows: NDArray, k: int) -> Claim:
    mean, rounding, _ = _means(points, points.X[rows], k, rows)
    points.tell(float(np.median(mean)))
    off = np.abs(stated[rows] - mean)
    ratio = np.where(off == 0, 0.0, off / np.maximum(rounding, np.finfo(float).tiny))
    n, i = len(stated), int(np.argmax(ratio))
    which = f"all {n} rows" if len(rows) == n else f"{len(rows)} of {n} rows, spread evenly"
    return at_most(
        "gamma",
        f"gamma_ is the mean distance to the {k} nearest other rows, for {which}; largest difference, in roundings.",
        Grade.EXACT, float(ratio[i]), 1.0,
        failure=f"gamma_ is {stated[rows[i]]:.10g} for row {rows[i]}, recomputed as {mean[i]:.10g}.",
    )  # fmt: skip


def _threshold(stated: F64, threshold: float, offset: float, share: float) -> Claim:
    """The floor(share · n) largest γ lie above the threshold, which is the next: rows that tie with it are inliers."""
    n = len(stated)
    outliers = int(share * n)
    wanted = float(np.sort(stated)[n - 1 - outliers])
    faults = int(threshold != wanted) + int(offset != -threshold)
    return at_most(
        "threshold",
        f"threshold_ leaves the {outliers} rows of largest gamma_ above it, ties kept, and offset_ is −threshold_; "
        "faults.",
        Grade.EXACT, faults, 0,
        failure=f"threshold_ is {threshold:.10g} and offset_ {offset:.10g}; gamma_ says {wanted:.10g} and minus it.",
    )  # fmt: skip


def _answers(model: Any, points: Points, stated: F64, threshold: float, offset: float, k: int) -> list[Claim]:
    """score_samples = −γ, decision_function = −γ − offset_, predict −1 where γ > threshold_, rank from gamma_."""
    asked = queries(points)
    step = max(1, len(asked.Q) // max(32, min(128, WORK // max(1, points.X.size))))
    Q = asked.Q[::step]
    mean, rounding, other = _means(points, Q.astype(np.float64), k, None)
    scores = answer_of(model, "score_samples", Q)
    if isinstance(scores, Claim):
        return [scores]
    if scores.shape == mean.shape and scores.dtype.kind == "f":
        mean = np.where(np.abs(scores + other) < np.abs(scores + mean), other, mean)
    wide = rounding + 4 * points.unit * (mean + abs(offset))
    labels = answer_of(model, "predict", Q)
    given = labels if not isinstance(labels, Claim) and labels.shape == mean.shape else np.zeros(len(mean))
    sure = np.where(np.abs(mean - threshold) <= wide, np.where(np.abs(given) == 1, given, 0.0),
                    np.where(mean > threshold, -1.0, 1.0))  # fmt: skip
    ranks, n = answer_of(model, "rank", Q), len(stated)
    ordered = np.sort(stated)
    low, high = (np.searchsorted(ordered, mean + s * wide) / n for s in (-1, 1))
    given = ranks if not isinstance(ranks, Claim) and ranks.shape == mean.shape else low
    return [
        numbers_claim(model, "score_samples", Q, -mean, rounding),
        numbers_claim(model, "decision_function", Q, -mean - offset, wide),
        numbers_claim(model, "predict", Q, sure, 0.0),
        numbers_claim(model, "rank", Q, np.clip(given.astype(np.float64), low, high), 4 * points.unit),
    ]
