"""Which rows are among the nearest of each row, surely or maybe.

Row j is *surely* in the list of the k nearest others of i where fewer than k others can be as near: d + slack is below
the (k + 1)-th smallest d − slack; and *maybe* where d − slack is not above the k-th smallest d + slack. Ties within
rounding are left open.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.blocks import F64
from surefit.certificates.rounding import UNIT, gamma
from surefit.certificates.theorems.distances.all_rows import in_slices

Measure = Callable[[NDArray], tuple[F64, F64]]  # the distances of these rows to all rows, and their slack


def sq_distances(A: F64, B: F64, power: int = 2) -> F64:
    """Σⱼ|aⱼ − bⱼ|^power of all rows of A and B, by differences: right to a relative γ_{d+2}."""
    total = np.zeros((len(A), len(B)))
    for a, b in zip(A.T, B.T, strict=True):
        total += np.abs(a[:, None] - b) ** power
    return total


def euclidean(X: F64, unit: float) -> Measure:
    """Slack: models in a precision of this unit may form squares as ‖a‖² − 2a·b + ‖b‖², off by δ = γ_{d+8}(‖a‖ + ‖b‖)²,
    the distance by at most min(δ/D, √δ)."""
    d, size = X.shape[1], np.sqrt((X * X).sum(axis=1))

    def measure(rows: NDArray) -> tuple[F64, F64]:
        D = np.sqrt(sq_distances(X[rows], X))
        delta = gamma(d + 8) * (size[rows, None] + size) ** 2
        slack = np.minimum(delta / np.where(D > 0, D, 1e-300), np.sqrt(delta))
        return D, slack + (gamma(d + 8) + 16 * (UNIT + unit)) * D

    return measure


@dataclass(frozen=True)
class Neighborhoods:
    """Whose lists are looked at: the k nearest others, or all within a radius."""

    n: int
    measure: Measure
    k: int | None
    radius: float = 0.0

    def lists(self, rows: NDArray, cols: Any = slice(None)) -> tuple[NDArray, NDArray]:
        """Surely and maybe in the list of each of these rows, for the rows of cols; a row is not in its own list."""
        found = np.zeros((2, len(rows), np.arange(self.n)[cols].size), bool)
        for part in in_slices(len(rows), 4 * self.n):
            found[:, part] = self._some(rows[part])[:, :, cols]
        return found[0], found[1]

    def _some(self, rows: NDArray) -> NDArray:
        (D, slack), k = self.measure(rows), self.k
        others = rows[:, None] != np.arange(self.n)
        if k is None:
            sure, maybe = D + slack <= self.radius, D - slack <= self.radius
        else:
            D = np.where(others, D, np.inf)
            low = np.partition(D - slack, min(k, self.n - 1), axis=1)[:, min(k, self.n - 1), None]
            high = np.partition(D + slack, k - 1, axis=1)[:, k - 1, None] if k > 0 else -np.inf
            sure, maybe = D + slack < low, D - slack <= high
        return np.stack([sure & others, maybe & others])
