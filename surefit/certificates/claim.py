"""A claim: one statement about a fitted model, the number recomputed for it, and the verdict."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any


class Grade(StrEnum):
    """What kind of truth a claim states. Grades never flatter."""

    OPTIMAL = "OPTIMAL"
    """Within a proved distance of the global optimum."""
    EXACT = "EXACT"
    """The object is the one defined, up to rounding."""
    FIXED_POINT = "FIXED_POINT"
    """One more step changes nothing."""
    STATIONARY = "STATIONARY"
    """The gradient is below a stated norm."""
    GREEDY = "GREEDY"
    """Each choice was the best on offer."""
    BOUNDED = "BOUNDED"
    """An approximation with an error bound computed afterwards."""
    NO_SOLUTION = "NO_SOLUTION"
    """No minimiser exists, with the ray that proves it."""
    STATISTICAL = "STATISTICAL"
    """Holds with a stated probability under listed assumptions."""
    UNPROVED = "UNPROVED"
    """Could not be decided, and why."""
    NOT_OPTIMAL = "NOT_OPTIMAL"
    """Proved to be off, by at least the number given."""


# From the strongest statement to the weakest: a certificate is as strong as its weakest claim.
STRENGTH: tuple[Grade, ...] = (
    Grade.EXACT,
    Grade.NO_SOLUTION,
    Grade.OPTIMAL,
    Grade.BOUNDED,
    Grade.FIXED_POINT,
    Grade.STATIONARY,
    Grade.GREEDY,
    Grade.STATISTICAL,
    Grade.UNPROVED,
    Grade.NOT_OPTIMAL,
)


@dataclass(frozen=True)
class Claim:
    """One statement, recomputed.

    name      a short identifier, the same for every model of the class
    sentence  what is stated, in the user's words; for a claim that fails, what is wrong and what to do
    grade     the kind of truth stated; NOT_OPTIMAL or UNPROVED where it fails
    value     an upper bound of the quantity in exact arithmetic, the checker's own rounding added; None without one
    limit     what `value` may be; None for information
    excuse    what the roundings of the model's own precision add to the limit
    holds     the verdict
    detail    further plain numbers (interval ends, counts)
    """

    name: str
    sentence: str
    grade: Grade
    value: float | None
    limit: float | None
    holds: bool
    detail: dict[str, Any] = field(default_factory=dict)
    excuse: float = 0.0

    @property
    def informs(self) -> bool:
        """True for a claim that reports a number without a limit (a condition number, an interval)."""
        return self.limit is None and self.holds


def at_most(
    name: str,
    sentence: str,
    grade: Grade,
    value: float,
    limit: float,
    detail: dict[str, Any] | None = None,
    *,
    error: float = 0.0,
    excuse: float = 0.0,
    lower: float | None = None,
    failure: str | None = None,
) -> Claim:
    """The claim that a quantity q is at most `limit`. NaN anywhere fails.

    q ≤ value + error in exact arithmetic, and that sum is what is printed. q ≥ lower, by default value − error: a
    quantity that is only bounded from above has `lower=0`. The claim
      holds            where value + error ≤ limit + excuse, as BOUNDED only where it needs an excuse above the limit;
      is NOT_OPTIMAL   where lower > limit + excuse: q is proved to be too large;
      is UNPROVED      in between.
    `failure` is the sentence for a claim that does not hold.
    """
    upper, limit, excuse = float(value) + float(error), float(limit), float(excuse)
    lower = float(value) - float(error) if lower is None else float(lower)
    holds = bool(upper <= limit + excuse)
    if holds:
        grade = grade if upper <= limit or excuse <= limit else Grade.BOUNDED
    else:
        grade = Grade.NOT_OPTIMAL if lower > limit + excuse else Grade.UNPROVED
    text = sentence if holds or failure is None else failure
    return Claim(name, text, grade, upper, limit, holds, dict(detail or {}), excuse)


def failed(name: str, reason: str, value: float | None = None, limit: float | None = None) -> Claim:
    """A claim that could not be decided, with the reason."""
    return Claim(name, reason, Grade.UNPROVED, value, limit, False)


def refuted(name: str, reason: str, value: float | None = None, limit: float | None = None) -> Claim:
    """A claim that is proved to be false: an attribute of another shape, a label that is no class."""
    return Claim(name, reason, Grade.NOT_OPTIMAL, value, limit, False)
