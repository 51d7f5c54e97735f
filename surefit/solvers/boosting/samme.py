"""SAMME (Zhu, Zou, Rosset, Hastie 2009): AdaBoost of classifiers, for any number of classes K.

Round t: a member is fitted to the weighted rows; with ε the share of the weight that it gets wrong,

    α = ν (log((1 − ε) / ε) + log(K − 1)),        w ← w e^α where it is wrong, then w ← w / Σw,

and the class with the largest Σ_t α_t [member t says it] wins. A member with ε = 0 has α = 1 and is the last; one that
is no better than chance (ε ≥ 1 − 1/K, to within rounding) is dropped and ends the fit.

For two classes, with F = ½ Σ α h and h = ±1: the share of rows wrong ≤ mean of e^(−yF) = Π Z_t, with
Z_t = ε e^(α/2) + (1 − ε) e^(−α/2), which is 2 √(ε (1 − ε)) for ν = 1. This holds for any weights of the members.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from surefit.solvers.boosting.row_weights import RowWeights

NEAR_CHANCE = 1e-12


class Round(NamedTuple):
    """One member: its share of weight wrong, its weight α, and the bound Z of the round (two classes)."""

    error: float
    weight: float
    factor: float


class WorseThanChance(ValueError):
    """The first member is no better than guessing."""


def samme(
    learn: Callable[[int, np.ndarray], np.ndarray],
    given: np.ndarray,
    n_classes: int,
    n_rounds: int,
    learning_rate: float,
    report: Callable[[list[Round]], bool],
) -> list[Round]:
    """The rounds of the members that are kept.

    `learn(t, w)` fits member t to rows of weights w and says which rows it gets wrong; `report` is told after each
    round, and stops the fit by True.
    """
    weights, rounds = RowWeights(given), list[Round]()
    for t in range(n_rounds):
        wrong = learn(t, weights.shares)
        error = float((weights.shares * wrong).sum() / weights.shares.sum())
        if error >= 1.0 - 1.0 / n_classes - NEAR_CHANCE and n_classes > 1:
            if not rounds:
                raise WorseThanChance(
                    f"the first member gets {error:.3g} of the weight wrong; chance {1 - 1 / n_classes:.3g}"
                )
            break
        weight = 1.0 if error <= 0 else member_weight(error, n_classes, learning_rate)
        rounds.append(Round(error, weight, bound_factor(error, weight)))
        if report(rounds) or error <= 0:
            break
        weights.lower(np.where(wrong, 1.0, np.exp(-weight)))
    return rounds


def member_weight(error: float, n_classes: int, learning_rate: float) -> float:
    """α, for 0 < ε < 1 − 1/K."""
    return learning_rate * float(np.log((1.0 - error) / error) + np.log(n_classes - 1.0))


def bound_factor(error: float, weight: float) -> float:
    """Z, by which the bound of the training error of two classes falls in a round."""
    return float(error * np.exp(weight / 2) + (1.0 - error) * np.exp(-weight / 2))
