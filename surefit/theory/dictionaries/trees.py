"""Decision trees of a given depth on numbers: every node asks xⱼ ≤ s, a leaf says yes or no.

Sₙ of depth D is at most

    T₀(n) = 2 ,   T_D(n) = T_{D−1}(n) + d Σ_{k=1}^{n−1} T_{D−1}(k) T_{D−1}(n − k)

for the first cut is at one of n − 1 places of one of d columns, with k points on one side, or cuts nothing off. For
depth 1 the products count both constants d(n − 1) times too often: T₁(n) = 2 + 2d(n − 1).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from surefit._core.data.plain_numbers import take_whole
from surefit.theory.dictionaries.dictionary import Dictionary

MOST_POINTS = 400
"""Beyond so many points the bound is T_D ≤ (1 + d(n − 1)) T_{D−1}², which costs nothing."""


@dataclass(frozen=True)
class Trees(Dictionary):
    """Trees of depth at most `depth` on `n_features` columns; depth 1 are decision stumps.

    The VC dimension of stumps is the largest m with C(m, ⌊m/2⌋) ≤ 2d (Gey 2018; Leboeuf, LeBlanc and Marchand 2020);
    of deeper trees `vc_dimension` is a bound: Sₙ < 2ⁿ for the next n.

    >>> from surefit.theory import Trees
    >>> Trees(1, 2).vc_dimension, Trees(1, 2).shattering(5)
    (3, 18)
    """

    depth: int
    n_features: int

    def __post_init__(self) -> None:
        take_whole(self.depth, "depth", 0)
        take_whole(self.n_features, "n_features")

    @property
    def vc_dimension(self) -> float:
        if self.depth == 0:
            return 1
        if self.depth == 1:
            return _stump_dimension(self.n_features)
        low, high = 1, 2  # Sₙ < 2ⁿ at `high` in the end
        while self.shattering(high) == 1 << high:
            low, high = high, 2 * high
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if self.shattering(middle) == 1 << middle else (low, middle)
        return low

    def shattering(self, n: int) -> int:
        n = take_whole(n, "n", 0)
        if n == 0:
            return 1
        if self.depth == 0:
            return 2
        if self.depth == 1:
            return min(1 << n, 2 + 2 * self.n_features * (n - 1))
        if n > MOST_POINTS:
            return _coarse(self.depth, self.n_features, n)
        counts = [min(1 << m, 2 + 2 * self.n_features * (m - 1)) if m else 1 for m in range(n + 1)]
        for _ in range(self.depth - 1):
            counts = [1] + [_first_cut(counts, m, self.n_features) for m in range(1, n + 1)]
        return counts[n]

    def realizes(self, X: NDArray[np.float64], labels: NDArray[np.bool_]) -> bool:
        return _grows(X, labels, self.depth)


def _first_cut(counts: list[int], n: int, d: int) -> int:
    return min(1 << n, counts[n] + d * sum(counts[k] * counts[n - k] for k in range(1, n)))


def _coarse(depth: int, d: int, n: int) -> int:
    """The simple bound, level by level."""
    count = 2 + 2 * d * (n - 1)
    for _ in range(depth - 1):
        count = min(1 << n, (1 + d * (n - 1)) * count * count)
    return min(1 << n, count)


def _stump_dimension(d: int) -> int:
    m = 1
    while math.comb(m + 1, (m + 1) // 2) <= 2 * d:
        m += 1
    return m


def _grows(X: NDArray[np.float64], labels: NDArray[np.bool_], depth: int) -> bool:
    """Whether a tree of this depth gives these labels."""
    if labels.all() or not labels.any():
        return True
    if depth == 0:
        return False
    for column in X.T:
        for s in np.unique(column)[:-1]:
            left = column <= s
            if _grows(X[left], labels[left], depth - 1) and _grows(X[~left], labels[~left], depth - 1):
                return True
    return False
