"""A claim: one statement about a fitted model, the number recomputed for it, and the verdict."""

from __future__ import annotations

import math
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
    """Stopped early or numerically broken, and why."""


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
)


@dataclass(frozen=True)
class Claim:
    """One statement, recomputed.

    name      a short identifier, the same for every model of the class
    sentence  what is stated, in the user's words; for a claim that fails, the reason
    grade     the kind of truth stated, if it holds
    value     the number recomputed from data and fitted attributes; None when there is none to give
    limit     the number that `value` was compared with; None for information
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

    @property
    def informs(self) -> bool:
        """True for a claim that reports a number without a limit (a condition number, an interval)."""
        return self.limit is None and self.holds

    def to_dict(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "sentence": self.sentence,
            "grade": self.grade.value,
            "value": plain(self.value),
            "limit": plain(self.limit),
            "holds": bool(self.holds),
            "detail": {str(k): plain(v) for k, v in self.detail.items()},
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Claim:
        return cls(
            name=str(data["name"]),
            sentence=str(data["sentence"]),
            grade=Grade(data["grade"]),
            value=unplain(data["value"]),
            limit=unplain(data["limit"]),
            holds=bool(data["holds"]),
            detail={k: unplain(v) for k, v in data.get("detail", {}).items()},
        )


def at_most(
    name: str, sentence: str, grade: Grade, value: float, limit: float, detail: dict[str, Any] | None = None
) -> Claim:
    """The claim value ≤ limit. NaN on either side fails."""
    value, limit = float(value), float(limit)
    return Claim(name, sentence, grade, value, limit, bool(value <= limit), dict(detail or {}))


def failed(name: str, reason: str, value: float | None = None, limit: float | None = None) -> Claim:
    """A claim that cannot hold, with the reason."""
    return Claim(name, reason, Grade.UNPROVED, value, limit, False, {})


# JSON has no NaN and no infinity: they travel as strings.
def plain(x: Any) -> Any:
    """A number, string, list or None that `json` writes and reads back without loss."""
    if x is None or isinstance(x, (str, bool)):
        return x
    if isinstance(x, (list, tuple)):
        return [plain(v) for v in x]
    if hasattr(x, "tolist"):
        return plain(x.tolist())
    if isinstance(x, int):
        return x
    x = float(x)
    return x if math.isfinite(x) else str(x)


def unplain(x: Any) -> Any:
    """The inverse of `plain` for numbers."""
    if isinstance(x, str) and x in ("nan", "inf", "-inf"):
        return float(x)
    if isinstance(x, list):
        return [unplain(v) for v in x]
    return x
