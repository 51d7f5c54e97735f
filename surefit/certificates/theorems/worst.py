"""The largest of many relative errors, each with what the model's precision excuses of it."""

from __future__ import annotations

import math

from surefit.certificates.claim import Claim, Grade, at_most


class Worst:
    """Relative errors and what the model's precision excuses of each: the largest error, the largest that is left."""

    def __init__(self) -> None:
        self.count, self.largest, self.excess, self.sure = 0, 0.0, -math.inf, -math.inf

    def see(self, value: float, error: float = 0.0, excuse: float = 0.0) -> None:
        """One number, right to `error`, of which `excuse` is the model's precision."""
        self.count += 1
        upper = value + error if value + error == value + error else math.inf
        rest = upper - excuse if upper < math.inf else math.inf
        self.largest, self.excess = max(self.largest, upper), max(self.excess, rest)
        self.sure = max(self.sure, value - error - excuse)

    def claim(self, name: str, sentence: str, tol: float, failure: str, grade: Grade = Grade.GREEDY) -> Claim:
        """Each is at most tol plus its own excuse; the number printed is the largest of all."""
        excuse = min(self.largest - self.excess, 1e300) if self.count and self.excess < math.inf else 0.0
        lower = self.sure + excuse
        return at_most(name, sentence, grade, self.largest, tol, excuse=excuse, lower=lower, failure=failure)
