"""Radial functions φ(‖a − b‖) from their formulas, block by block, with a bound of every entry's rounding.

Squared distances D are sums of squared differences: off by a relative γ_{d+4}, and exactly zero for equal rows. A model
that forms ‖a‖² + ‖b‖² − 2a·b instead is off by up to γ_{d+8}(‖a‖ + ‖b‖)² in its precision (`raw`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.attributes import Attributes, real
from surefit.certificates.blocks import F64, BadData
from surefit.certificates.rounding import gamma
from surefit.certificates.theorems.kernel_machine.entries import Entries

DEGREE = {
    "gaussian": -1,
    "inverse_multiquadric": -1,
    "multiquadric": 0,
    "linear": 0,
    "thin_plate_spline": 1,
    "cubic": 1,
}
"""Of the polynomial that makes the interpolant unique: s φ is positive definite on what is orthogonal to it."""
SIGN = {"multiquadric": -1.0, "linear": -1.0}
WIDE = ("gaussian", "inverse_multiquadric", "multiquadric")


@dataclass(frozen=True)
class Radial:
    """φ; `call` for an expression or a function of two matrices, which is taken at its word."""

    name: str
    width: float
    call: Any = None
    raw: float = 0.0  # the unit roundoff of a model that forms products of rows

    def block(self, A: F64, B: F64, places: NDArray) -> Entries:
        if self.call is not None:
            K = np.asarray(self.call(A.astype(np.float64), B.astype(np.float64)), dtype=np.float64)
            if K.shape != (len(A), len(B)) or not np.isfinite(K).all():
                raise BadData("the kernel does not give a finite number for every pair of rows")
            return Entries(K, np.abs(K) * self.raw * 16)
        u, d = float(np.finfo(A.dtype).eps) / 2, A.shape[1]
        D = np.zeros((len(A), len(B)), A.dtype)
        for j in range(d):
            D += (A[:, j, None] - B[None, :, j]) ** 2
        off = gamma(d + 4, u) * D
        if self.raw:
            a, b = (np.sqrt(np.einsum("ij,ij->i", V, V)) for V in (A, B))
            off = off + gamma(d + 8, self.raw) * (a[:, None] + b[None, :]) ** 2
        value = self._of(D)
        return Entries(value, self._change(D, off) + 8 * (u + self.raw) * np.abs(value) + np.finfo(np.float64).tiny)

    def _of(self, D: F64) -> F64:
        square = self.width**2
        if self.name == "gaussian":
            return np.exp(-D / (2 * square))
        if self.name == "multiquadric":
            return np.sqrt(D + square)
        if self.name == "inverse_multiquadric":
            return 1 / np.sqrt(D + square)
        if self.name == "thin_plate_spline":
            return np.where(D > 0, D * np.log(np.where(D > 0, D, 1.0)) / 2, 0.0)
        return D**0.5 if self.name == "linear" else D**1.5

    def _change(self, D: F64, off: F64) -> F64:
        """What φ changes by at most where D does by `off`: the mean value theorem, with the larger slope."""
        low, high, square = np.maximum(D - off, 0.0), D + off, self.width**2
        if self.name == "gaussian":
            return off / (2 * square) * np.exp(-low / (2 * square)) + 2 * np.finfo(D.dtype).eps * D / square * self._of(
                D
            )
        if self.name == "multiquadric":
            return off / (2 * np.sqrt(low + square))
        if self.name == "inverse_multiquadric":
            return off / (2 * (low + square) ** 1.5)
        if self.name == "thin_plate_spline":
            largest = np.abs(np.log(np.where(high > 0, high, 1.0))) + np.abs(np.log(np.where(low > 0, low, 1.0))) + 1
            near = (low <= 0) & (off > 0)  # |x log x| up to `high`, twice
            reach = high * (np.abs(np.log(np.where(high > 0, high, 1.0))) + 1)
            return np.where(near, reach, off / 2 * largest)
        if self.name == "cubic":
            return 1.5 * off * np.sqrt(high)
        return np.minimum(np.sqrt(off), np.divide(off, np.sqrt(D), out=np.full_like(D, np.inf), where=D > 0))

    def with_raw(self, unit: float) -> Radial:
        return replace(self, raw=unit)


def read_radial(attrs: Attributes) -> Radial | None:
    """The radial function of the model; None with the fault noted."""
    given, width = attrs.parameter("kernel", "gaussian"), 1.0
    if callable(given):
        return Radial("callable", 1.0, given)
    if given not in DEGREE:
        attrs.faults.append(f"kernel={given!r} is not known")
        return None
    if given in WIDE:
        width, asked = real(getattr(attrs.model, "width_", None)), getattr(attrs.model, "width", None)
        if not 0 < width < np.inf or (asked is not None and real(asked) != width):
            attrs.faults.append(f"width_ is {width}, width={asked!r}")
            return None
    return Radial(str(given), width)
