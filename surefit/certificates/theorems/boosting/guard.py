"""Parameters and attributes of other types than a fit leaves: a *no*, not a crash."""

from __future__ import annotations

import functools
from collections.abc import Callable

from surefit.certificates.checker import Findings
from surefit.certificates.claim import refuted

UNREADABLE = (TypeError, ValueError, IndexError, KeyError, AttributeError, OverflowError, ZeroDivisionError)


def readable(find: Callable[..., Findings]) -> Callable[..., Findings]:
    """The findings, or that a parameter or an attribute is no number, array or tree as a fit leaves them."""

    @functools.wraps(find)
    def guarded(*args: object) -> Findings:
        try:
            return find(*args)
        except UNREADABLE as fault:
            reason = f"A parameter or an attribute is not what a fit leaves: {type(fault).__name__}: {fault}."
            return [refuted("attributes", reason)], "not known"

    return guarded
