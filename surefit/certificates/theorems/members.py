"""Members of an ensemble: copies of one estimator, each checked by the checker of its own class on its own rows."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from surefit.certificates.array_blocks import ArrayBlocks
from surefit.certificates.attributes import Attributes
from surefit.certificates.claim import Claim, Grade, at_most
from surefit.certificates.registry import CHECKERS, checker_for


def spread(n: int, most: int) -> list[int]:
    """Members spread evenly, the first and the last with them."""
    return np.unique(np.linspace(0, n - 1, min(n, most)).astype(int)).tolist()


def unlike(attrs: Attributes, members: Sequence[Any], depth: int | None = None) -> list[str]:
    """Members, or `estimator_`, that are no copies of `estimator`; of None, that are trees of another depth."""
    asked, own = getattr(attrs.model, "estimator", None), getattr(attrs.model, "estimator_", None)
    wanted = parameters(own if asked is None else asked)
    if asked is None and wanted.get("max_depth", repr(depth)) != repr(depth):
        return [f"estimator_ is no tree of depth {depth}, the default"]
    alike = all(parameters(one) == wanted for one in (own, *members))
    return [] if alike else ["estimator_, or a member, has other parameters than estimator asks for"]


def parameters(model: Any) -> dict[str, str]:
    """The class and the parameters as texts, without seeds and parts that are estimators."""
    found = {"": type(model).__name__}
    for name, value in model.get_params(deep=True).items():
        text = re.sub(" at 0x[0-9a-f]+", "", repr(value))
        if not (name.endswith("random_state") or "get_params" in dir(value) or text.startswith("[(")):
            found[name] = text
    return found


def has_checker(member: Any) -> bool:
    return any(base.__name__ in CHECKERS for base in type(member).__mro__)


def members_claim(parts: Sequence[tuple[Any, ArrayBlocks]], n_members: int, tol: float, *known: str) -> Claim:
    """Members on the rows, targets and weights that each was fitted to; `known`: claims that are not asked for."""
    name = type(parts[0][0]).__name__
    if not has_checker(parts[0][0]):
        reason = f"{name} has no checker: the members themselves were not checked."
        return Claim("members", reason, Grade.UNPROVED, 0.0, 0.0, True)
    found = [claim for member, part in parts for claim in checker_for(member)(member, part, tol)[0]]
    found = [claim for claim in found if claim.name not in known]
    weak = max(found, key=lambda c: (list(Grade).index(c.grade) * (not c.informs), c.value or 0.0))
    fails, proved = sum(not c.holds for c in found), sum(c.grade == Grade.NOT_OPTIMAL for c in found)
    told = f"{len(parts)} of {n_members} members ({name}) hold on their rows by their own checker; claims that fail."
    told, failure = f"{told} The weakest: {weak.sentence}", f"A member ({name}) does not hold: {weak.sentence}"
    return at_most("members", told, weak.grade, fails, 0, lower=proved, failure=failure)
