"""The frame around every checker: timed, quiet about overflow (which claims judge), with a certificate at the end."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from .blocks import BadData, Blocks
from .certificate import Certificate
from .claim import Claim, failed

Findings = tuple[list[Claim], str]
"""The claims about a model, and what checking them cost."""


def checker(find: Callable[..., Findings]) -> Callable[..., Certificate]:
    """From a function (model, blocks) ↦ findings, the checker (model, blocks) ↦ certificate."""

    @functools.wraps(find)
    def check(model: Any, blocks: Blocks) -> Certificate:
        start = time.perf_counter()
        with np.errstate(all="ignore"):
            try:
                claims, cost = find(model, blocks)
            except BadData as fault:
                claims, cost = [failed("data", f"Nothing can be checked: {fault}.")], "one pass"
            except np.linalg.LinAlgError as fault:  # numbers beyond floating point: a factor without an end
                claims, cost = [failed("finite", f"A factor could not be computed: {fault}.")], "not known"
        seconds = time.perf_counter() - start
        return Certificate(claims, type(model).__name__, blocks.n_rows, blocks.n_features, seconds, cost)

    return check
