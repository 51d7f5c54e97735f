"""How sure an area under the ROC curve is: DeLong's variance, intervals, and the test of two areas on the same rows.

With ψ(x, y) = 1, ½ or 0 for x >, =, < y the area is A = mean of ψ(xᵢ, yⱼ) over positive scores xᵢ and negative yⱼ. The
placements
    Vᵢ = meanⱼ ψ(xᵢ, yⱼ) of the P positive,    Uⱼ = meanᵢ ψ(xᵢ, yⱼ) of the N negative rows
have the mean A, and  var A ≈ var(V)/P + var(U)/N  (DeLong, DeLong & Clarke-Pearson 1988); for the difference of the
areas of two scores of the same rows, the same with the differences of their placements. Placements are
midranks: sorting gives them all in O(n log n) (Sun & Xu 2014).
"""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import brentq
from scipy.special import expit, logit, ndtr, ndtri
from sklearn.exceptions import UndefinedMetricWarning

from surefit._core.data.plain_numbers import take_share
from surefit._core.errors import InvalidData, InvalidParameter
from surefit.metrics.binary import F64, Scores, take_scores

Method = Literal["logit", "plain", "newcombe"]
Alternative = Literal["two-sided", "greater", "less"]


@dataclass(frozen=True)
class RocAucInterval:
    """An area, its standard error by DeLong, and the interval [low, high], which lies within [0, 1]."""

    auc: float
    low: float
    high: float
    level: float
    standard_error: float
    method: Method
    """How the interval was made: "newcombe" also where DeLong's variance is zero or undefined."""

    def __str__(self) -> str:
        return f"{self.auc:.4f} [{self.low:.4f}, {self.high:.4f}] ({100 * self.level:g} %)"


@dataclass(frozen=True)
class DelongTest:
    """Two areas on the same rows, their difference (first less second) with its interval, and the p-value."""

    auc_first: float
    auc_second: float
    difference: float
    low: float
    high: float
    level: float
    standard_error: float
    statistic: float
    pvalue: float
    alternative: Alternative


def roc_auc_interval(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    level: float = 0.95,
    method: Method = "logit",
    pos_label: Any = None,
    sample_weight: ArrayLike | None = None,
) -> RocAucInterval:
    """A confidence interval for the area under the ROC curve.

    `method`: "logit" (DeLong's standard error on the scale log A/(1 − A)), "plain" (A ± z·se, cut at 0 and 1), or
    "newcombe" (Newcombe's fifth: all areas θ with |A − θ| ≤ z·se(θ), se(θ) from a model of the two classes). At A = 0
    or 1, with all scores equal, or with one row in a class, DeLong's variance is zero or undefined and says nothing:
    there every method is "newcombe". A weight of two is a row repeated.

    >>> print(roc_auc_interval([0, 0, 0, 1, 1, 1], [1, 2, 4, 3, 5, 6]))
    0.8889 [0.2614, 0.9945] (95 %)
    >>> print(roc_auc_interval([0, 0, 0, 1, 1, 1], [1, 2, 3, 4, 5, 6]))
    1.0000 [0.5010, 1.0000] (95 %)
    """
    z = _quantile(level)
    if method not in ("logit", "plain", "newcombe"):
        raise InvalidParameter(f"roc_auc_interval(method=…) must be 'logit', 'plain' or 'newcombe'; got {method!r}")
    scores = _of_both_classes(take_scores(y_true, y_score, pos_label, sample_weight))
    area, variance, P, N = _area_and_variance(scores)
    error = math.sqrt(variance)
    if not 0 < error < math.inf or not 0 < area < 1:
        method = "newcombe"
    if method == "logit":
        half = z * error / (area * (1 - area))
        low, high = float(expit(logit(area) - half)), float(expit(logit(area) + half))
    elif method == "plain":
        low, high = max(0.0, area - z * error), min(1.0, area + z * error)
    else:
        low, high = _newcombe_low(area, P, N, z), 1 - _newcombe_low(1 - area, P, N, z)
    return RocAucInterval(area, low, high, level, error, method)


