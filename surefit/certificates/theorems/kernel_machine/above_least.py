"""The claim that a penalised sum of squares J is above its least value by a small share of that."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from surefit.certificates.claim import Claim, Grade, at_most

EXCUSED = 10.0  # times what storing the coefficients in the model's precision costs in J
MOST_EXCUSED = 0.1


def above_least(tol: float, high: float, least: float, shown: float, gap: float, storing: float, of_y: float) -> Claim:
    """J ≤ high, min J ≥ least, shown ≤ J − min J ≤ gap; of_y = Σωy²; storing: what rounding every coefficient costs."""
    detail = {"objective": high, "gap": gap, "lower_bound": max(0.0, least)}
    if high <= tol**2 * of_y or of_y == 0:  # a least value of rounding is nothing to compare with
        said = "The rows are fitted: the penalised sum of squares, relative to that of y."
        return at_most("optimal", said, Grade.OPTIMAL, high / (of_y or 1.0), tol**2, detail)
    value, excuse = (gap / least, min(MOST_EXCUSED, EXCUSED * storing / least)) if least > 0 else (np.inf, 0.0)
    lower = shown / (high - shown) if high > shown > 0 else 0.0
    said = f"The penalised sum of squares is above the least possible by a relative {lower:.1e} to {value:.1e}."
    remedy = f"{said} Fit again, with a larger alpha, scaled data or in float64."
    return at_most("optimal", said, Grade.OPTIMAL, value, tol, detail, excuse=excuse, lower=lower, failure=remedy)


def worst(claims: Iterable[Claim]) -> Claim:
    """That which fails, or is farthest off."""
    return max(claims, key=lambda claim: (not claim.holds, claim.value or 0.0))
