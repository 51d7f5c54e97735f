"""Parameters and attributes of other types than a fit leaves: a *no*, not a crash."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from surefit.certificates.checker import Findings
from surefit.certificates.claim import refuted

UNREADABLE = (TypeError, ValueError, IndexError, KeyError, AttributeError, OverflowError, ZeroDivisionError)


def readable(find: Callable[..., Findings]) -> Callable[..., Findings]:
    """The findings, or that a parameter or an attribute is not what a fit leaves (a word for a number, a list)."""

    @functools.wraps(find)
    def guarded(*given: Any) -> Findings:
        try:
            return find(*given)
        except UNREADABLE as fault:
            reason = f"A parameter or an attribute is not what a fit leaves: {type(fault).__name__}: {fault}."
            return [refuted("attributes", reason)], "one pass"

    return guarded
