"""How many rows a wanted accuracy asks for."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from surefit._core.data.plain_numbers import take_share
from surefit._core.errors import InvalidParameter
from surefit.theory.bounds import exponent, finite_deviation_bound, stochastic_error_bound, uniform_deviation_bound
from surefit.theory.dictionaries.dictionary import Dictionary

MOST_ROWS = 10**15
GOALS: dict[str, Callable[..., float]] = {
    "deviation": uniform_deviation_bound,
    "stochastic_error": stochastic_error_bound,
}


def sample_size(
    accuracy: float,
    *,
    confidence: float = 0.95,
    dictionary: Dictionary | float | None = None,
    goal: str = "deviation",
    n_models: int = 1,
) -> int:
    """The smallest n at which the bound is at most `accuracy`.

    Parameters
    ----------
    accuracy : float
        How far risk and empirical risk may be apart, or the stochastic error.
    confidence : float
        With which probability.
    dictionary : Dictionary or VC dimension, optional
        Of all the classifiers that may be chosen; None: `n_models` fixed classifiers on a test sample (Hoeffding).
    goal : "deviation" or "stochastic_error"
        With a dictionary: the bound that is to be met.

    Examples
    --------
    >>> from surefit.theory import HalfLines, sample_size
    >>> sample_size(0.02)  # test rows, for one model
    4612
    >>> sample_size(0.1, dictionary=HalfLines())
    10277
    """
    take_share(accuracy, "accuracy")
    exponent(confidence)
    if goal not in GOALS:
        raise InvalidParameter(f"goal must be one of {', '.join(GOALS)}; got {goal!r}")
    if dictionary is None:
        return _smallest(lambda n: finite_deviation_bound(n_models, n, confidence=confidence), accuracy)
    vc: Any = dictionary.vc_dimension if isinstance(dictionary, Dictionary) else dictionary
    if vc == math.inf:
        raise InvalidParameter("no number of rows is enough for a dictionary of infinite VC dimension")
    return _smallest(lambda n: GOALS[goal](dictionary, n, confidence=confidence), accuracy)


def _smallest(bound: Callable[[int], float], accuracy: float) -> int:
    """The bound falls with n: by doubling, and halving the interval."""
    high = 1
    while bound(high) > accuracy:
        high *= 2
        if high > MOST_ROWS:
            raise InvalidParameter(f"more than {MOST_ROWS:.0e} rows would be needed for an accuracy of {accuracy:g}")
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if bound(middle) > accuracy else (low, middle)
    return high
