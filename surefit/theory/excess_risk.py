"""How much more a classifier misses than the best one, R(h) − R* = E[max_k η_k(X) − η_{h(X)}(X)] .

For two classes this is E[2 |η(X) − ½| · 1{h(X) ≠ h*(X)}]: only where h and the Bayes classifier differ is anything
lost. Points are drawn, labels are not: the chances at each point are known, which takes most of the noise away.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefit._core.data.plain_numbers import take_whole
from surefit._core.errors import InvalidData, InvalidParameter
from surefit._core.random import RandomStateLike, random_stream
from surefit.theory.distributions.distribution import BLOCK, Distribution
from surefit.theory.distributions.tables import TableDistribution
from surefit.theory.risk_interval import risk_interval


@dataclass(frozen=True)
class ExcessRisk:
    """R(h) − R*, where it lies, and how often h says something else than the Bayes classifier."""

    estimate: float
    low: float
    high: float
    disagreement: float
    confidence: float
    method: str

    def __str__(self) -> str:
        sure = "" if self.confidence == 1 else f", {self.confidence:.0%}"
        return f"excess risk {self.estimate:.4g} in [{self.low:.4g}, {self.high:.4g}] ({self.method}{sure})"


def excess_risk(
    model: Any,
    distribution: Distribution,
    *,
    n_draws: int = 100_000,
    confidence: float = 0.95,
    random_state: RandomStateLike = 0,
) -> ExcessRisk:
    """The excess risk of a fitted classifier (or a function of X that gives labels) under a known distribution.

    Exact for a `TableDistribution`; else from `n_draws` points, with an interval by the empirical Bernstein inequality.

    Examples
    --------
    >>> from surefit.theory import TableDistribution, excess_risk
    >>> coin = TableDistribution([[0.0], [1.0]], [[0.375, 0.125], [0.125, 0.375]])
    >>> excess_risk(lambda X: [0] * len(X), coin).estimate
    0.25
    """
    if not isinstance(distribution, Distribution):
        raise InvalidParameter(f"distribution must be one of surefit.theory; got {distribution!r}")
    if isinstance(distribution, TableDistribution):
        on = distribution.marginal > 0
        lost, differs = losses_against_bayes(model, distribution, distribution.support[on])
        mass = distribution.marginal[on] / distribution.marginal.sum()
        value = float(mass @ lost)
        return ExcessRisk(value, value, value, float(mass @ differs), 1.0, "sum")
    rng, parts = random_stream(random_state), []
    for first in range(0, take_whole(n_draws, "n_draws", 2), BLOCK):
        X = distribution.points(min(BLOCK, n_draws - first), rng)
        parts.append(losses_against_bayes(model, distribution, X))
    lost = np.concatenate([part[0] for part in parts])
    differs = np.concatenate([part[1] for part in parts])
    found = risk_interval(lost, method="empirical-bernstein", confidence=confidence)
    return ExcessRisk(found.estimate, found.low, found.high, float(differs.mean()), confidence, f"{n_draws} draws")


def losses_against_bayes(
    model: Any, distribution: Distribution, X: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """At each point what the model loses against the Bayes classifier, and whether it says something else."""
    chances = distribution.posterior(X)
    says = np.asarray(model.predict(X) if hasattr(model, "predict") else model(X))
    if says.shape != (len(X),):
        raise InvalidData(f"the model must give one label for each of {len(X)} rows; got the shape {says.shape}")
    place = {label: k for k, label in enumerate(distribution.classes.tolist())}
    chosen = np.array([place.get(label, -1) for label in says.tolist()])
    if (chosen < 0).any():
        stray = says[int(np.flatnonzero(chosen < 0)[0])]
        raise InvalidData(f"the model says {stray!r}, which is none of the classes {distribution.classes.tolist()}")
    best = chances.max(axis=1)
    return np.clip(best - chances[np.arange(len(X)), chosen], 0.0, 1.0), chosen != chances.argmax(axis=1)
