"""Members of an ensemble, each held by the checker of its own class on the rows that it was fitted to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from surefit.certificates.array_blocks import ArrayBlocks
from surefit.certificates.claim import Claim, Grade, at_most
from surefit.certificates.registry import CHECKERS, checker_for


def has_checker(member: Any) -> bool:
    return any(base.__name__ in CHECKERS for base in type(member).__mro__)


def members_claim(parts: Sequence[tuple[Any, ArrayBlocks]], n_members: int, tol: float, *known: str) -> Claim:
    """Members on the rows, targets and weights that each was fitted to; `known`: claims that are not asked for."""
    name = type(parts[0][0]).__name__
    if not has_checker(parts[0][0]):
        reason = f"{name} has no checker: the members themselves were not checked."
        return Claim("members", reason, Grade.UNPROVED, 0.0, 0.0, True)
    found = [c for member, part in parts for c in checker_for(member)(member, part, tol)[0] if c.name not in known]
    weak = max(found, key=lambda c: (list(Grade).index(c.grade) * (not c.informs), c.value or 0.0))
    fails, proved = sum(not c.holds for c in found), sum(c.grade == Grade.NOT_OPTIMAL for c in found)
    told = f"{len(parts)} of {n_members} members ({name}) hold on their rows by their own checker; claims that fail."
    told, failure = f"{told} The weakest: {weak.sentence}", f"A member ({name}) does not hold: {weak.sentence}"
    return at_most("members", told, weak.grade, fails, 0, lower=proved, failure=failure)
