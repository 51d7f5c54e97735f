"""Intervals for the risk of one classifier, from its losses on rows that it was not fitted to.

    Clopper–Pearson      of errors counted: the p for which neither tail of the binomial is below δ/2; exact
    Hoeffding            mean ± (b − a) √(log(2/δ) / 2n)  for losses in [a, b]
    empirical Bernstein  mean ± (√(2 V log(4/δ) / n) + 7 (b − a) log(4/δ) / (3 (n − 1))) ,  V the sample variance
                         (Maurer and Pontil 2009): narrower where losses vary little

All hold for every n and every distribution, with probability 1 − δ at least.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from scipy.special import betaincinv

from surefit._core.data.plain_numbers import take_numbers, take_share, take_whole
from surefit._core.errors import InvalidData, InvalidParameter

Method = Literal["clopper-pearson", "hoeffding", "empirical-bernstein"]


@dataclass(frozen=True)
class RiskInterval:
    """Where a risk lies, with probability `confidence` over the sample."""

    estimate: float
    low: float
    high: float
    confidence: float
    method: str

    def __str__(self) -> str:
        return f"{self.estimate:.4g} in [{self.low:.4g}, {self.high:.4g}] ({self.confidence:.0%}, {self.method})"


def risk_interval(
    losses: Any,
    *,
    method: Method = "clopper-pearson",
    confidence: float = 0.95,
    bounds: tuple[float, float] = (0.0, 1.0),
) -> RiskInterval:
    """An interval for the mean of bounded losses.

    Parameters
    ----------
    losses : array of shape (n,)
        The loss of each row, of rows that the model was not fitted to; zeros and ones for Clopper–Pearson.
    method : "clopper-pearson", "hoeffding" or "empirical-bernstein"
    confidence : float
        1 − δ.
    bounds : (float, float)
        What a loss can be, at least and at most.

    Examples
    --------
    >>> import numpy as np
    >>> from surefit.theory import risk_interval
    >>> print(risk_interval(np.r_[np.ones(3), np.zeros(97)]))
    0.03 in [0.00623, 0.08518] (95%, clopper-pearson)
    """
    ends = take_numbers(bounds, "bounds")
    low, high = (float(b) for b in ends) if ends.shape == (2,) else (math.nan, math.nan)
    if not (math.isfinite(low) and math.isfinite(high) and low < high):
        raise InvalidParameter(f"bounds must be two finite numbers, the smaller first; got {bounds}")
    take_share(confidence, "confidence")
    values = take_numbers(losses, "losses")
    if values.ndim != 1 or values.size == 0 or not ((values >= low) & (values <= high)).all():
        raise InvalidData(
            f"losses must be a column of numbers from {low:g} to {high:g}, of at least one row; got the shape "
            f"{values.shape}" + (f" with {values.min():g} … {values.max():g}" if values.size else "")
        )
    n, mean, delta = len(values), float(values.mean()), 1 - confidence
    if method == "clopper-pearson":
        if not np.isin(values, (0.0, 1.0)).all():
            raise InvalidData("Clopper–Pearson counts errors: losses must be 0 or 1. Try method='empirical-bernstein'")
        return RiskInterval(mean, *clopper_pearson(int(values.sum()), n, confidence), confidence, method)
    if method == "hoeffding":
        half = (high - low) * math.sqrt(math.log(2 / delta) / (2 * n))
    elif method == "empirical-bernstein":
        if n < 2:
            raise InvalidData("empirical Bernstein needs at least two rows")
        t = math.log(4 / delta)
        half = math.sqrt(2 * float(values.var(ddof=1)) * t / n) + 7 * (high - low) * t / (3 * (n - 1))
    else:
        raise InvalidParameter(f"method must be clopper-pearson, hoeffding or empirical-bernstein; got {method!r}")
    return RiskInterval(mean, max(low, mean - half), min(high, mean + half), confidence, method)


def clopper_pearson(errors: int, n: int, confidence: float = 0.95) -> tuple[float, float]:
    """The exact interval for a chance of which `errors` of n trials came true.

    >>> low, high = clopper_pearson(0, 60)
    >>> low, round(high, 4)
    (0.0, 0.0596)
    """
    if take_whole(errors, "errors", 0) > take_whole(n, "n"):
        raise InvalidParameter(f"errors must be from 0 to n; got {errors} of {n}")
    take_share(confidence, "confidence")
    tail = (1 - confidence) / 2
    low = 0.0 if errors == 0 else float(betaincinv(errors, n - errors + 1, tail))
    high = 1.0 if errors == n else float(betaincinv(errors + 1, n - errors, 1 - tail))
    return low, high
