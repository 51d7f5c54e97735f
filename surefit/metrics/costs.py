"""What mistakes cost, and where to put the threshold.

With a share π of positive rows, a false positive costing a and a false negative costing b, calling positive what has a
score of at least t costs per row
    (1 − π) a fpr(t) + π b (1 − tpr(t)).
In the plane of the ROC curve equal costs are parallel lines of slope (1 − π)a/(πb): for any costs a corner of the upper
convex hull of the curve is cheapest.
"""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.metrics import confusion_matrix

from surefit._core.data.plain_numbers import take_share
from surefit._core.errors import InvalidData, InvalidParameter
from surefit.metrics.binary import F64, positive_rows, row_weights, take_scores


@dataclass(frozen=True)
class OperatingPoint:
    """A threshold (rows of at least this score are called positive), and what it leads to."""

    threshold: float
    sensitivity: float
    """The share of positive rows found (tpr)."""
    specificity: float
    """The share of negative rows left in peace (1 − fpr)."""
    precision: float
    """The share of rows called positive that are; NaN where none are called so."""
    cost: float
    """Expected cost per row."""


@dataclass(frozen=True)
class OperatingPoints:
    """All thresholds of a ROC curve, from ∞ down, one entry of each array for each."""

    threshold: F64
    sensitivity: F64
    specificity: F64
    precision: F64
    cost: F64
    on_hull: NDArray[np.bool_]
    """Corners of the upper convex hull: the points that are cheapest for some costs."""

    def __len__(self) -> int:
        return self.threshold.size

    def __getitem__(self, i: int) -> OperatingPoint:
        arrays = (self.threshold, self.sensitivity, self.specificity, self.precision, self.cost)
        return OperatingPoint(*(float(a[i]) for a in arrays))


