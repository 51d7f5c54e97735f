"""A parametric family of distributions: SciPy's, by name, with the parameters that are fixed and those that are free.

What is fixed unless the caller says otherwise is what textbooks fix: a family on a half-line starts at 0 (`loc`), one
with shapes on an interval is on its standard interval (`loc` and `scale`); `uniform`, `norm` and the like have both
free.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from surefit._core.data.plain_numbers import take_numbers
from surefit._core.errors import InvalidData, InvalidParameter

COUNTS = {"binom": ("n",), "betabinom": ("n",), "hypergeom": ("M", "n", "N"), "nhypergeom": ("M", "n", "r"),
          "randint": ("low", "high"), "boltzmann": ("N",), "zipfian": ("n",)}  # fmt: skip
"""Parameters that are whole numbers: they are given, not estimated."""

SMALLEST, LARGEST = 1e-150, 1e150
"""Sizes whose squares are numbers."""


@dataclass(frozen=True)
class Family:
    """A SciPy distribution with some of its parameters fixed."""

    distribution: Any
    fixed: dict[str, float]

    @property
    def name(self) -> str:
        return str(self.distribution.name)

    @property
    def discrete(self) -> bool:
        return not hasattr(self.distribution, "pdf")

    @property
    def parameters(self) -> tuple[str, ...]:
        """The shapes, `loc` and, for a density, `scale`."""
        return _parameters(self.distribution)

    @property
    def free(self) -> tuple[str, ...]:
        return tuple(name for name in self.parameters if name not in self.fixed)

    def full(self, values: Sequence[float] | NDArray) -> dict[str, float]:
        """All parameters, in SciPy's order, from the values of the free ones."""
        given = dict(self.fixed) | dict(zip(self.free, (float(v) for v in values), strict=True))
        return {name: given[name] for name in self.parameters}

    def log_density(self, x: NDArray, parameters: Mapping[str, float]) -> NDArray[np.float64]:
        """log f(xᵢ) for each value; NaN for parameters outside of the family."""
        log = self.distribution.logpmf if self.discrete else self.distribution.logpdf
        with np.errstate(all="ignore"):
            return np.asarray(log(x, **parameters), dtype=np.float64)


def family_of(distribution: Any, fixed: Mapping[str, float] | None = None) -> Family:
    """The family that a name of scipy.stats, or the distribution itself, stands for."""
    found = _named(distribution) if isinstance(distribution, str) else distribution
    if isinstance(found, Family):
        return found
    if hasattr(found, "dist"):
        raise InvalidParameter(f"{found.dist.name}(…) has its parameters already; give the family, {found.dist.name!r}")
    if not isinstance(found, (stats.rv_continuous, stats.rv_discrete)):
        raise InvalidParameter(f"distribution must be a name of scipy.stats or a distribution of it; got {found!r}")
    chosen = (
        _usual(found) if fixed is None else {name: float(take_numbers(value, name)) for name, value in fixed.items()}
    )
    unknown = [name for name in chosen if name not in _parameters(found)]
    if unknown:
        raise InvalidParameter(f"{found.name} has no parameter {unknown[0]!r}; it has {', '.join(_parameters(found))}")
    for name, value in _usual(found).items():
        if not hasattr(found, "pdf"):
            chosen.setdefault(name, value)  # counts start at loc = 0
    counts = [name for name in COUNTS.get(found.name, ()) if name not in chosen]
    if counts:
        raise InvalidParameter(
            f"{', '.join(counts)} of {found.name} are whole numbers that the data do not estimate: give "
            f"fixed={{{', '.join(f'{name!r}: …' for name in counts)}}}"
        )
    family = Family(found, chosen)
    if not family.free:
        raise InvalidParameter(f"all parameters of {found.name} are fixed: nothing is left to estimate")
    return family


def sample_of(x: Any, family: Family | None = None) -> NDArray[np.float64]:
    """One column of finite numbers; inside what the family can give, where that is known."""
    try:
        if np.asarray(x).dtype.kind == "c":
            raise InvalidData("x must be a column of real numbers; got complex ones")
        values = np.asarray(x, dtype=np.float64)
    except (TypeError, ValueError) as fault:
        raise InvalidData(f"x must be a column of numbers: {fault}") from fault
    values = values[:, 0] if values.ndim == 2 and values.shape[1] == 1 else values
    if values.ndim != 1 or not values.size:
        raise InvalidData(f"x must be one column with at least one number; got the shape {values.shape}")
    if not np.isfinite(values).all():
        raise InvalidData(f"x holds {values[~np.isfinite(values)][0]} at place {int(np.argmin(np.isfinite(values)))}")
    largest = float(np.abs(values).max())
    if largest and not SMALLEST < largest < LARGEST:
        raise InvalidData(
            f"the largest number of x is {largest:.3g}: its square is beyond floating-point numbers. Measure x in "
            "other units"
        )
    if family is not None and family.discrete and (values != np.round(values)).any():
        raise InvalidData(f"{family.name} gives whole numbers; x holds {values[values != np.round(values)][0]:g}")
    return values


def _named(name: str) -> Any:
    found = getattr(stats, name, None)
    if isinstance(found, (stats.rv_continuous, stats.rv_discrete)):
        return found
    known = [n for n in dir(stats) if isinstance(getattr(stats, n), (stats.rv_continuous, stats.rv_discrete))]
    close = difflib.get_close_matches(name, known, 3)
    raise InvalidParameter(
        f"scipy.stats has no distribution {name!r}" + (f"; did you mean {', '.join(close)}?" if close else "")
    )


def _parameters(distribution: Any) -> tuple[str, ...]:
    shapes = tuple(s.strip() for s in distribution.shapes.split(",")) if distribution.shapes else ()
    return (*shapes, "loc", "scale") if hasattr(distribution, "pdf") else (*shapes, "loc")


def _usual(distribution: Any) -> dict[str, float]:
    """What is fixed when the caller says nothing."""
    if not hasattr(distribution, "pdf"):
        return {"loc": 0.0}
    low, high = np.isfinite(distribution.a), np.isfinite(distribution.b)
    if low and high:
        return {"loc": 0.0, "scale": 1.0} if distribution.shapes else {}
    return {"loc": 0.0} if low else {}
