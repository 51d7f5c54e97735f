"""Radial functions φ(‖a − b‖), as kernels of squared distances that are sums of squared differences.

These are off by a relative γ_{d+8}, and exactly zero for equal rows. A model that forms ‖a‖² + ‖b‖² − 2a·b instead is
off by up to γ_{d+8}(‖a‖ + ‖b‖)², in float64.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from surefit.certificates.attributes import Attributes, real
from surefit.certificates.blocks import F64
from surefit.certificates.rounding import UNIT, gamma
from surefit.certificates.theorems.kernel_machine.kernels import Kernel, lengths, unit_of

# Degree of the polynomial that makes the interpolant unique: s φ is positive definite on what is orthogonal to it.
DEGREE = {"gaussian": -1, "inverse_multiquadric": -1, "multiquadric": 0, "distance": 0, "thin_plate_spline": 1,
          "cubic": 1}  # fmt: skip
SIGN = {"multiquadric": -1.0, "distance": -1.0}  # s
WIDE = ("gaussian", "inverse_multiquadric", "multiquadric")


class Radial(Kernel):
    """h is monotone or convex; γ = 1/(2σ²) and c = σ² for the width σ."""

    def argument(self, A: F64, B: F64) -> tuple[F64, F64]:
        d, (a, b) = A.shape[1], lengths(A, B)
        D: Any = sum((A[:, j, None] - B[None, :, j]) ** 2 for j in range(d))
        return D, gamma(d + 8, unit_of(A) + self.raw) * D + gamma(d + 8, min(self.raw, UNIT)) * (a + b) ** 2

    def of(self, t: F64) -> F64:
        t = np.maximum(t, 0.0)
        if self.name == "gaussian":
            return np.exp(-self.gamma * t)
        if self.name == "multiquadric":
            return np.sqrt(t + self.coef0)
        if self.name == "inverse_multiquadric":
            return 1 / np.sqrt(t + self.coef0)
        if self.name == "thin_plate_spline":
            return t * np.log(np.where(t > 0, t, 1.0)) / 2
        return np.sqrt(t) if self.name == "distance" else t**1.5


def read_radial(attrs: Attributes) -> Radial | None:
    """The radial function of the model; None with the fault noted."""
    given, width = attrs.parameter("kernel", "gaussian"), 1.0
    if callable(given):
        return Radial("callable", call=given)
    name = "distance" if given == "linear" else str(given)
    if name not in DEGREE:
        attrs.faults.append(f"kernel={given!r} is not known")
        return None
    if name in WIDE:
        width, asked = real(getattr(attrs.model, "width_", None)), getattr(attrs.model, "width", None)
        if not 0 < width < np.inf or (asked is not None and real(asked) != width):
            attrs.faults.append(f"width_ is {width}, width={asked!r}")
            return None
    sigma: Any = np.longdouble(width)
    return Radial(name, gamma=1 / (2 * sigma**2), coef0=sigma**2)