def expected_cost(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    false_positive: float = 1.0,
    false_negative: float = 1.0,
    prevalence: float | None = None,
    pos_label: Any = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    """The cost per row of decisions; `prevalence`: the share of positive rows where they will be used (default: here).

    `pos_label` need not be given for labels 0 and 1, −1 and 1, or False and True.

    >>> expected_cost([0, 0, 0, 1], [0, 1, 0, 0], false_positive=1, false_negative=10)
    2.75
    """
    _check_costs(false_positive, false_negative, prevalence)
    truth, called = positive_rows(y_true, y_pred, pos_label)
    w = None if sample_weight is None else row_weights(sample_weight)
    C = confusion_matrix(truth, called, labels=[False, True], sample_weight=w)
    negative, positive = (float(x) for x in C.sum(axis=1))
    if prevalence is None:
        return float(false_positive * C[0, 1] + false_negative * C[1, 0]) / (negative + positive)
    if negative <= 0 or positive <= 0:
        raise InvalidData("the cost at another prevalence needs rows of both classes; got one class")
    fpr, miss = float(C[0, 1]) / negative, float(C[1, 0]) / positive
    return (1 - prevalence) * false_positive * fpr + prevalence * false_negative * miss


def operating_points(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    false_positive: float = 1.0,
    false_negative: float = 1.0,
    prevalence: float | None = None,
    pos_label: Any = None,
    sample_weight: ArrayLike | None = None,
) -> OperatingPoints:
    """Every threshold with its sensitivity, specificity, precision and expected cost.

    `prevalence` is the share of positive rows where the decisions will be made (default: that of these rows).

    >>> points = operating_points([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], false_negative=5)
    >>> points.threshold[points.on_hull].tolist(), points.cost.tolist()
    ([inf, 0.8, 0.35, 0.1], [2.5, 1.25, 1.5, 0.25, 0.5])
    """
    _check_costs(false_positive, false_negative, prevalence)
    fp, tp, thresholds = take_scores(y_true, y_score, pos_label, sample_weight).counts(corners=False)
    N, P = float(fp[-1]), float(tp[-1])
    if N <= 0 or P <= 0:
        raise InvalidData("operating points need rows of both classes; got one class")
    pi = P / (P + N) if prevalence is None else prevalence
    fpr, tpr = fp / N, tp / P
    called = (1 - pi) * fpr + pi * tpr
    precision = np.divide(pi * tpr, called, out=np.full_like(tpr, np.nan), where=called > 0)
    cost = (1 - pi) * false_positive * fpr + pi * false_negative * (1 - tpr)
    on_hull = np.zeros(fp.size, dtype=bool)
    on_hull[roc_convex_hull(fp, tp)] = True
    return OperatingPoints(thresholds, tpr, 1 - fpr, precision, cost, on_hull)


def best_threshold(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    false_positive: float = 1.0,
    false_negative: float = 1.0,
    prevalence: float | None = None,
    min_sensitivity: float | None = None,
    min_specificity: float | None = None,
    pos_label: Any = None,
    sample_weight: ArrayLike | None = None,
) -> OperatingPoint:
    """The threshold of least expected cost among those that keep the sensitivity and specificity asked for.

    Of equally cheap ones the highest. The cost on the rows that chose the threshold flatters it: judge it on others.

    >>> best_threshold([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], false_negative=5).threshold
    0.35
    >>> best_threshold([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], min_specificity=1.0).sensitivity
    0.5
    """
    points = operating_points(
        y_true,
        y_score,
        false_positive=false_positive,
        false_negative=false_negative,
        prevalence=prevalence,
        pos_label=pos_label,
        sample_weight=sample_weight,
    )
    allowed = np.ones(len(points), dtype=bool)
    for name, least, reached in (
        ("min_sensitivity", min_sensitivity, points.sensitivity),
        ("min_specificity", min_specificity, points.specificity),
    ):
        if least is not None:
            allowed &= reached >= take_share(least, name, ends=True)
    if not allowed.any():
        raise InvalidData(
            f"no threshold has a sensitivity of {min_sensitivity} and a specificity of {min_specificity}: "
            "lower one of them"
        )
    return points[int(np.argmin(np.where(allowed, points.cost, np.inf)))]


def roc_convex_hull(fpr: ArrayLike, tpr: ArrayLike) -> NDArray[np.intp]:
    """The places of the corners of the upper convex hull of a curve that rises from left to right.

    A point on or below the line through two others is no corner. Such points are left out, all at once in each sweep,
    while sweeps find many; then one scan from the left decides the rest (Andrew's monotone chain).

    >>> roc_convex_hull([0, 0.1, 0.5, 1], [0, 0.6, 0.7, 1]).tolist()
    [0, 1, 3]
    """
    x, y = np.asarray(fpr, dtype=np.float64), np.asarray(tpr, dtype=np.float64)
    if x.ndim != 1 or x.shape != y.shape or x.size < 2 or not ((np.diff(x) >= 0).all() and (np.diff(y) >= 0).all()):
        raise InvalidData("fpr and tpr must be two lists of one length, of numbers that do not decrease")
    left = np.arange(x.size)
    while left.size > 2:
        dx, dy = np.diff(x[left]), np.diff(y[left])
        corner = np.concatenate([[True], dy[:-1] * dx[1:] > dy[1:] * dx[:-1], [True]])
        if corner.sum() > 0.9 * left.size:
            break
        left = left[corner]
    chain: list[int] = []
    for i in left.tolist():
        while len(chain) > 1:
            a, b = chain[-2], chain[-1]
            if (y[b] - y[a]) * (x[i] - x[b]) > (y[i] - y[b]) * (x[b] - x[a]):
                break
            chain.pop()
        chain.append(i)
    return np.array(chain, dtype=np.intp)


def _check_costs(false_positive: float, false_negative: float, prevalence: float | None) -> None:
    for name, cost in (("false_positive", false_positive), ("false_negative", false_negative)):
        if not (isinstance(cost, Real) and 0 <= cost < np.inf):
            raise InvalidParameter(f"{name} must be a cost ≥ 0; got {cost!r}")
    if prevalence is not None:
        take_share(prevalence, "prevalence", ends=True)
