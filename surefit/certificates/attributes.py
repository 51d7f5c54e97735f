"""Reading a model's parameters and fitted attributes."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.claim import CertificateError, Claim, refuted


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
