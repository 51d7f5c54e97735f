"""The claim that a penalised sum of squares J is above its least value by a small share of that."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from surefit.certificates.claim import Claim, Grade, at_most

EXCUSED = 10.0  # times what storing the coefficients in the model's precision costs in J
MOST_EXCUSED = 0.1


class Distance(NamedTuple):
    """J ≤ high, min J ≥ least, shown ≤ J − min J ≤ gap."""

    high: float
    least: float
    shown: float
    gap: float
    storing: float  # what a rounding of every coefficient costs in J
    of_y: float  # Σωy²


def above_least(d: Distance, tol: float) -> Claim:
    detail = {"objective": d.high, "gap": d.gap, "lower_bound": max(0.0, d.least)}
    if d.high <= tol**2 * d.of_y or d.of_y == 0:  # a least value of rounding is nothing to compare with
        said = "The rows are fitted: the penalised sum of squares, relative to that of y."
        return at_most("optimal", said, Grade.OPTIMAL, d.high / (d.of_y or 1.0), tol**2, detail)
    value, excuse = (d.gap / d.least, EXCUSED * d.storing / d.least) if d.least > 0 else (np.inf, 0.0)
    lower = d.shown / (d.high - d.shown) if d.high > d.shown > 0 else 0.0
    said = f"The penalised sum of squares is above the least possible by a relative {lower:.1e} to {value:.1e}"
    failure = f"{said}: fit again, with a larger alpha, scaled data or in float64."
    excuse = min(MOST_EXCUSED, excuse)
    return at_most(
        "optimal", f"{said}.", Grade.OPTIMAL, value, tol, detail, excuse=excuse, lower=lower, failure=failure
    )


def worst(claims: Iterable[Claim]) -> Claim:
    """That which fails, or is farthest off."""
    return max(claims, key=lambda claim: (not claim.holds, claim.value or 0.0))
