"""How far the risks of a whole dictionary may be from what the sample shows, whatever the distribution.

For n independent rows of any distribution, Δ = sup over h in H of |R(h) − R_n(h)|, 0–1 loss, and t > 0:

    E Δ ≤ 2 √(2 log(2 Sₙ) / n)                                               (expected_deviation_bound)
    Δ ≤ 2 √(2 log(2 Sₙ) / n) + √(t / 2n)         with probability 1 − e^−t    (uniform_deviation_bound)
    R(ĥ) − inf R ≤ 4 √(2 log(2 Sₙ) / n) + √(2t / n)   with probability 1 − e^−t    (stochastic_error_bound)

where ĥ minimizes the empirical risk. Symmetrization and the maximum of 2 Sₙ sub-Gaussian sums give the first,
McDiarmid's inequality (one row moves Δ by at most 1/n) the second, R(ĥ) − R(h) ≤ 2Δ the third. A bound of one or more
says nothing; none is cut off, so that its rate can be seen.
"""

from __future__ import annotations

import math
from numbers import Real

import numpy as np

from surefit._core.data.plain_numbers import take_share, take_whole
from surefit._core.errors import InvalidParameter
from surefit.theory.dictionaries.dictionary import Dictionary, sauer_bound


def expected_deviation_bound(dictionary: Dictionary | float, n: int) -> float:
    """What the expected largest deviation E Δ is at most; `dictionary` is one, or a VC dimension.

    >>> from surefit.theory import HalfLines, expected_deviation_bound
    >>> round(expected_deviation_bound(HalfLines(), 10_000), 4)
    0.089
    """
    return 2 * math.sqrt(2 * log_labelings(dictionary, n) / n)


def uniform_deviation_bound(dictionary: Dictionary | float, n: int, *, confidence: float = 0.95) -> float:
    """What the largest deviation Δ of risk and empirical risk is at most, with this probability."""
    return expected_deviation_bound(dictionary, n) + math.sqrt(exponent(confidence) / (2 * n))


def stochastic_error_bound(dictionary: Dictionary | float, n: int, *, confidence: float = 0.95) -> float:
    """By how much the minimizer of the empirical risk misses the best of its dictionary, at most.

    >>> from surefit.theory import HalfSpaces, stochastic_error_bound
    >>> round(stochastic_error_bound(HalfSpaces(2), 100_000), 3)
    0.095
    """
    return 2 * uniform_deviation_bound(dictionary, n, confidence=confidence)


def finite_deviation_bound(n_models: int, n: int, *, confidence: float = 0.95) -> float:
    """Δ of M classifiers fixed before the sample was seen: √(log(2M/δ) / 2n), by Hoeffding and the sum over models."""
    models, rows = take_whole(n_models, "n_models"), take_whole(n, "n")
    return math.sqrt((math.log(2 * models) + exponent(confidence)) / (2 * rows))


def log_labelings(dictionary: Dictionary | float, n: int) -> float:
    """log(2 Sₙ); Sₙ by Sauer's lemma where `dictionary` is a VC dimension."""
    n = take_whole(n, "n")
    if isinstance(dictionary, Dictionary):
        return math.log(2 * dictionary.shattering(n))
    if isinstance(dictionary, (bool, np.bool_)) or not isinstance(dictionary, Real):
        raise InvalidParameter(f"dictionary must be a Dictionary or a VC dimension; got {dictionary!r}")
    if dictionary >= n:
        return (n + 1) * math.log(2)
    return math.log(2 * sauer_bound(dictionary, n))


def exponent(confidence: float) -> float:
    """t with e^−t = 1 − confidence."""
    return -math.log1p(-take_share(confidence, "confidence"))
