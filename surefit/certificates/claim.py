"""A claim: one statement about a fitted model, the number recomputed for it, and the verdict."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any


class CertificateError(ValueError):
    """A claim failed, or there is nothing to check."""


class Grade(StrEnum):
    """What kind of truth a claim states, from the strongest to the weakest. Grades never flatter."""

    EXACT = "EXACT"  # the object is the one defined, up to rounding
    NO_SOLUTION = "NO_SOLUTION"  # no minimiser exists, with the ray that proves it
    OPTIMAL = "OPTIMAL"  # within a proved distance of the global optimum
    BOUNDED = "BOUNDED"  # an approximation with an error bound computed afterwards
    FIXED_POINT = "FIXED_POINT"  # one more step changes nothing
    STATIONARY = "STATIONARY"  # the gradient is below a stated norm
    GREEDY = "GREEDY"  # each choice was the best on offer
    STATISTICAL = "STATISTICAL"  # holds with a stated probability under listed assumptions
    UNPROVED = "UNPROVED"  # could not be decided, and why
    NOT_OPTIMAL = "NOT_OPTIMAL"  # proved to be off, by at least the number given


@dataclass(frozen=True)
class Claim:
    """One statement, recomputed."""

    name: str  # a short identifier, the same for every model of the class
    sentence: str  # what is stated, in the user's words; where it fails, what is wrong and what to do
    grade: Grade  # the kind of truth stated; NOT_OPTIMAL or UNPROVED where it fails
    value: float | None  # an upper bound of the quantity in exact arithmetic, the checker's own rounding added
    limit: float | None  # what `value` may be; None for information
    holds: bool  # the verdict
    detail: dict[str, Any] = field(default_factory=dict)  # further plain numbers (interval ends, counts)
    excuse: float = 0.0  # what the roundings of the model's own precision add to the limit

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
    if not holds:
        grade = Grade.NOT_OPTIMAL if lower > limit + excuse else Grade.UNPROVED
    elif upper > limit and excuse > limit:
        grade = Grade.BOUNDED
    return Claim(name, failure if failure and not holds else sentence, grade, upper, limit, holds, detail or {}, excuse)


def failed(name: str, reason: str, value: float | None = None, limit: float | None = None) -> Claim:
    """A claim that could not be decided, with the reason."""
    return Claim(name, reason, Grade.UNPROVED, value, limit, False)


def refuted(name: str, reason: str, value: float | None = None, limit: float | None = None) -> Claim:
    """A claim that is proved to be false: an attribute of another shape, a label that is no class."""
    return Claim(name, reason, Grade.NOT_OPTIMAL, value, limit, False)


def weakest(claims: Iterable[Claim]) -> Grade:
    """The grade of all claims together: that of the weakest that does more than inform."""
    return max((c.grade for c in claims if not c.informs), key=list(Grade).index, default=Grade.UNPROVED)
