"""Samples in units in which they are of size one: searches then do not depend on where x lies and how it is measured.

In a family with a free scale  f_{shape, loc, scale}(x) = f_{shape, (loc − c)/u, scale/u}((x − c)/u) / u :  the shapes
of maximum likelihood are those of (x − c)/u; loc and scale follow.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from surefit._core.arithmetic import power_of_two
from surefit.stats.family import Family

FAR = 1000.0
"""Times its spread."""


class StandardUnits(NamedTuple):
    """(x − center) / unit; the unit is a power of two."""

    center: float = 0.0
    unit: float = 1.0

    def family(self, family: Family) -> Family:
        """The same family for values in these units."""
        fixed = dict(family.fixed)
        if "loc" in fixed:
            fixed["loc"] = (fixed["loc"] - self.center) / self.unit
        return Family(family.distribution, fixed)

    def parameters(self, free: tuple[str, ...], theta: NDArray) -> NDArray[np.float64]:
        """The free parameters in the user's units."""
        moved = {"loc": lambda t: self.center + self.unit * t, "scale": lambda t: self.unit * t}
        return np.array([moved.get(name, float)(float(t)) for name, t in zip(free, theta, strict=True)])

    def errors(self, free: tuple[str, ...], errors: NDArray) -> NDArray[np.float64]:
        """Standard errors of the free parameters in the user's units."""
        return errors * [self.unit if name in ("loc", "scale") else 1.0 for name in free]


def standard_units(family: Family, values: NDArray) -> StandardUnits:
    """Where x lies and how far it spreads; the user's own units for a family without a free scale.

    Divisions by a power of two are exact, subtractions need not be: x is moved only where it lies far from zero.
    """
    if "scale" not in family.free:
        return StandardUnits()
    center = float(np.median(values)) if "loc" in family.free else family.fixed["loc"]
    spread = float(np.abs(values - center).mean())
    if "loc" in family.free and abs(center) <= FAR * spread:
        center, spread = 0.0, float(np.abs(values).mean())
    return StandardUnits(center, power_of_two(spread))
