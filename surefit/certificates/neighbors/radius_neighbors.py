"""Checkers of RadiusNeighborsClassifier and RadiusNeighborsRegressor: votes and means of all rows within the radius.

With v the weights of the rows within the radius (1; 1/distance, where a distance is 0 those rows alone; or a function
of the distances) a class has the share Σ v over its rows of Σ v, and a target is Σ v y / Σ v. The rows within the
radius are those that radius_neighbors gives for the queries, which is claimed to be right first. A query without such
rows is an outlier: its target is NaN, its class the outlier label, with a share of one where that is a class and no
shares where it is not; a classifier without an outlier label answers nothing, and is not asked.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.attributes import Attributes, bad_attributes, real
from surefit.certificates.blocks import F64, Blocks
from surefit.certificates.checker import Findings, checker
from surefit.certificates.claim import Claim, Grade, at_most
from surefit.certificates.labels import labels_claim, reads_labels
from surefit.certificates.predictions import answer_of, numbers_claim
from surefit.certificates.theorems.distances.metrics import BY_COORDINATE
from surefit.certificates.theorems.distances.points import Points
from surefit.certificates.theorems.distances.queries import Queries, queries, read_search
from surefit.certificates.theorems.distances.votes import read_target, votes_of
from surefit.certificates.theorems.distances.within_radius import AROUND, radius_claim

SEARCH = ("n_samples_fit_", "X_fit_", "y_fit_", "effective_metric_", "effective_metric_params_", "outputs_2d_",
          "radius_neighbors")  # fmt: skip
OUTLIERS = 3  # queries far from all rows


@checker(*SEARCH, "classes_", "outlier_label_", "predict", "predict_proba")
@reads_labels
def check_radius_neighbors_classifier(model: Any, blocks: Blocks, tol: float) -> Findings:
    return _findings(model, blocks, tol, True)


@checker(*SEARCH, "predict")
def check_radius_neighbors_regressor(model: Any, blocks: Blocks, tol: float) -> Findings:
    return _findings(model, blocks, tol, False)


def _findings(model: Any, blocks: Blocks, tol: float, classifies: bool) -> Findings:
    """Each query against all rows."""
    attrs = Attributes(model, "n_samples_fit_")
    points, y, radius = read_search(attrs, blocks), read_target(attrs, blocks, classifies), _radius(attrs)
    label = _outlier_label(attrs, y) if classifies and not attrs.faults else None
    if attrs.faults:
        return [bad_attributes(attrs)], "one pass"
    asked = _queries(points, radius)
    claim, answer = radius_claim(model, points, asked, radius, 0.0, tol)
    claims = [claim]
    if answer is not None:
        mean, alone, most = _mean(attrs, answer, y)
        unit = (most + 16) * float(np.finfo(np.float32 if np.float32 in (points.dtype, y.dtype) else np.float64).eps)
        if classifies:
            mean[alone] = np.asarray(model.classes_) == label
            told = ~alone if label is None else np.ones_like(alone)
            claims.append(numbers_claim(model, "predict_proba", asked.Q[told], mean[told], unit))
            claims += [
                labels_claim(model, asked.Q[~alone], mean[~alone], unit),
                _outliers(model, asked.Q[alone], label),
            ]
        else:
            mean[alone], lone = np.nan, replace(_outliers(model, asked.Q[alone], np.nan), name="predict")
            known = numbers_claim(model, "predict", asked.Q, mean, unit * _mean(attrs, answer, np.abs(y))[0])
            claims.append(known if lone.holds else lone)
    return claims, f"{len(asked.Q)} queries against {blocks.n_rows} rows"


def _radius(attrs: Attributes) -> float:
    radius = real(attrs.parameter("radius", 1.0))
    if not 0 <= radius < np.inf:
        attrs.faults.append(f"radius={attrs.parameter('radius', 1.0)!r} is not a number from 0")
    return radius


def _queries(points: Points, radius: float) -> Queries:
    """Rows and points between them, and where coordinates mean something points that no row is near."""
    asked = queries(points)
    Q = asked.Q[:: max(1, len(asked.Q) // AROUND)]
    if points.metric.name in BY_COORDINATE:
        span = 4 * (float(np.abs(points.X).max()) + radius) + 1
        Q = np.concatenate([Q, (points.X[:OUTLIERS] + span).astype(points.dtype)])
    return Queries(Q, f"{len(Q)} rows, points between them, and points far from all")


def _outlier_label(attrs: Attributes, y: F64) -> Any:
    """The label of outliers by the parameters; None: there is none. outlier_label_ must hold it."""
    given, classes = attrs.parameter("outlier_label", None), np.asarray(attrs.model.classes_)
    if isinstance(given, str) and given == "most_frequent":
        given = classes[y.sum(axis=0).argmax()]
    elif np.ndim(given):
        if len(given) != 1:
            attrs.faults.append("outlier_label is not one label")
        given = given[0] if len(given) == 1 else None
    stated: Any = getattr(attrs.model, "outlier_label_", None)
    same = stated is None if given is None else np.shape(stated) == (1,) and bool(stated[0] == given)
    if not same:
        attrs.faults.append(f"outlier_label_ is not {None if given is None else [given]}")
    return given


def _mean(attrs: Attributes, answer: Any, y: NDArray) -> tuple[F64, NDArray, int]:
    """Σ v y / Σ v over the rows of each answer (0 without one), which have none, and the most rows of one answer."""
    weights = attrs.parameter("weights", "uniform")
    means, alone = np.zeros((answer.shape[1], *y.shape[1:])), np.zeros(answer.shape[1], bool)
    own = weights(answer[0]) if callable(weights) else answer[0]
    for i, (v, rows) in enumerate(zip(own, answer[1], strict=True)):
        v, rows = np.asarray(v, dtype=np.float64), np.asarray(rows, dtype=np.intp)
        alone[i] = not rows.size
        if alone[i]:
            continue
        v = v if callable(weights) else votes_of(weights, v)
        means[i] = v @ y[rows] / (v.sum() or 1.0)
    return means, alone, max(map(np.size, answer[1]), default=0)


def _outliers(model: Any, Q: NDArray, label: Any) -> Claim:
    if label is None or not len(Q):
        sentence = "There is no label for outliers." if label is None else "No query is without rows near it."
        return Claim("outliers", sentence, Grade.EXACT, None, None, True)
    given = answer_of(model, "predict", Q)
    if isinstance(given, Claim):
        return replace(given, name="outliers")
    right = (given == label) | ((given != given) & (label != label))
    wrong = len(Q) if np.shape(given)[:1] != (len(Q),) else int((~right.reshape(len(Q), -1)).any(axis=1).sum())
    return at_most(
        "outliers", f"Queries without rows within the radius get {label}; of {len(Q)}, those that do not.",
        Grade.EXACT, wrong, 0,
        failure=f"{wrong} of {len(Q)} queries without rows within the radius do not get {label}"
        + (": whole numbers have no NaN, fit to y in floating point." if given.dtype.kind in "iu" else "."),
    )  # fmt: skip
