"""Checkers of KNeighborsClassifier and KNeighborsRegressor: votes and means of the nearest rows, from the definition.

With v the weights of the k nearest rows (1; 1/distance, where a distance is 0 those rows alone; or a function of the
distances) a class has the share Σ v over its rows among them of Σ v, and a target is Σ v y / Σ v. The nearest rows are
those that kneighbors gives for the queries, which is claimed to be right first. A classifier may count other rows than
these where several are equally far: any choice among them is right.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.attributes import Attributes, bad_attributes, real
from surefit.certificates.blocks import F64, Blocks
from surefit.certificates.checker import Findings, checker
from surefit.certificates.claim import Claim
from surefit.certificates.labels import labels_claim, reads_labels
from surefit.certificates.predictions import answer_of, numbers_claim
from surefit.certificates.theorems.distances.answered import neighbors_claim
from surefit.certificates.theorems.distances.left_out import Judge, choice_claim
from surefit.certificates.theorems.distances.points import Points
from surefit.certificates.theorems.distances.queries import Queries, queries
from surefit.certificates.theorems.distances.votes import read_labelled, read_measured, unit_of, votes_of

SEARCH = ("n_samples_fit_", "X_fit_", "y_fit_", "effective_metric_", "effective_metric_params_", "outputs_2d_",
          "n_neighbors_", "candidates_", "cv_scores_", "best_score_")  # fmt: skip


@checker(*SEARCH, "classes_", "predict", "predict_proba")
@reads_labels
def check_k_neighbors_classifier(model: Any, blocks: Blocks, tol: float) -> Findings:
    """Each query against all rows."""
    attrs = Attributes(model, "n_samples_fit_")
    read, k = read_labelled(attrs, blocks), _number(attrs, blocks.n_rows)
    if attrs.faults or read is None:
        return [bad_attributes(attrs)], "one pass"
    points, codes, K = read
    asked = queries(points)
    claim, answer = neighbors_claim(model, points, asked, k, tol)
    claims = [claim]
    if answer is not None:
        votes = _mean(attrs, answer, np.eye(K)[codes])
        rounding = (k + 16) * 2 * unit_of(model, "predict_proba", points, asked)
        votes = _tied(attrs, points, asked, k, votes, rounding)
        claims.append(numbers_claim(model, "predict_proba", asked.Q, votes, rounding))
        claims.append(labels_claim(model, asked.Q, votes, rounding))
    if attrs.has("n_neighbors_"):
        claims.append(choice_claim(attrs, points, k, _right(attrs, codes, K), points.unit))
    return claims, f"{len(asked.Q)} queries against {blocks.n_rows} rows"


@checker(*SEARCH, "predict")
def check_k_neighbors_regressor(model: Any, blocks: Blocks, tol: float) -> Findings:
    """Each query against all rows."""
    attrs = Attributes(model, "n_samples_fit_")
    read, k = read_measured(attrs, blocks), _number(attrs, blocks.n_rows)
    if attrs.faults or read is None:
        return [bad_attributes(attrs)], "one pass"
    (points, y), asked = read, queries(read[0])
    claim, answer = neighbors_claim(model, points, asked, k, tol)
    claims = [claim]
    if answer is not None:
        means, size = _mean(attrs, answer, y), _mean(attrs, answer, np.abs(y))
        rounding = (k + 16) * 2 * unit_of(model, "predict", points, asked) * size
        claims.append(numbers_claim(model, "predict", asked.Q, means, rounding))
    if attrs.has("n_neighbors_"):
        claims.append(choice_claim(attrs, points, k, _squared(attrs, y), points.unit))
    return claims, f"{len(asked.Q)} queries against {blocks.n_rows} rows"


def _number(attrs: Attributes, n: int) -> int:
    name = "n_neighbors_" if attrs.has("n_neighbors_") else "n_neighbors"
    k = real(attrs.parameter(name, 5))
    if 1 <= k <= n and k == int(k):
        return int(k)
    attrs.faults.append(f"{name}={attrs.parameter(name, 5)!r} is not a number from 1 to {n}")
    return 1


def _right(attrs: Attributes, codes: NDArray, K: int) -> Judge:
    """1 where the first class with the most votes is that of the row; anything where ties leave it open."""

    def judge(i: int, rows: NDArray, D: F64, maybe: NDArray) -> tuple[float, float]:
        v = votes_of(attrs.parameter("weights", "uniform"), D[None, :])[0]
        votes = np.bincount(codes[rows], weights=v, minlength=K)
        close = np.sort(votes)[-2:] if K > 1 else np.array([0.0, 1.0])
        uniform = attrs.parameter("weights", "uniform") == "uniform"
        open_ = maybe.size > 0 or (not uniform and close[1] - close[0] <= 1e-9 * close[1])
        return float(votes.argmax() == codes[i]), float(open_)

    return judge


def _squared(attrs: Attributes, y: F64) -> Judge:
    """−(y − mean)², means of columns; another choice moves the mean within the targets of the rows that may count."""

    def judge(i: int, rows: NDArray, D: F64, maybe: NDArray) -> tuple[float, float]:
        v = votes_of(attrs.parameter("weights", "uniform"), D[None, :])[0]
        off = np.atleast_1d(y[i] - v @ y[rows] / v.sum())
        wide = np.atleast_1d(np.ptp(y[maybe], axis=0)) if maybe.size else np.zeros(1)
        return -float((off**2).mean()), float((wide * (2 * np.abs(off) + wide)).mean())

    return judge


def _mean(attrs: Attributes, answer: F64, y: NDArray) -> F64:
    """Σ v y / Σ v over the rows of each answer."""
    v, values = votes_of(attrs.parameter("weights", "uniform"), answer[0]), y[answer[1].astype(np.intp)]
    shape = (*v.shape, *[1] * (values.ndim - 2))
    total = v.reshape(shape).sum(axis=1)
    return (v.reshape(shape) * values).sum(axis=1) / np.where(total == 0, 1.0, total)


def _tied(attrs: Attributes, points: Points, asked: Queries, k: int, votes: F64, rounding: float) -> F64:
    """The votes; where the model's differ and rows tie for the last places, the nearest that some choice of them gives.

    Of r places left and t rows that tie, c of one class: it has at least r − (t − c) of the places, and at most c.
    """
    given = answer_of(attrs.model, "predict_proba", asked.Q)
    if isinstance(given, Claim) or given.shape != votes.shape or points.y is None or given.dtype.kind != "f":
        return votes
    votes, codes, weights = votes.copy(), points.y.astype(np.intp), attrs.parameter("weights", "uniform")
    for i in np.flatnonzero(~(np.abs(given - votes) <= rounding).all(axis=1)):
        D = points.block(asked.Q[i : i + 1].astype(np.float64))[0]
        slack = points.slack(D)
        last = np.partition(D, k - 1)[k - 1]
        spread = slack[np.flatnonzero(D == last)[0]]
        inside, maybe = D + slack < last - spread, D - slack <= last + spread
        ties = np.bincount(codes[maybe & ~inside], minlength=votes.shape[1])
        places = k - int(inside.sum())
        v = votes_of(weights, np.append(D[inside], last)[None, :])[0]
        sure = np.bincount(codes[inside], weights=v[:-1], minlength=votes.shape[1])
        low, high = np.maximum(places - (ties.sum() - ties), 0), np.minimum(ties, places)
        total = v[:-1].sum() + places * v[-1]
        votes[i] = np.clip(given[i], (sure + v[-1] * low) / total, (sure + v[-1] * high) / total)
    return votes
