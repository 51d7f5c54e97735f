"""Dictionaries on the line: half-lines, and unions of intervals."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from surefit._core.data.plain_numbers import take_whole
from surefit.theory.dictionaries.dictionary import Dictionary


@dataclass(frozen=True)
class HalfLines(Dictionary):
    """x ≤ a; with `both_sides` also x ≥ a.   Sₙ = n + 1, or 2n;   VC dimension 1, or 2.

    >>> from surefit.theory import HalfLines
    >>> HalfLines().shattering(10), HalfLines(both_sides=True).shattering(10)
    (11, 20)
    """

    both_sides: bool = False
    n_features = 1

    @property
    def vc_dimension(self) -> float:
        return 2 if self.both_sides else 1

    def shattering(self, n: int) -> int:
        n = take_whole(n, "n", 0)
        return max(1, 2 * n) if self.both_sides else n + 1

    def realizes(self, X: NDArray[np.float64], labels: NDArray[np.bool_]) -> bool:
        """Yes up to some point, no behind it; equal points are labeled alike."""
        if not labels.any() or labels.all():
            return True
        yes, no = X[labels, 0], X[~labels, 0]
        return bool(yes.max() < no.min() or (self.both_sides and no.max() < yes.min()))


@dataclass(frozen=True)
class Intervals(Dictionary):
    """x in a union of at most `most` intervals.   Sₙ = Σ_{j ≤ most} C(n + 1, 2j) ;   VC dimension 2 · most.

    Labelings are runs of yes: j runs among n points end at 2j of n + 1 gaps. This is Sauer's bound, reached.

    >>> from surefit.theory import Intervals
    >>> Intervals().shattering(10), Intervals(2).vc_dimension
    (56, 4)
    """

    most: int = 1
    n_features = 1

    def __post_init__(self) -> None:
        take_whole(self.most, "most")

    @property
    def vc_dimension(self) -> float:
        return 2 * self.most

    def shattering(self, n: int) -> int:
        n = take_whole(n, "n", 0)
        return sum(math.comb(n + 1, 2 * j) for j in range(self.most + 1))

    def realizes(self, X: NDArray[np.float64], labels: NDArray[np.bool_]) -> bool:
        values, place = np.unique(X[:, 0], return_inverse=True)
        shares = np.bincount(place, weights=labels, minlength=len(values)) / np.bincount(place, minlength=len(values))
        if np.isin(shares, (0.0, 1.0)).all():
            return int(np.count_nonzero(np.diff(np.append(0.0, shares)) > 0)) <= self.most
        return False
