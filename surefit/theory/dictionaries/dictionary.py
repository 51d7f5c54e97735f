"""A dictionary: a set of classifiers that say yes or no, seen through the labelings of points it can give.

    labelings of x₁ … xₙ    {(h(x₁), …, h(xₙ)) : h in H}
    shattering coefficient  Sₙ(H) = the largest number of labelings that n points can get
    VC dimension            the largest d with S_d(H) = 2^d : some d points get every labeling

Sauer's lemma:  Sₙ(H) ≤ Σ_{k ≤ d} C(n, k) ≤ (n + 1)^d ,  which is 2ⁿ for n ≤ d and a polynomial beyond.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefit._core.data.plain_numbers import take_whole
from surefit._core.errors import InvalidData, InvalidParameter

MOST_LABELINGS = 200_000
"""Beyond so many labelings nothing is listed."""


class Dictionary(ABC):
    """A set of classifiers of points with `n_features` coordinates."""

    n_features: int

    @property
    @abstractmethod
    def vc_dimension(self) -> float:
        """The VC dimension, or the smallest bound of it that is known; math.inf where there is none."""

    @abstractmethod
    def realizes(self, X: NDArray[np.float64], labels: NDArray[np.bool_]) -> bool:
        """Whether some classifier says yes on the rows with a true label, and no on the others."""

    def shattering(self, n: int) -> int:
        """Sₙ, or a bound of it: here Sauer's."""
        return sauer_bound(self.vc_dimension, n)

    def labelings(self, X: Any) -> NDArray[np.bool_]:
        """Every labeling of the rows X that some classifier gives, (labelings, rows).

        A labeling of i + 1 rows restricts to one of the first i, so they are extended row by row: the work is
        proportional to the labelings there are, not to 2ⁿ.
        """
        points = self.points(X)
        found = [np.zeros(0, dtype=bool)]
        for i in range(len(points)):
            longer = [np.append(labels, side) for labels in found for side in (False, True)]
            found = [labels for labels in longer if self.realizes(points[: i + 1], labels)]
            refuse_too_many(len(found))
        return np.array(found, dtype=bool).reshape(len(found), len(points))

    def points(self, X: Any) -> NDArray[np.float64]:
        """X as (rows, n_features), checked; one column may be given as a list of numbers."""
        try:
            points = np.asarray(X, dtype=np.float64)
        except (TypeError, ValueError) as fault:
            raise InvalidData(f"points must be numbers; {fault}") from fault
        points = points[:, None] if points.ndim == 1 and self.n_features == 1 else points
        if points.ndim != 2 or points.shape[1] != self.n_features:
            raise InvalidData(
                f"{type(self).__name__} labels points with {self.n_features} coordinates, an array of shape "
                f"(n, {self.n_features}); got {points.shape}"
            )
        if not np.isfinite(points).all():
            row, column = np.argwhere(~np.isfinite(points))[0]
            raise InvalidData(f"row {row}, column {column} of the points is {points[row, column]}")
        return points


def shattering_count(dictionary: Dictionary, X: Any) -> int:
    """How many labelings of these points the dictionary gives, counted one by one.

    >>> from surefit.theory import Intervals, shattering_count
    >>> shattering_count(Intervals(), [1.0, 2.0, 3.0])  # all but yes, no, yes
    7
    """
    return len(dictionary.labelings(X))


def is_shattered(dictionary: Dictionary, X: Any) -> bool:
    """Whether the points get every one of the 2ⁿ labelings."""
    return shattering_count(dictionary, X) == 2 ** len(dictionary.points(X))


def sauer_bound(vc_dimension: float, n: int) -> int:
    """Σ_{k ≤ d} C(n, k), the most labelings of n points by a set of VC dimension d; 2ⁿ for an infinite one.

    >>> sauer_bound(2, 3), sauer_bound(2, 100)
    (7, 5051)
    """
    n = take_whole(n, "n", 0)
    if not (vc_dimension >= 0 and (vc_dimension == math.inf or float(vc_dimension).is_integer())):
        raise InvalidParameter(f"vc_dimension must be a whole number ≥ 0, or inf; got {vc_dimension}")
    if vc_dimension >= n:
        return 1 << n
    total = term = 1
    for k in range(1, int(vc_dimension) + 1):
        term = term * (n - k + 1) // k
        total += term
    return total


def refuse_too_many(count: int) -> None:
    if count > MOST_LABELINGS:
        raise InvalidData(
            f"these points have more than {MOST_LABELINGS} labelings: count fewer points, or take the bound of "
            "`shattering(n)`"
        )
