"""Half-spaces: linear classifiers. Their labelings are the separations by a hyperplane.

Cover's theorem: n points of R^d in general position (no d + 1 of them on a hyperplane) have exactly

    C(n, d) = 2 Σ_{k ≤ d} C(n − 1, k)

separations, and no n points have more. Through the origin (no d of them dependent) it is C(n, d − 1).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefit._core.data.plain_numbers import take_whole
from surefit.theory.dictionaries.circuits import Circuit, circuits
from surefit.theory.dictionaries.dictionary import Dictionary, refuse_too_many


@dataclass(frozen=True)
class HalfSpaces(Dictionary):
    """w·x + b > 0, or w·x > 0 where `fit_intercept` is false.   VC dimension d + 1, or d.

    With an intercept Sₙ is Cover's number. Through the origin w = 0 and points on the hyperplane add labelings that
    Cover does not count: `shattering` is then Sauer's bound, and `labelings` lists the separations proper, with no
    point on the hyperplane. They are found in exact arithmetic.

    >>> from surefit.theory import HalfSpaces, shattering_count
    >>> shattering_count(HalfSpaces(2), [[0, 0], [1, 0], [0, 1], [1, 1]])  # all but the two of XOR
    14
    >>> HalfSpaces(2).shattering(4)
    14
    """

    n_features: int
    fit_intercept: bool = True

    def __post_init__(self) -> None:
        take_whole(self.n_features, "n_features")

    @property
    def vc_dimension(self) -> float:
        return self.n_features + bool(self.fit_intercept)

    def shattering(self, n: int) -> int:
        return cover_count(n, self.n_features) if self.fit_intercept else super().shattering(n)

    def realizes(self, X: NDArray[np.float64], labels: NDArray[np.bool_]) -> bool:
        return not any(_contradicts(circuit, labels[None])[0] for circuit in circuits(X, self.fit_intercept))

    def labelings(self, X: Any) -> NDArray[np.bool_]:
        points = self.points(X)
        ending: list[list[Circuit]] = [[] for _ in points]
        for circuit in circuits(points, self.fit_intercept):
            ending[circuit.places[-1]].append(circuit)
        found = np.zeros((1, 0), dtype=bool)
        for here in ending:
            sides = np.repeat([False, True], len(found))[:, None]
            found = np.hstack([np.concatenate([found, found]), sides])
            for circuit in here:
                found = found[~_contradicts(circuit, found)]
            refuse_too_many(len(found))
        return found


def cover_count(n: int, n_features: int, *, fit_intercept: bool = True) -> int:
    """The number of separations of n points in general position by a hyperplane (Cover 1965).

    >>> cover_count(4, 2), cover_count(4, 2, fit_intercept=False)
    (14, 8)
    """
    n, d = take_whole(n, "n", 0), take_whole(n_features, "n_features") - (not fit_intercept)
    return 2 * sum(math.comb(n - 1, k) for k in range(min(d, n - 1) + 1)) if n else 1


def _contradicts(circuit: Circuit, labelings: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Which labelings are the signs of the circuit, or their opposites."""
    equal = labelings[:, circuit.places] == circuit.signs
    return equal.all(axis=1) | ~equal.any(axis=1)
