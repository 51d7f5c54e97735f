"""Coordinates that suit a solver: columns about a center and in units of their own, and the way back.

    x̃ = (x − center) · scale          ỹ = y − target          x̃·u + β + target = x·coef + intercept

Products with x̃ need not form it: coefficients and intercepts of x are those of (u, β), found here and nowhere else.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class Coordinates(NamedTuple):
    center: np.ndarray
    scale: np.ndarray
    """Positive; one where a column does not vary."""
    target: np.ndarray
    """What is subtracted from each target; zero for scores."""
    with_intercept: bool
    scaled: bool = True
    """Whether columns were brought to unit size; as they came if not."""

    def inner(self, coef: np.ndarray, intercept: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(u, β) of coefficients (targets, features) and intercepts in the user's coordinates."""
        beta = intercept - self.target + coef @ self.center if self.with_intercept else np.zeros(len(coef))
        return coef / self.scale, beta

    def outer(self, u: np.ndarray, beta: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Coefficients and intercepts of (u, β)."""
        coef = u * self.scale
        return coef, (self.target + beta - coef @ self.center if self.with_intercept else np.zeros(len(coef)))
