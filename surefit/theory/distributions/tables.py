"""Distributions that are tables: finitely many points, each with the chances of the classes."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefit._core.data.plain_numbers import take_numbers
from surefit._core.errors import InvalidData, InvalidParameter
from surefit.theory.distributions.distribution import BayesRisk, Distribution, named_classes


class TableDistribution(Distribution):
    """P(X = xᵢ, Y = k) = table[i, k].   R* = 1 − Σᵢ max_k table[i, k] .

    Examples
    --------
    >>> from surefit.theory import TableDistribution
    >>> coin = TableDistribution([[0.0], [1.0]], [[0.375, 0.125], [0.125, 0.375]])
    >>> print(coin.bayes_risk())
    Bayes risk in [0.25, 0.25] (sum)
    """

    def __init__(self, support: Any, table: Any, *, classes: Any = None) -> None:
        self.support, self.table = take_numbers(support, "support"), take_numbers(table, "table")
        if self.support.ndim != 2 or self.table.ndim != 2 or len(self.support) != len(self.table):
            raise InvalidParameter(
                "support must be (m, d) and table (m, classes), a row for each point; got "
                f"{self.support.shape} and {self.table.shape}"
            )
        if not np.isfinite(self.support).all() or len(np.unique(self.support, axis=0)) != len(self.support):
            raise InvalidParameter("support must hold different points of finite numbers")
        if not (self.table >= 0).all() or abs(math.fsum(self.table.ravel()) - 1) > 1e-9:
            raise InvalidParameter("table must hold chances ≥ 0 that add up to 1")
        self.n_features = self.support.shape[1]
        self.classes = named_classes(classes, self.table.shape[1])
        self.marginal = self.table.sum(axis=1)
        self._place = {row.tobytes(): i for i, row in enumerate(self.support + 0.0)}  # + 0.0: no negative zero

    def posterior(self, X: Any) -> NDArray[np.float64]:
        places = self.places(X)
        if not self.marginal[places].all():
            raise InvalidData("X has a point of chance zero: nothing is known of its class")
        return self.table[places] / self.marginal[places, None]

    def places(self, X: Any) -> NDArray[np.intp]:
        """Which point of the support each row is."""
        rows = self.rows(X) + 0.0
        found = [self._place.get(row.tobytes(), -1) for row in rows]
        if -1 in found:
            raise InvalidData(f"row {found.index(-1)} of X is no point of the support")
        return np.array(found, dtype=np.intp)

    def points(self, n: int, rng: np.random.Generator) -> NDArray[np.float64]:
        edges = self.marginal.cumsum()
        which = np.searchsorted(edges, rng.random(n) * edges[-1], side="right")
        return self.support[np.minimum(which, len(edges) - 1)]

    def bayes_risk(self, **options: Any) -> BayesRisk:
        """The sum, rounded once."""
        missed = np.sort(self.table, axis=1)[:, :-1]
        risk = math.fsum(missed.ravel())
        return BayesRisk(risk, risk, "sum")
