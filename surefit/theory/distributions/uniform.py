"""Points spread evenly over a box, with a chance η(x) of the second of two classes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefit._core.data.plain_numbers import take_numbers
from surefit._core.errors import InvalidData, InvalidParameter
from surefit.theory.distributions.distribution import BLOCK, BayesRisk, Distribution, named_classes

GRID = 4_000_000
"""Cells of the grid at most."""


class UniformDistribution(Distribution):
    """X uniform on the box [low, high], P(Y = 1 | X = x) = eta(x).   R* = E min(η(X), 1 − η(X)) .

    With `lipschitz`, |η(x) − η(z)| ≤ lipschitz · ‖x − z‖, the risk is enclosed by a grid: the mean over the centers of
    cells with sides h is off by at most lipschitz · √(Σ hⱼ² / 12), the root mean square distance from a center.

    Parameters
    ----------
    eta : callable
        Takes (n, d) points, gives (n,) chances.
    low, high : arrays of shape (d,)
    lipschitz : float, optional
    classes : list of two labels, optional

    Examples
    --------
    >>> from surefit.theory import UniformDistribution
    >>> ramp = UniformDistribution(lambda X: X[:, 0], [0.0], [1.0], lipschitz=1.0)
    >>> risk = ramp.bayes_risk()  # ¼
    >>> risk.low < 0.25 < risk.high, risk.high - risk.low < 1e-6
    (True, True)
    """

    def __init__(
        self,
        eta: Callable[[NDArray[np.float64]], Any],
        low: Any,
        high: Any,
        *,
        lipschitz: float | None = None,
        classes: Any = None,
    ) -> None:
        self.eta, self.lipschitz = eta, lipschitz
        self.low, self.high = np.atleast_1d(np.asarray(low, float)), np.atleast_1d(np.asarray(high, float))
        if not callable(eta):
            raise InvalidParameter(f"eta must be a function of points; got {eta!r}")
        if self.low.shape != self.high.shape or self.low.ndim != 1 or not np.isfinite(self.high - self.low).all():
            raise InvalidParameter("low and high must be finite, one number for each coordinate")
        if not (self.low < self.high).all():
            raise InvalidParameter("low must be below high in every coordinate")
        if lipschitz is not None and not 0 <= lipschitz < np.inf:
            raise InvalidParameter(f"lipschitz must be a number ≥ 0; got {lipschitz}")
        self.n_features = len(self.low)
        self.classes = named_classes(classes, 2)

    def posterior(self, X: Any) -> NDArray[np.float64]:
        rows = self.rows(X)
        chance = take_numbers(self.eta(rows), "what eta gives")
        if chance.shape != (len(rows),) or not ((chance >= 0) & (chance <= 1)).all():
            raise InvalidData(f"eta must give a number from 0 to 1 for each of {len(rows)} rows; got {chance!r:.60}")
        return np.stack([1 - chance, chance], axis=1)

    def points(self, n: int, rng: np.random.Generator) -> NDArray[np.float64]:
        return self.low + (self.high - self.low) * rng.random((n, self.n_features))

    def bayes_risk(self, **options: Any) -> BayesRisk:
        """By a grid where a Lipschitz constant is known, else from draws."""
        if self.lipschitz is None:
            return super().bayes_risk(**options)
        side = max(1, int(GRID ** (1 / self.n_features) + 1e-9))
        count, total = side**self.n_features, 0.0
        for first in range(0, count, BLOCK):
            cells = np.unravel_index(np.arange(first, min(first + BLOCK, count)), (side,) * self.n_features)
            X = self.low + (self.high - self.low) * (np.stack(cells, axis=1) + 0.5) / side
            total += float(self.posterior(X).min(axis=1).sum())
        mean = total / count
        off = self.lipschitz * float(np.sqrt(((self.high - self.low) ** 2).sum() / 12)) / side + 1e-12
        return BayesRisk(max(0.0, mean - off), min(0.5, mean + off), f"{count} cells")
