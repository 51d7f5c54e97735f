"""The circuits of a set of points: what forbids a labeling by half-spaces, in exact arithmetic.

A circuit is a smallest set T of points with a dependency  Σ λᵢ x̃ᵢ = 0 , all λᵢ ≠ 0 ; x̃ = (x, 1) for hyperplanes
anywhere, x̃ = x for those through the origin. A labeling σ = ±1 is a separation exactly where on no circuit σ is the
sign of λ or its opposite:

    σᵢ w·x̃ᵢ > 0 for all i is impossible  ⟺  Σ φᵢ σᵢ x̃ᵢ = 0 for some φ ≥ 0, φ ≠ 0   (Gordan)
                                          ⟺  so with φ of smallest support (Carathéodory), where φᵢσᵢ = ± λᵢ .

With an intercept these are Radon's partitions of d + 2 points or fewer (Kirchberger). Coordinates are floating-point
numbers, so whole numbers times a power of two, and elimination in whole numbers rounds nothing.
"""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from surefit._core.errors import InvalidData

MOST_SETS = 200_000
"""Sets of points that are looked at, at most."""


class Circuit(NamedTuple):
    places: NDArray[np.intp]  # in rising order
    signs: NDArray[np.bool_]  # of λ


def circuits(X: NDArray[np.float64], fit_intercept: bool) -> list[Circuit]:
    """All circuits of the rows."""
    n, width = len(X), X.shape[1] + fit_intercept
    sizes = range(1, min(n, width + 1) + 1)
    count = sum(math.comb(n, size) for size in sizes)
    if count > MOST_SETS:
        raise InvalidData(
            f"separations of {n} points with {X.shape[1]} coordinates are found from {count} sets of points, more than "
            f"{MOST_SETS}: count fewer points, or take the bound of `shattering(n)`"
        )
    rows = [_whole_numbers([*x, 1.0] if fit_intercept else x) for x in X.tolist()]
    found = []
    for size in sizes:
        for places in combinations(range(n), size):
            signs = _dependency_signs([rows[i] for i in places])
            if signs is not None:
                found.append(Circuit(np.array(places), np.array(signs)))
    return found


def _whole_numbers(values: list[float]) -> list[int]:
    """A positive multiple of the row in whole numbers: it has the same sides and circuits."""
    exact = [Fraction(value) for value in values]
    unit = math.lcm(*(value.denominator for value in exact))
    return [int(value * unit) for value in exact]


def _dependency_signs(rows: list[list[int]]) -> list[bool] | None:
    """The signs of λ with Σ λᵢ rowᵢ = 0 where λ is unique up to scale and nowhere zero, else None.

    The first m − 1 rows must be independent: then λ has the last row's coordinates in them, and 1 (times −1) for it.
    """
    m, width = len(rows), len(rows[0])
    columns = [[row[j] for row in rows] for j in range(width)]  # equations in λ
    pivots = 0
    for i in range(m - 1):
        at = next((r for r in range(pivots, width) if columns[r][i]), None)
        if at is None:
            return None
        columns[pivots], columns[at] = columns[at], columns[pivots]
        top = columns[pivots]
        for r in range(width):
            if r != pivots and columns[r][i]:
                factor, lead = columns[r][i], top[i]
                columns[r] = [lead * a - factor * b for a, b in zip(columns[r], top, strict=True)]
        pivots += 1
    if any(columns[r][-1] for r in range(pivots, width)):
        return None  # independent rows
    # equation i reads  dᵢ λᵢ + eᵢ λ_m = 0 ; with λ_m = −1 the sign of λᵢ is that of dᵢ eᵢ
    products = [columns[i][i] * columns[i][-1] for i in range(m - 1)]
    return None if not all(products) else [*(p > 0 for p in products), False]
