"""Checkers of KNeighborsClassifier and KNeighborsRegressor: votes and means of the nearest rows, from the definition.

With v the weights of the k nearest rows a class has the share Σ v over its rows of Σ v, and a target is Σ v y / Σ v.
That kneighbors gives the nearest is claimed first. A classifier may count other rows where several are equally far.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from surefit.certificates.attributes import Attributes, bad_attributes, real
from surefit.certificates.blocks import F64, Blocks
from surefit.certificates.checker import Findings, checker
from surefit.certificates.claim import Claim
from surefit.certificates.labels import labels_claim, reads_labels
from surefit.certificates.predictions import answer_of, numbers_claim
from surefit.certificates.theorems.distances.left_out import choice_claim
from surefit.certificates.theorems.distances.points import Points
from surefit.certificates.theorems.distances.queries import Queries, neighbors_claim, queries, read_search
from surefit.certificates.theorems.distances.votes import read_target, votes_of

SEARCH = ("n_samples_fit_", "X_fit_", "y_fit_", "effective_metric_", "effective_metric_params_", "outputs_2d_",
          "n_neighbors_", "candidates_", "cv_scores_", "best_score_")  # fmt: skip


@checker(*SEARCH, "classes_", "predict", "predict_proba")
@reads_labels
def check_k_neighbors_classifier(model: Any, blocks: Blocks, tol: float) -> Findings:
    return _findings(model, blocks, tol, True)


@checker(*SEARCH, "predict")
def check_k_neighbors_regressor(model: Any, blocks: Blocks, tol: float) -> Findings:
    return _findings(model, blocks, tol, False)


def _findings(model: Any, blocks: Blocks, tol: float, classifies: bool) -> Findings:
    """Each query against all rows."""
    attrs, n = Attributes(model, "n_samples_fit_"), blocks.n_rows
    points, y = read_search(attrs, blocks), read_target(attrs, blocks, classifies)
    name = "n_neighbors_" if attrs.has("n_neighbors_") else "n_neighbors"
    k, weights = real(attrs.parameter(name, 5)), attrs.parameter("weights", "uniform")
    if not (1 <= k <= n and k == int(k)):
        attrs.faults.append(f"{name}={attrs.parameter(name, 5)!r} is not a number from 1 to {n}")
    if attrs.faults:
        return [bad_attributes(attrs)], "one pass"
    asked = queries(points)
    claim, answer = neighbors_claim(model, points, asked, int(k), tol)
    claims = [claim]
    if answer is not None:
        v, near = votes_of(weights, answer[0]), y[answer[1].astype(np.intp)]
        v = v / np.where(v.sum(axis=1) == 0, 1.0, v.sum(axis=1))[:, None]
        mean, size = (np.einsum("ij,ij...->i...", v, values) for values in (near, np.abs(near)))
        eps = float(np.finfo(np.float32 if np.float32 in (points.dtype, y.dtype) else np.float64).eps)
        rounding = (k + 16) * eps * (1.0 if classifies else size)
        if classifies:
            mean = _tied(model, points, asked, y, int(k), weights, mean, float(rounding))
            claims.append(labels_claim(model, asked.Q, mean, rounding))
        claims.append(numbers_claim(model, "predict_proba" if classifies else "predict", asked.Q, mean, rounding))
    if attrs.has("n_neighbors_"):
        claims.append(choice_claim(attrs, points, y, classifies, int(k)))
    return claims, f"{len(asked.Q)} queries against {n} rows"


def _tied(model: Any, points: Points, asked: Queries, y: F64, k: int, weights: Any, votes: F64, rounding: float) -> F64:
    """The votes; where the model's differ and rows tie for the last places, the nearest that these rows may give."""
    given, votes = answer_of(model, "predict_proba", asked.Q, votes.shape), votes.copy()
    differ: Any = [] if isinstance(given, Claim) else np.flatnonzero(~(np.abs(given - votes) <= rounding).all(axis=1))
    for i in differ:
        D = points.block(asked.Q[i : i + 1].astype(np.float64))[0]
        last = np.sort(D)[k - 1]
        wide = 2.01 * points.slack(last)
        inside, maybe = D < last - wide, D <= last + wide
        ties, places = y[maybe & ~inside].sum(axis=0), k - int(inside.sum())
        v = votes_of(weights, np.append(D[inside], last))
        low, high = np.maximum(places - (ties.sum() - ties), 0), np.minimum(ties, places)  # of these places
        sure, total = v[:-1] @ y[inside], v[:-1].sum() + places * v[-1]
        votes[i] = np.clip(given[i], (sure + v[-1] * low) / total, (sure + v[-1] * high) / total)
    return votes
