"""The shortest separator: the hard margin.

    B = min ‖θ‖  such that  aᵢ·θ ≥ 1  for every row                      (θ holds the intercept too)

The dual is the point nearest the origin of the convex hull of the rows, p = Σ λᵢ aᵢ with ‖p‖ = 1/B and θ = p/‖p‖². So
every λ ≥ 0 and every θ with positive margins prove

    Σλ / ‖Σ λᵢ aᵢ‖  ≤  B  ≤  ‖θ‖ / min aᵢ·θ .

Few rows have λ > 0. A working set of rows is solved (solvers/least_distance.py), the rows that its answer violates most
are let in, until the two bounds meet.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from surefit.solvers.margin.least_distance import FewRows
from surefit.solvers.margin.signed_rows import SignedRows

ROUNDS = 300
MOST_ROWS = 3000
"""Rows of the working set beyond which no answer is looked for."""
SMALL_SET = 64
"""Rows let in at a time, at least."""
MEET = 1e-9
"""Relative distance of the bounds at which they have met."""


class Shortest(NamedTuple):
    theta: np.ndarray
    length: float
    """B from above: ‖θ‖ where the smallest margin is 1."""
    lower: float
    """B from below."""
    support: np.ndarray
    """Rows with a multiplier."""
    multipliers: np.ndarray


def shortest_separator(rows: SignedRows, start: np.ndarray) -> Shortest | None:
    """From a θ whose margins are all positive; None where the bounds stay apart by more than rounding should leave."""
    margins = rows.margins(start)
    if not margins.min() > 0:
        return None
    unit = float(np.linalg.norm(start) / margins.min())
    few = max(2 * rows.width, SMALL_SET)
    work = _smallest(margins, few)
    guess = np.arange(len(work)) < rows.width
    best: Shortest | None = None
    for _ in range(ROUNDS):
        solved = FewRows(rows, work).shortest(guess, unit) if len(work) <= MOST_ROWS else None
        if solved is None:
            break
        theta, multipliers = solved
        binding = multipliers > 0
        margins = rows.margins(theta)
        least, hull = float(margins.min()), float(np.linalg.norm(rows.combined(work[binding], multipliers[binding])))
        if not 0 < hull < np.inf:
            break
        lower = float(multipliers.sum()) / hull
        if least > 0:
            upper = float(np.linalg.norm(theta)) / least
            if best is None or upper / lower < best.length / best.lower:
                best = Shortest(theta / least, upper, lower, work[binding], multipliers[binding])
            if best.length <= best.lower * (1 + MEET):
                return best
        violated = np.flatnonzero(margins < 1 - MEET / 4)
        new = violated[~np.isin(violated, work)]
        if not len(new):
            break
        if len(work) > 10 * few:
            work, binding = work[binding], binding[binding]
        new = new[_smallest(margins[new], few)]
        work, guess = np.append(work, new), np.append(binding, np.zeros(len(new), dtype=bool))
        unit = lower
    return best if best is not None and best.length <= best.lower * (1 + 10 * MEET) else None


def _smallest(values: np.ndarray, count: int) -> np.ndarray:
    """Where the smallest values are, at most `count`; of equal ones the first."""
    among = np.arange(len(values))
    if len(values) > 4 * count:
        among = np.flatnonzero(values <= np.partition(values, count - 1)[count - 1])
    return among[np.argsort(values[among], kind="stable")[:count]]
