"""What checkers of a user's own model share: asking it, and the rise of a history.

The user's functions are taken as they are: what is proved is about the numbers they give.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from surefit.certificates.attributes import Attributes
from surefit.certificates.blocks import F64, BadData, Blocks
from surefit.certificates.claim import CertificateError, Claim, Grade, at_most
from surefit.certificates.rounding import gamma

ROUNDING = 1e-9
"""A difference by this share of 1 + |value| is rounding of the model's own sums."""
LOOSEST = 1e-2
"""The largest share of 1 + |value| that a model's own tol may leave to be gained."""


def data_of(blocks: Blocks) -> Any:
    if not hasattr(blocks, "all"):
        raise CertificateError("A model of your own is checked on its data as they are: surefit.certify(model, X).")
    return blocks.all


def asked(model: Any, method: str, *arguments: Any) -> Any:
    """What the user's function gives; where it fails nothing can be checked."""
    try:
        return getattr(model, method)(*arguments)
    except Exception as fault:
        raise BadData(f"the model's {method} fails with {type(fault).__name__}: {fault}") from fault


def value_of(model: Any, method: str, *arguments: Any) -> float:
    """A number that the user's function gives."""
    given = asked(model, method, *arguments)
    try:
        value = float(given)
    except (TypeError, ValueError) as fault:
        raise BadData(f"the model's {method} gives no number but {type(given).__name__}") from fault
    if not np.isfinite(value):
        raise BadData(f"the model's {method} gives {value}")
    return value


def history_of(attrs: Attributes) -> F64 | None:
    """One number at the start, and one or more after it."""
    history = attrs.array("history_")
    if history is not None and (history.ndim != 1 or len(history) < 2):
        attrs.faults.append("history_ is no list of two numbers or more")
        return None
    return history


def says(estimator: Any, name: str, truth: bool) -> bool:
    """Whether a flag is True or False, and the one of them that it should be."""
    flag = getattr(estimator, name, None)
    return isinstance(flag, (bool, np.bool_)) and bool(flag) == truth


def recounted(name: str, what: str, claimed: float, truth: float, tol: float) -> Claim:
    off = abs(claimed - truth) / (1 + abs(truth))
    return at_most(
        name,
        f"{what} is what the model says of the fitted values now, {truth:.10g}; difference as a share of 1 + its size.",
        Grade.EXACT, off, min(tol, 1e-6), error=gamma(4) * off,
        failure=f"{what} is {claimed:.10g}, but the model gives {truth:.10g} for the fitted values.",
    )  # fmt: skip


def rises(history: F64, end: float, what: str) -> Claim:
    """The history never falls beyond rounding, and ends at the value claimed."""
    falls = (history[:-1] - history[1:]) / (1 + np.abs(history[:-1]))
    worst = max(0.0, float(falls.max()))
    return at_most(
        "history",
        f"{what} never fell in {len(history) - 1} steps, and history_ ends at it; largest fall as a share of 1 + size.",
        Grade.EXACT, worst if history[-1] == end else np.inf, ROUNDING, error=gamma(4) * worst,
        failure=f"history_ falls by a share of {worst:.2g}, or does not end at {end:.10g}.",
    )  # fmt: skip


def next_gain(step: str, before: float, after: float, own_tol: float, tol: float) -> Claim:
    """One more step gains at most tol · (1 + |value|): a fixed point; or at most the model's own tol: bounded by it."""
    size = 1 + abs(before)
    gain = (after - before) / size
    own = min(own_tol, LOOSEST) if own_tol >= 0 else 0.0
    if gain < -ROUNDING:
        return at_most(
            "fixed_point", "", Grade.FIXED_POINT, -gain, ROUNDING,
            failure=f"{step} loses {before - after:.3g}: the model's functions do not belong together.",
        )  # fmt: skip
    fixed = gain * (1 + gamma(4)) <= tol
    return at_most(
        "fixed_point",
        f"{step} gains this share of 1 + its size: a fixed point. Whether a better one exists is not known. The "
        "model's own functions are taken as they are."
        if fixed else
        f"Stopped by tol={own_tol:g}: {step} gains this share of 1 + its size. The model's own functions are taken as "
        "they are.",
        Grade.FIXED_POINT if fixed else Grade.BOUNDED, max(gain, 0.0), tol if fixed else max(tol, own),
        error=gamma(4) * max(gain, 0.0),
        failure=f"{step} gains {after - before:.3g}: raise max_iter or lower tol.",
    )  # fmt: skip
