"""The frame around every checker."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from surefit.certificates.blocks import BadData, Blocks
from surefit.certificates.claim import CertificateError, Claim, failed

TOL = 1e-6  # the relative distance from the optimum that people call converged
Findings = tuple[list[Claim], str]  # the claims about a model, and what checking them cost


def checker(*covers: str, any_input: bool = False) -> Callable[[Callable[..., Findings]], Callable[..., Findings]]:
    """Frames a function (model, blocks, tol) ↦ findings: what cannot be read or computed is a claim that fails.

    `covers` names the fitted attributes and methods that the claims speak of: a lie in any of them is refused, and what
    a model has beyond these is listed as not checked. With `any_input` the data are handed over as they are.
    """

    def decorate(find: Callable[..., Findings]) -> Callable[..., Findings]:
        @functools.wraps(find)
        def check(model: Any, blocks: Blocks, tol: float = TOL) -> Findings:
            try:
                with np.errstate(all="ignore"):
                    return find(model, blocks, float(tol))
            except CertificateError:  # nothing to check: not fitted, or y is missing
                raise
            except BadData as fault:
                return [failed("data", f"Nothing can be checked: {fault}.")], "not known"
            except Exception as fault:  # an attribute of another kind than a fit leaves, numbers beyond floating point
                return [failed("attributes", f"The check broke off: {type(fault).__name__}: {fault}.")], "not known"

        check.covers, check.any_input = covers, any_input  # type: ignore[attr-defined]
        return check

    return decorate
