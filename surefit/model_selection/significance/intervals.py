"""Intervals and tests for cross-validated scores whose training sets overlap.

The J scores of a repeated k-fold share most of their training rows, so their sample variance s² is too small for the
variance of their mean. Nadeau and Bengio (Inference for the generalization error, Machine Learning 52, 2003) replace
s²/J by

    (1/J + n_test / n_train) s² ,

with n_test and n_train of ONE split, and use Student's t with J − 1 degrees of freedom.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import stdtr, stdtrit

from surefit._core.errors import InvalidData, InvalidParameter


@dataclass(frozen=True)
class Interval:
    """mean ± half, at a confidence level; `half` is NaN when there is only one score."""

    mean: float
    half: float
    level: float

    @property
    def low(self) -> float:
        return self.mean - self.half

    @property
    def high(self) -> float:
        return self.mean + self.half


@dataclass(frozen=True)
class Difference(Interval):
    """The mean of paired differences, with the two-sided p-value of "no difference"."""

    p: float


def corrected_interval(scores: ArrayLike, test_train_ratio: float, level: float = 0.95) -> Interval:
    """The corrected resampled t interval for the mean of cross-validated scores.

    >>> round(corrected_interval([0.4, 0.5, 0.6], 1 / 2).half, 4)
    0.3928
    """
    scores = _scores(scores)
    _check(test_train_ratio, level)
    half = corrected_error(scores, test_train_ratio) * float(stdtrit(max(scores.size - 1, 1), 0.5 + level / 2))
    return Interval(float(scores.mean()), half, level)


def corrected_difference(a: ArrayLike, b: ArrayLike, test_train_ratio: float, level: float = 0.95) -> Difference:
    """The corrected resampled t-test of a − b, scores of two models on the same folds in the same order."""
    d = paired_differences(a, b)
    _check(test_train_ratio, level)
    mean, error, df = float(d.mean()), corrected_error(d, test_train_ratio), max(d.size - 1, 1)
    half = error * float(stdtrit(df, 0.5 + level / 2))
    if np.isnan(error):
        p = float("nan")
    elif error == 0.0:
        p = 1.0 if mean == 0.0 else 0.0
    else:
        p = 2.0 * float(stdtr(df, -abs(mean) / error))
    return Difference(mean, half, level, p)


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm's step-down adjustment: the m-th smallest of M p-values is multiplied by M − m + 1, and they stay in order.

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    p = np.asarray(p_values, dtype=np.float64)
    order = np.argsort(p, kind="stable")
    stepped = np.maximum.accumulate(p[order] * np.arange(p.size, 0, -1))
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(stepped, 1.0)
    return adjusted.tolist()


def paired_differences(a: ArrayLike, b: ArrayLike) -> np.ndarray:
    """a − b, fold by fold."""
    a, b = _scores(a), _scores(b)
    if a.size != b.size:
        raise InvalidData(f"paired scores must come from the same folds; got {a.size} and {b.size}")
    return a - b


def corrected_error(scores: np.ndarray, ratio: float) -> float:
    """√((1/J + ratio) s²): the standard error of the mean of J scores; NaN for one score."""
    if scores.size < 2:
        return float("nan")
    return float(np.sqrt((1.0 / scores.size + ratio) * scores.var(ddof=1)))


def _scores(scores: ArrayLike) -> np.ndarray:
    array = np.asarray(scores, dtype=np.float64)
    if array.ndim != 1 or array.size == 0:
        raise InvalidData(f"scores must be one-dimensional and not empty; got shape {array.shape}")
    return array


def require_ratio(ratio: float) -> None:
    if not ratio > 0:
        raise InvalidParameter(f"test_train_ratio must be a number > 0; got {ratio!r}")


def _check(ratio: float, level: float) -> None:
    require_ratio(ratio)
    if not 0 < level < 1:
        raise InvalidParameter(f"level must be a number > 0 and < 1; got {level!r}")
