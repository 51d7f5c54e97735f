"""The weights of the rows in AdaBoost: shares that add up to one, lowered where a round was right.

Raising the weights of wrong rows by e^α and dividing by the sum is the same as lowering those of right rows by e^−α and
dividing by the sum, which cannot overflow. No weight falls below a rounding error of what the row was given (EPS times
its weight, as long as weights count rows), so that every row can come back.
"""

from __future__ import annotations

import numpy as np

EPS = float(np.finfo(np.float64).eps)
MOST_ROWS = 1e9
"""The largest sum of weights that is read as a number of rows."""


class RowWeights:
    """`shares`: the weights now. `lower(factors)`: multiply them (0 ≤ factor ≤ 1) and divide by their sum."""

    def __init__(self, given: np.ndarray) -> None:
        relative = given / given.max()
        self.shares = relative / relative.sum()
        with np.errstate(over="ignore"):
            count = float(np.clip(given.sum(), 1.0, MOST_ROWS))
        self._least = EPS * count * self.shares

    def lower(self, factors: np.ndarray) -> None:
        lowered = self.shares * factors
        total = lowered.sum()
        if total > 0:
            self.shares = np.maximum(lowered / total, self._least)
