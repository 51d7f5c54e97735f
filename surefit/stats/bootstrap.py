"""Intervals by the central limit theorem, and by the bootstrap where it says nothing or converges too slowly.

The bootstrap draws samples of n from the empirical distribution and looks how the statistic scatters over them:

    percentile   the quantiles of the resampled statistic
    basic        these, reflected at the estimate:  2 θ̂ − quantile
    BCa          percentile, with levels corrected for bias and for a spread that changes with θ (Efron 1987)

The resampling is scipy.stats.bootstrap's.
"""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from scipy import stats
from scipy.special import ndtri

from surefit._core.data.plain_numbers import take_numbers, take_share, take_whole
from surefit._core.errors import InvalidData, InvalidParameter
from surefit._core.random import RandomStateLike, random_stream
from surefit.stats.family import sample_of

METHODS = ("BCa", "percentile", "basic")
SEED = "rng" if "rng" in inspect.signature(stats.bootstrap).parameters else "random_state"  # SciPy 1.15 renamed it


@dataclass(frozen=True)
class BootstrapInterval:
    """An interval for a statistic of the distribution that the sample is from."""

    estimate: float
    low: float
    high: float
    standard_error: float
    level: float
    method: str
    n_resamples: int


def normal_interval(x: Any, level: float = 0.95) -> tuple[float, float]:
    """x̄ ± z s/√n, by the central limit theorem; slow to become true for heavy tails.

    >>> low, high = normal_interval([1.0, 2.0, 3.0, 4.0])
    >>> round(low, 4), round(high, 4)
    (1.2348, 3.7652)
    """
    values = sample_of(x)
    take_share(level, "level")
    if values.size < 2:
        raise InvalidData("an interval needs at least two values")
    half = float(ndtri(0.5 + level / 2)) * float(values.std(ddof=1)) / values.size**0.5
    return float(values.mean()) - half, float(values.mean()) + half


def bootstrap_interval(
    x: Any,
    statistic: Callable[..., Any],
    *,
    level: float = 0.95,
    method: Literal["BCa", "percentile", "basic"] = "BCa",
    n_resamples: int = 9999,
    random_state: RandomStateLike = 0,
) -> BootstrapInterval:
    """A bootstrap interval for any statistic.

    Parameters
    ----------
    x : array, or tuple of arrays
        A sample: numbers, or rows of numbers, which are resampled whole. A tuple of arrays of one length is resampled
        together: (X, y) for the statistic f(X, y).
    statistic : callable
        Gives a number. One that takes `axis` (as numpy.median) is asked for many resamples at once.
    level : float
        Confidence.
    method : "BCa", "percentile" or "basic"
    n_resamples : int
    random_state : int, None, RandomState, Generator or SeedSequence

    Examples
    --------
    >>> import numpy as np
    >>> from surefit.stats import bootstrap_interval
    >>> x = np.random.default_rng(0).exponential(size=200)
    >>> found = bootstrap_interval(x, np.median)
    >>> bool(found.low < np.log(2) < found.high)
    True
    """
    take_share(level, "level")
    if method not in METHODS:
        raise InvalidParameter(f"method must be one of {', '.join(METHODS)}; got {method!r}")
    take_whole(n_resamples, "n_resamples")
    if not callable(statistic):
        raise InvalidParameter(f"statistic must be a function of the sample; got {statistic!r}")
    parts = tuple(np.asarray(part) for part in (x if isinstance(x, tuple) else (x,)))
    lengths = {len(part) if part.ndim else 0 for part in parts}
    if len(lengths) != 1 or min(lengths) < 2:
        raise InvalidData(f"a bootstrap needs at least two rows, and as many in each array; got {sorted(lengths)}")
    estimate = take_numbers(statistic(*parts), "what the statistic gives")
    if estimate.size != 1:
        raise InvalidData(f"the statistic must give one number; got the shape {estimate.shape}")
    options = {
        "confidence_level": level,
        "method": method,
        "n_resamples": n_resamples,
        SEED: random_stream(random_state),
    }
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore", stats.DegenerateDataWarning)
        if len(parts) == 1 and parts[0].ndim == 1 and _takes_axis(statistic):
            found = stats.bootstrap((sample_of(parts[0]),), statistic, vectorized=True, **options)
        else:
            rows = np.arange(min(lengths))
            found = stats.bootstrap(
                (rows,), lambda i: statistic(*(part[i] for part in parts)), vectorized=False, **options
            )
    low, high = (float(v) for v in found.confidence_interval)
    if not (np.isfinite(low) and np.isfinite(high)):
        raise InvalidData(
            f"{method} gives no interval: the statistic does not vary over the resamples; try 'percentile'"
        )
    return BootstrapInterval(
        float(estimate.reshape(())), low, high, float(found.standard_error), level, method, n_resamples
    )


def _takes_axis(statistic: Callable[..., Any]) -> bool:
    try:
        return "axis" in inspect.signature(statistic).parameters
    except (TypeError, ValueError):
        return False
