"""What every solver of this folder is asked for and gives back."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

AfterStep = Callable[[np.ndarray, float, float], bool]
"""(w then b, value, gap) after every step; True ends the fit."""


class Solution(NamedTuple):
    coef: np.ndarray
    intercept: float | np.ndarray
    value: float
    gap: float
    """A bound for value − minimum, right in exact arithmetic."""
    n_iter: int
    history: list[float]
    """The value before the first iteration and after each."""

    @property
    def rel_gap(self) -> float:
        return self.gap / self.value if self.value > 0 else 0.0
