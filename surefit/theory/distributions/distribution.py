"""A known distribution of points and classes, and what the best classifier of it misses.

With η_k(x) = P(Y = k | X = x) the Bayes classifier says the class of the largest η_k(x). No classifier has a smaller
risk than its, R* = E[1 − max_k η_k(X)].
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefit._core.data.plain_numbers import take_numbers, take_whole
from surefit._core.errors import InvalidData, InvalidParameter
from surefit._core.random import RandomStateLike, random_stream
from surefit.theory.risk_interval import risk_interval

BLOCK = 50_000
"""Points drawn at a time."""
LARGEST = 1e150
"""Numbers whose squares are numbers."""


@dataclass(frozen=True)
class BayesRisk:
    """Where the Bayes risk lies: certainly ("closed form", "sum", "cells"), or with a confidence ("draws")."""

    low: float
    high: float
    method: str
    confidence: float = 1.0

    @property
    def value(self) -> float:
        """The middle of the interval."""
        return (self.low + self.high) / 2

    def __str__(self) -> str:
        sure = "" if self.confidence == 1 else f", {self.confidence:.0%}"
        return f"Bayes risk in [{self.low:.10g}, {self.high:.10g}] ({self.method}{sure})"


class Distribution(ABC):
    """Points in R^n_features with one of `classes`."""

    n_features: int
    classes: NDArray[Any]

    @abstractmethod
    def points(self, n: int, rng: np.random.Generator) -> NDArray[np.float64]:
        """n points of the marginal distribution of X."""

    @abstractmethod
    def posterior(self, X: Any) -> NDArray[np.float64]:
        """(n, classes): the chance of each class at each point."""

    def sample(self, n: int, random_state: RandomStateLike = 0) -> tuple[NDArray[np.float64], NDArray[Any]]:
        """n independent rows (X, y)."""
        n, rng = take_whole(n, "n"), random_stream(random_state)
        X = self.points(n, rng)
        chances = self.posterior(X).cumsum(axis=1)
        places = (rng.random(n)[:, None] * chances[:, -1:] >= chances).sum(axis=1)
        return X, self.classes[np.minimum(places, len(self.classes) - 1)]

    def bayes_risk(
        self, *, n_draws: int = 200_000, confidence: float = 0.99, random_state: RandomStateLike = 0
    ) -> BayesRisk:
        """The least risk of any classifier; from draws of X where nothing better is known (empirical Bernstein)."""
        n_draws, rng = take_whole(n_draws, "n_draws", 2), random_stream(random_state)
        losses = []
        for first in range(0, n_draws, BLOCK):
            X = self.points(min(BLOCK, n_draws - first), rng)
            losses.append(1 - self.posterior(X).max(axis=1))
        missed = np.clip(np.concatenate(losses), 0.0, 1.0)
        most = 1 - 1 / len(self.classes)
        found = risk_interval(
            np.minimum(missed, most), method="empirical-bernstein", confidence=confidence, bounds=(0.0, most)
        )
        return BayesRisk(found.low, found.high, f"{n_draws} draws", confidence)

    def rows(self, X: Any) -> NDArray[np.float64]:
        """X as rows of finite numbers, of the right width."""
        try:
            rows = np.asarray(X, dtype=np.float64)
        except (TypeError, ValueError) as fault:
            raise InvalidData(f"X must hold numbers; {fault}") from fault
        if rows.ndim != 2 or rows.shape[1] != self.n_features:
            raise InvalidData(f"X must be an array of shape (n, {self.n_features}); got {rows.shape}")
        if not (np.abs(rows) < LARGEST).all():
            row, column = np.argwhere(~(np.abs(rows) < LARGEST))[0]
            raise InvalidData(
                f"row {row}, column {column} of X is {rows[row, column]}; numbers must be below {LARGEST:g}"
            )
        return rows


def named_classes(classes: Any, count: int) -> NDArray[Any]:
    """The labels, 0 … K − 1 where none are given."""
    if count < 2:
        raise InvalidParameter(f"a distribution has at least two classes; got {count}")
    names = np.arange(count) if classes is None else np.asarray(classes)
    if names.shape != (count,) or len(np.unique(names)) != count:
        raise InvalidParameter(f"classes must be {count} different labels; got {classes!r}")
    return names


def chances(values: Any, count: int, name: str) -> NDArray[np.float64]:
    """`count` numbers ≥ 0 that add up to one; equal ones for None."""
    if values is None:
        return np.full(count, 1 / count)
    given = take_numbers(values, name)
    if given.shape != (count,) or not (given >= 0).all() or abs(given.sum() - 1) > 1e-9:
        raise InvalidParameter(f"{name} must be {count} numbers ≥ 0 that add up to 1; got {values!r}")
    return given / given.sum()
