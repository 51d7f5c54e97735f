"""What a model holds and what it answers: parameters and fitted attributes as arrays, answers on a sample of rows."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.blocks import F64, Blocks, dense
from surefit.certificates.claim import CertificateError, Claim, Grade, at_most, refuted

SAMPLE = 64


def real(value: Any) -> float:
    """The value as a float; NaN for what is not a real number."""
    return float(value) if isinstance(value, (int, float, np.integer, np.floating)) else math.nan


def whole(value: Any) -> int:
    """The value as an integer; −1 for what is not a whole number ≥ 0 that an array can have as its length."""
    number = real(value)
    return int(number) if 0 <= number < 2**53 and number == int(number) else -1


class Attributes:
    """The public attributes of a fitted model, with the faults found while reading them."""

    def __init__(self, model: Any, fitted: str) -> None:
        """`fitted` names the attribute without which the model counts as not fitted."""
        self.model, self.name, self.faults = model, type(model).__name__, list[str]()
        if not hasattr(model, fitted):
            raise CertificateError(f"This {self.name} is not fitted: it has no {fitted}. Call fit first.")

    def has(self, name: str) -> bool:
        return getattr(self.model, name, None) is not None

    def parameter(self, name: str, default: Any) -> Any:
        value = getattr(self.model, name, default)
        return default if value is None else value

    def flag(self, name: str, default: bool) -> bool:
        value = getattr(self.model, name, default)
        return bool(value) if isinstance(value, (bool, np.bool_, int)) else default

    def text(self, name: str, default: str) -> str:
        value = getattr(self.model, name, default)
        return value if isinstance(value, str) else default

    def raw(self, name: str) -> NDArray | None:
        """The attribute as an array of its own type (dense, where it is sparse), or None where it is not numeric."""
        value: Any = getattr(self.model, name, None)
        array = np.asarray(value.toarray() if hasattr(value, "toarray") else value)
        return array if array.dtype.kind in "biuf" else None

    def array(self, name: str, *shapes: tuple[int, ...], finite: bool = True) -> NDArray[np.float64] | None:
        """The attribute in float64 if it has one of the shapes and finite entries; else None and a fault."""
        array = self.raw(name)
        if array is None:
            fault = "is missing, or not an array of numbers"
        elif shapes and array.shape not in shapes:
            fault = f"has shape {array.shape}, expected {' or '.join(map(str, dict.fromkeys(shapes)))}"
        elif finite and not np.isfinite(array).all():
            fault = f"has {np.count_nonzero(~np.isfinite(array))} entries that are NaN or infinite"
        else:
            return array.astype(np.float64)
        self.faults.append(f"{name} {fault}")
        return None

    def number(self, name: str) -> float | None:
        array = self.array(name, (), (1,))
        return None if array is None else float(array.reshape(()))


def bad_attributes(attrs: Attributes) -> Claim:
    return refuted("attributes", f"{'; '.join(attrs.faults)}.")


def sample_rows(blocks: Blocks) -> NDArray:
    """Rows spread evenly over all blocks, dense, in the type of the data."""
    places = np.unique(np.linspace(0, blocks.n_rows - 1, min(SAMPLE, blocks.n_rows)).astype(np.intp))
    found, first = [], 0
    for X, _, _ in blocks:
        inside = places[(places >= first) & (places < first + X.shape[0])] - first
        found += [dense(X[i : i + 1]).astype(X.dtype) for i in inside.tolist()]
        first += X.shape[0]
    return np.concatenate(found)


def answer_of(model: Any, method: str, X: NDArray | None, shape: tuple[int, ...] | None = None) -> Any:
    """What the model answers; where it raises or has another shape, a claim that fails with the reason."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            given = np.asarray(getattr(model, method)(X))
    except Exception as fault:
        return refuted(method, f"{method} fails on rows of the training data: {type(fault).__name__}: {fault}")
    right = shape is None or given.shape == shape
    return given if right else refuted(method, f"{method} gives an array of shape {given.shape}, expected {shape}.")


def numbers_claim(model: Any, method: str, X: NDArray, expected: F64, rounding: F64 | float) -> Claim:
    """|answer − expected| ≤ rounding entry by entry; the claim's number is the largest multiple of the rounding."""
    given = answer_of(model, method, X, expected.shape)
    if isinstance(given, Claim):
        return given
    if given.dtype.kind not in "biuf":
        return refuted(method, f"{method} gives {given.dtype}, expected numbers.")
    off = np.abs(given - expected)
    same = (given == expected) | (np.isnan(given) & np.isnan(expected))
    ratio = np.where(same, 0.0, off / np.maximum(rounding, np.finfo(float).tiny))
    sentence = f"{method} gives what the fitted attributes say, on {len(X)} rows; largest difference, in roundings."
    failure = f"{method} gives something else than the fitted attributes say, by up to {off.max(initial=0.0):.3g}."
    return at_most(method, sentence, Grade.EXACT, float(ratio.max(initial=0.0)), 1.0, failure=failure)
