"""AdaBoost.R2 (Drucker 1997): boosting of regressors by resampling.

Round t: rows are drawn with replacement in proportion to their weights, and a member is fitted to what was drawn. With
rᵢ = |yᵢ − prediction| / max r over all rows, and the loss Lᵢ one of r, r², 1 − e^(−r):

    ε = Σ wᵢ Lᵢ,    β = ε / (1 − ε),    α = ν log(1/β),    w ← w β^(ν (1 − L)), then w ← w / Σw.

The answer is the median of the members' answers, weighted by α. A member with ε = 0 has α = 1 and is the last; one with
ε ≥ ½ is dropped (kept if it is the first, of weight 0) and ends the fit.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from surefit.solvers.boosting.row_weights import RowWeights

LOSSES: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "linear": lambda r: r,
    "square": lambda r: r**2,
    "exponential": lambda r: -np.expm1(-r),
}


class Round(NamedTuple):
    """One member: its mean loss and its weight α."""

    error: float
    weight: float


def boost_r2(
    learn: Callable[[int, np.ndarray], np.ndarray],
    y: np.ndarray,
    given: np.ndarray,
    loss: str,
    n_rounds: int,
    learning_rate: float,
    report: Callable[[list[Round]], bool],
) -> tuple[list[Round], int]:
    """(the rounds that count, the number of members to keep).

    `learn(t, w)` fits member t to a sample drawn with weights w, and gives its answers for all rows.
    """
    weights, rounds = RowWeights(given), list[Round]()
    for t in range(n_rounds):
        losses = LOSSES[loss](_relative_errors(y, learn(t, weights.shares)))
        error = float((weights.shares * losses).sum() / weights.shares.sum())
        if error >= 0.5:
            return rounds, max(1, t)
        weight = 1.0 if error <= 0 else learning_rate * float(np.log((1.0 - error) / error))
        rounds.append(Round(error, weight))
        if report(rounds) or error <= 0:
            break
        weights.lower(np.exp(-weight * (1.0 - losses)))
    return rounds, len(rounds)


def _relative_errors(y: np.ndarray, answers: np.ndarray) -> np.ndarray:
    errors = np.abs(np.asarray(answers, dtype=np.float64) - y)
    largest = errors.max()
    return errors / largest if largest > 0 else errors


def weighted_median(answers: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """For each row of (rows, members): the first answer, from below, up to which half of the weight is reached."""
    order = np.argsort(answers, axis=1, kind="stable")
    reached = np.cumsum(weights[order], axis=1)
    place = (reached >= 0.5 * reached[:, -1:]).argmax(axis=1)
    rows = np.arange(len(answers))
    return answers[rows, order[rows, place]]
