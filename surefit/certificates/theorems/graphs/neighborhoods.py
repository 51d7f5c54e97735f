"""Which rows are among the nearest of each row, surely or maybe.

Row j is *surely* in the list of the k nearest others of i where fewer than k others can be as near: d + slack is below
the (k + 1)-th smallest d − slack; and *maybe* where d − slack is not above the k-th smallest d + slack. Ties within
rounding are left open.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.blocks import F64, BadData
from surefit.certificates.rounding import UNIT, gamma
from surefit.certificates.theorems.graphs.distances import Metric


@dataclass(frozen=True)
class Neighborhoods:
    """Whose lists are looked at: the k nearest others, or all within a radius."""

    X: F64
    k: int | None
    radius: float
    metric: Metric
    unit: float  # of the precision in which X was given

    def lists(self, rows: NDArray) -> tuple[NDArray, NDArray]:
        """Surely and maybe in the list of each of these rows, for all rows; a row is not in its own list."""
        n, d = self.X.shape
        everyone = np.arange(n)
        D2, error = self.metric.squares(self.X[rows], self.X, everyone)
        most = float(D2.max(initial=0.0))
        if not most < 1e290 or (most < 1e-280 and np.ptp(self.X, axis=0).any()):
            raise BadData("squared distances overflow or underflow")
        if self.metric.power == 2:  # models may form squares as ‖a‖² − 2a·b + ‖b‖²
            size = np.sqrt((self.X * self.X).sum(axis=1))
            error = error + gamma(d + 8) * (size[rows, None] + size) ** 2
        slack = error + 16 * (UNIT + self.unit) * D2
        own = (np.arange(len(rows)), rows)
        D2[own] = np.inf
        if self.k is None:
            sure, maybe = D2 + slack <= self.radius**2, D2 - slack <= self.radius**2
        elif self.k < 1:
            sure = maybe = np.zeros(D2.shape, bool)
        else:
            low = np.partition(D2 - slack, min(self.k, n - 1), axis=1)[:, min(self.k, n - 1), None]
            high = np.partition(D2 + slack, self.k - 1, axis=1)[:, self.k - 1, None]
            sure, maybe = D2 + slack < low, D2 - slack <= high
        sure[own] = maybe[own] = False
        return sure, maybe
