"""Bands around a ROC curve, whatever the distribution of the scores.

Let R(t) be the true curve: the share of positive scores above the threshold that a share t of negative scores exceeds.

Pointwise, for one t. Two things are uncertain: where that threshold lies, and the share of positive scores above it.
The number K of the N negative rows above the threshold is binomial(N, t); with k ≤ K ≤ k′ but for α/2 on each side, the
threshold lies between the k-th and the (k′+1)-th largest negative score, where the empirical curve has the heights
l ≤ r. The share has Clopper–Pearson limits [d, u]. Errors of two independent samples add as squares do (the method of
variance estimates recovery, Zou & Donner 2008):
    R̂ − √((R̂ − l)² + (R̂ − d)²) ≤ R(t) ≤ R̂ + √((r − R̂)² + (u − R̂)²)     with probability about 1 − α.

Simultaneous, for all t at once. By Massart's inequality the empirical distributions of the two classes are within
d = √(log(2/β)/(2n)) of the true ones with probability at least 1 − β each, for every n. They are independent, so with
(1 − β)² = level the true curve lies between the empirical one moved by d_N to the right and d_P down, and that moved
as far to the left and up.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betaincinv
from scipy.stats import binom

from surefit._core.data.plain_numbers import take_share
from surefit._core.errors import InvalidData, InvalidParameter
from surefit.metrics.binary import F64, Scores, take_scores

TINY = np.finfo(np.float64).tiny
Kind = Literal["pointwise", "simultaneous"]


@dataclass(frozen=True)
class RocBand:
    """For each rate of false positives `fpr`: the curve's `tpr` (the upper end where it is vertical), [low, high]."""

    fpr: F64
    tpr: F64
    low: F64
    high: F64
    kind: Kind
    level: float


def roc_band(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    kind: Kind,
    level: float = 0.95,
    fpr: ArrayLike | None = None,
    pos_label: Any = None,
) -> RocBand:
    """A band around the ROC curve, at the rates `fpr` (by default 0, 0.005, …, 1).

    `kind` has no default: a "pointwise" band holds the true curve at any one rate with probability about `level`, a
    "simultaneous" one holds the whole curve with at least that probability (for every number of independent rows and
    every distribution), and is wider.

    >>> import numpy as np
    >>> y, score = np.arange(200) % 2, np.sin(np.arange(200)) + np.arange(200) % 2
    >>> band = roc_band(y, score, kind="pointwise", fpr=[0.2])
    >>> bool(band.low[0] < band.tpr[0] < band.high[0])
    True
    """
    if kind not in ("pointwise", "simultaneous"):
        raise InvalidParameter(f"roc_band(kind=…) must be 'pointwise' or 'simultaneous'; got {kind!r}")
    take_share(level, "level")
    try:
        rates = np.linspace(0, 1, 201) if fpr is None else np.asarray(fpr, dtype=np.float64)
    except (TypeError, ValueError) as fault:
        raise InvalidData(f"fpr must be a list of numbers from 0 to 1; {fault}") from fault
    if rates.ndim != 1 or not ((rates >= 0) & (rates <= 1)).all():
        raise InvalidData("fpr must be a list of numbers from 0 to 1")
    scores = take_scores(y_true, y_score, pos_label, None)
    fp, tp, _ = scores.counts(corners=False)
    if fp[-1] == 0 or tp[-1] == 0:
        raise InvalidData("a ROC curve needs rows of both classes; got one class")
    tpr = _highest(fp / fp[-1], tp / tp[-1], rates)
    if kind == "pointwise":
        low, high = _pointwise(scores, rates, tpr, 1 - level)
    else:
        low, high = _simultaneous(fp, tp, rates, level)
    low[rates == 1] = 1.0  # every curve ends in (1, 1)
    return RocBand(rates, tpr, low, high, kind, level)


def _pointwise(scores: Scores, rates: F64, tpr: F64, alpha: float) -> tuple[F64, F64]:
    x, y = np.sort(scores.score[scores.positive]), np.sort(scores.score[~scores.positive])
    P, N = x.size, y.size
    least = np.where(rates == 0, 0, binom.ppf(alpha / 2, N, rates)).astype(int)  # P(K < least) ≤ α/2
    most = np.where(rates == 1, N, binom.isf(alpha / 2, N, rates)).astype(int)  # P(K > most) ≤ α/2
    above = P - np.searchsorted(x, y[N - np.maximum(least, 1)], "right")  # positive rows above the least-th largest
    upto = P - np.searchsorted(x, y[np.maximum(N - most - 1, 0)], "left")
    left, right = np.where(least == 0, 0.0, above / P), np.where(most == N, 1.0, upto / P)
    hits = tpr * P
    down = np.where(hits == 0, 0.0, betaincinv(np.maximum(hits, TINY), P - hits + 1, alpha / 2))
    up = np.where(hits == P, 1.0, betaincinv(hits + 1, np.maximum(P - hits, TINY), 1 - alpha / 2))
    return (
        np.maximum(0.0, tpr - np.hypot(tpr - np.minimum(left, tpr), tpr - down)),
        np.minimum(1.0, tpr + np.hypot(np.maximum(right, tpr) - tpr, up - tpr)),
    )


def _simultaneous(fp: F64, tp: F64, rates: F64, level: float) -> tuple[F64, F64]:
    P, N = tp[-1], fp[-1]
    beta = 1 - math.sqrt(level)
    right, up = (math.sqrt(math.log(2 / beta) / (2 * n)) for n in (N, P))
    low = np.where(rates - right < 0, 0.0, _lowest(fp / N, tp / P, np.maximum(rates - right, 0)) - up)
    high = np.where(rates + right > 1, 1.0, _highest(fp / N, tp / P, np.minimum(rates + right, 1)) + up)
    return np.maximum(low, 0.0), np.minimum(high, 1.0)


def _lowest(fpr: F64, tpr: F64, at: F64) -> F64:
    """The height of the curve, where it is vertical the lower end."""
    j = np.searchsorted(fpr, at, "left")
    i = np.maximum(j - 1, 0)
    share = np.divide(at - fpr[i], fpr[j] - fpr[i], out=np.ones_like(at), where=fpr[j] > fpr[i])
    return tpr[i] + share * (tpr[j] - tpr[i])


def _highest(fpr: F64, tpr: F64, at: F64) -> F64:
    """The height of the curve, where it is vertical the upper end."""
    i = np.searchsorted(fpr, at, "right") - 1
    j = np.minimum(i + 1, fpr.size - 1)
    share = np.divide(at - fpr[i], fpr[j] - fpr[i], out=np.zeros_like(at), where=fpr[j] > fpr[i])
    return tpr[i] + share * (tpr[j] - tpr[i])
