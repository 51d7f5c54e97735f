"""The frame around every checker: what cannot be computed is a claim that fails."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from surefit.certificates.blocks import BadData, Blocks
from surefit.certificates.claim import Claim, failed

TOL = 1e-6  # the relative distance from the optimum that people call converged
Findings = tuple[list[Claim], str]  # the claims about a model, and what checking them cost


def checker(*covers: str, any_input: bool = False) -> Callable[[Callable[..., Findings]], Callable[..., Findings]]:
    """Frames a function (model, blocks, tol) ↦ findings.

    `covers` names the fitted attributes and the methods that the claims speak of: a lie in any of them is refused.
    What a model has beyond these is listed as not checked. With `any_input` the data are handed over as they are: rows
    of numbers or any objects.
    """

    def decorate(find: Callable[..., Findings]) -> Callable[..., Findings]:
        @functools.wraps(find)
        def check(model: Any, blocks: Blocks, tol: float = TOL) -> Findings:
            with np.errstate(all="ignore"):
                try:
                    return find(model, blocks, float(tol))
                except BadData as fault:
                    return [failed("data", f"Nothing can be checked: {fault}.")], "one pass"
                except np.linalg.LinAlgError as fault:  # numbers beyond floating point: a factor without an end
                    return [failed("finite", f"A factor could not be computed: {fault}.")], "not known"

        check.covers, check.any_input = covers, any_input  # type: ignore[attr-defined]
        return check

    return decorate