def delong_test(
    y_true: ArrayLike,
    first: ArrayLike,
    second: ArrayLike,
    *,
    alternative: Alternative = "two-sided",
    level: float = 0.95,
    pos_label: Any = None,
    sample_weight: ArrayLike | None = None,
) -> DelongTest:
    """Whether two scores of the same rows have the same area: z = (A₁ − A₂)/se, with the covariance of the two.

    `alternative`: "greater" asks whether the first area is larger. NaN with a warning where the areas differ although
    no placement varies (classes apart for both scores): then the variance says nothing.

    >>> test = delong_test([0, 0, 0, 0, 1, 1, 1, 1], [1, 2, 3, 6, 4, 5, 7, 8], [1, 5, 3, 6, 4, 2, 7, 8])
    >>> round(test.difference, 4), round(test.pvalue, 4)
    (0.1875, 0.2679)
    """
    z = _quantile(level)
    if alternative not in ("two-sided", "greater", "less"):
        raise InvalidParameter(f"delong_test(alternative=…) must be two-sided, greater or less; got {alternative!r}")
    one, two = (_of_both_classes(take_scores(y_true, s, pos_label, sample_weight)) for s in (first, second))
    (V1, U1), (V2, U2) = placements(one), placements(two)
    v, u = _weights(one)
    if min(v.sum(), u.sum()) <= 1:
        raise InvalidData("delong_test needs at least two rows of each class")
    areas = float(v @ V1 / v.sum()), float(v @ V2 / v.sum())
    difference = areas[0] - areas[1]
    error = math.sqrt(_variance(V1 - V2, v) / v.sum() + _variance(U1 - U2, u) / u.sum())
    if error > 0:
        statistic = difference / error
    elif np.array_equal(V1, V2) and np.array_equal(U1, U2):
        statistic = 0.0
    else:
        warnings.warn("No placement varies: the difference has no variance.", UndefinedMetricWarning, stacklevel=2)
        statistic = math.nan
    tails = {"two-sided": 2 * ndtr(-abs(statistic)), "greater": ndtr(-statistic), "less": ndtr(statistic)}
    low, high = max(-1.0, difference - z * error), min(1.0, difference + z * error)
    pvalue = float(tails[alternative])
    return DelongTest(*areas, difference, low, high, level, error, statistic, pvalue, alternative)


def placements(scores: Scores) -> tuple[F64, F64]:
    """(V, U): for each positive row the share of negative rows below, for each negative that of positive rows above."""
    v, u = _weights(scores)
    x, y = scores.score[scores.positive], scores.score[~scores.positive]
    return _share_below(x, y, u), 1 - _share_below(y, x, v)


def _share_below(queries: NDArray, others: NDArray, weight: F64) -> F64:
    order = np.argsort(others, kind="stable")
    ordered, sums = others[order], np.concatenate([[0.0], np.cumsum(weight[order])])
    below, upto = np.searchsorted(ordered, queries, "left"), np.searchsorted(ordered, queries, "right")
    return (sums[below] + sums[upto]) / (2 * sums[-1])


def _area_and_variance(scores: Scores) -> tuple[float, float, float, float]:
    """(A, var A, P, N) from the curve: rows of one score have one placement."""
    fp, tp, _ = scores.counts(corners=False)
    P, N = float(tp[-1]), float(fp[-1])
    v, u = np.diff(tp), np.diff(fp)
    V, U = 1 - (fp[1:] + fp[:-1]) / (2 * N), (tp[1:] + tp[:-1]) / (2 * P)
    area = min(1.0, max(0.0, float(u @ U) / N))
    if not (V[v > 0] < 1).any():  # the classes are apart: not one rounding less
        area = 1.0
    if min(P, N) <= 1:
        return area, math.nan, P, N
    return area, _variance(V, v) / P + _variance(U, u) / N, P, N


def _variance(values: F64, weight: F64) -> float:
    total = weight.sum()
    return float(weight @ (values - weight @ values / total) ** 2 / (total - 1))


def _newcombe_low(area: float, P: float, N: float, z: float) -> float:
    """The least θ with (A − θ)² ≤ z² V(θ), where for M = (P + N)/2

        V(θ) = θ(1 − θ)/(PN) · [2M − 1 − (3M − 3)/((2 − θ)(1 + θ))].

    At A = 1 both sides are zero at θ = 1; 1 − θ is divided out.
    """
    if area == 0:
        return 0.0
    M = (P + N) / 2

    def excess(theta: float) -> float:
        rest = z**2 * theta / (P * N) * (2 * M - 1 - (3 * M - 3) / ((2 - theta) * (1 + theta)))
        return (1 - theta) - rest if area == 1 else (area - theta) ** 2 - rest * (1 - theta)

    return float(brentq(excess, 0.0, area))


def _weights(scores: Scores) -> tuple[F64, F64]:
    weight = np.ones(scores.score.size) if scores.weight is None else scores.weight
    return weight[scores.positive], weight[~scores.positive]


def _of_both_classes(scores: Scores) -> Scores:
    if scores.positive.all() or not scores.positive.any():
        raise InvalidData("the area under a ROC curve needs rows of both classes; got one class")
    if scores.weight is not None and min(float(w.sum()) for w in _weights(scores)) < 1:
        raise InvalidData(
            "the weights of each class must add up to at least one: a weight of two is a row repeated, and the number "
            "of rows says how sure the area is"
        )
    return scores


def _quantile(level: float) -> float:
    """z with P(|Z| ≤ z) = level for a standard normal Z."""
    return float(ndtri((1 + take_share(level, "level")) / 2))
