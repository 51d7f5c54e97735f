"""The method of moments: the parameters for which the family has the moments of the sample.

With k free parameters the first k moments of the family are set equal to those of the sample,

    E_θ[X^j] = (1/n) Σ xᵢ^j ,   j = 1 … k ,

written here as mean, variance (with 1/n), skewness and excess kurtosis, which are the same k equations. Where they have
a closed solution it is used, else they are solved numerically.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import least_squares

from surefit._core.errors import InvalidData, InvalidParameter
from surefit.stats.family import Family, family_of, sample_of

SOLVED = 1e-7
"""Largest difference of the moments, in deviations of the sample, that counts as solved."""
MOMENTS = {"m": "mean", "v": "variance", "s": "skewness", "k": "kurtosis"}
SYMMETRIC = ("t", "gennorm", "dgamma", "dweibull")
"""Families whose skewness is zero: a third parameter is found by the kurtosis."""
EULER = 0.5772156649015329

# family: (mean m, variance v) ↦ its free parameters
CLOSED: dict[str, Callable[[float, float], dict[str, float]]] = {
    "norm": lambda m, v: {"loc": m, "scale": v**0.5},
    "laplace": lambda m, v: {"loc": m, "scale": (v / 2) ** 0.5},
    "logistic": lambda m, v: {"loc": m, "scale": (3 * v) ** 0.5 / np.pi},
    "gumbel_r": lambda m, v: {"loc": m - EULER * (6 * v) ** 0.5 / np.pi, "scale": (6 * v) ** 0.5 / np.pi},
    "gumbel_l": lambda m, v: {"loc": m + EULER * (6 * v) ** 0.5 / np.pi, "scale": (6 * v) ** 0.5 / np.pi},
    "uniform": lambda m, v: {"loc": m - (3 * v) ** 0.5, "scale": (12 * v) ** 0.5},
    "expon": lambda m, v: {"scale": m},
    "rayleigh": lambda m, v: {"scale": m * (2 / np.pi) ** 0.5},
    "gamma": lambda m, v: {"a": m * m / v, "scale": v / m},
    "lognorm": lambda m, v: {"s": np.log1p(v / m**2) ** 0.5, "scale": m / (1 + v / m**2) ** 0.5},
    "pareto": lambda m, v: {"b": 1 + (1 + m * m / v) ** 0.5, "scale": m * (1 - 1 / (1 + (1 + m * m / v) ** 0.5))},
    "beta": lambda m, v: {"a": m * (m * (1 - m) / v - 1), "b": (1 - m) * (m * (1 - m) / v - 1)},
    "bernoulli": lambda m, v: {"p": m},
    "poisson": lambda m, v: {"mu": m},
    "geom": lambda m, v: {"p": 1 / m},
    "nbinom": lambda m, v: {"n": m * m / (v - m), "p": m / v},
}  # fmt: skip


@dataclass(frozen=True)
class MomentFit:
    """Parameters found by the method of moments."""

    distribution: Any  # of scipy.stats
    parameters: dict[str, float]  # all of them, the fixed ones too
    moments: dict[str, float]  # of the sample, those that were used
    closed_form: bool  # or solved numerically

    def frozen(self) -> Any:
        """The distribution with these parameters."""
        return self.distribution(**self.parameters)


def method_of_moments(distribution: Any, x: Any, *, fixed: Mapping[str, float] | None = None) -> MomentFit:
    """Fit a family of scipy.stats, by name or itself, by its moments.

    Parameters
    ----------
    distribution : str or distribution of scipy.stats
        For example "gamma".
    x : array of shape (n,)
        The sample.
    fixed : mapping, optional
        Parameters that are known. By default `loc=0` on half-lines, `loc=0, scale=1` for families with shapes on an
        interval, and `loc=0` for counts; `{}` leaves all free.

    Examples
    --------
    >>> from surefit.stats import method_of_moments
    >>> fit = method_of_moments("gamma", [1.0, 2.0, 3.0, 6.0])
    >>> {name: round(value, 4) for name, value in fit.parameters.items()}  # a = m²/v, scale = v/m
    {'a': 2.5714, 'loc': 0.0, 'scale': 1.1667}
    """
    family = family_of(distribution, fixed)
    values, k = sample_of(x, family), len(family.free)
    if k > len(MOMENTS):
        raise InvalidParameter(f"{family.name} has {k} free parameters; fix {k - len(MOMENTS)} of them")
    kinds = "mvk" if k == 3 and family.name in SYMMETRIC else "mvsk"[:k]
    wanted = _of_sample(values, kinds)
    found = _closed(family, wanted, values)
    parameters = found if found is not None else _solved(family, wanted, kinds)
    if not np.isfinite(_of_family(family, parameters, "m")[0]):
        raise InvalidData(_nobody(family, wanted))
    return MomentFit(family.distribution, parameters, wanted, found is not None)


def _of_sample(values: NDArray, kinds: str) -> dict[str, float]:
    mean, variance = float(values.mean()), float(values.var())
    if len(kinds) > 1 and not variance > 0:
        raise InvalidData("all values of x are equal: their variance is zero, and only the mean can be fitted")
    z = (values - mean) / variance**0.5 if variance > 0 else values * 0
    moments = {"m": mean, "v": variance, "s": float((z**3).mean()), "k": float((z**4).mean()) - 3}
    return {MOMENTS[kind]: moments[kind] for kind in kinds}


def _of_family(family: Family, parameters: Mapping[str, float], kinds: str) -> NDArray[np.float64]:
    with np.errstate(all="ignore"):
        found = family.distribution.stats(**parameters, moments=kinds)
    return np.asarray(found, dtype=np.float64).reshape(-1)


def _closed(family: Family, wanted: Mapping[str, float], values: NDArray) -> dict[str, float] | None:
    """The closed solution, where the free parameters are those of the table."""
    m, v = wanted["mean"], float(values.var())
    if family.name == "binom" and family.free == ("p",) and family.fixed["loc"] == 0:
        solution: dict[str, float] = {"p": m / family.fixed["n"]}
    elif family.name in CLOSED and family.fixed == family_of(family.distribution).fixed:
        try:
            solution = CLOSED[family.name](m, v)
        except ZeroDivisionError as fault:
            raise InvalidData(_nobody(family, wanted)) from fault
    else:
        return None
    numbers = [solution[name] for name in family.free]
    if any(isinstance(value, complex) or not np.isfinite(value) for value in numbers):
        raise InvalidData(_nobody(family, wanted))
    return family.full(numbers)


def _solved(family: Family, wanted: Mapping[str, float], kinds: str) -> dict[str, float]:
    """The root of the differences, from a few starts; `loc` and `scale` in deviations of the sample."""
    mean, goal = wanted["mean"], np.array(list(wanted.values()))
    spread = wanted["variance"] ** 0.5 if "variance" in wanted else max(abs(mean), 1e-300)
    sizes = np.array([spread, spread**2, 1.0, 1.0])[: len(goal)]

    def values(theta: NDArray) -> list[float]:
        units = {"loc": lambda t: mean + spread * t, "scale": lambda t: spread * float(np.exp(np.clip(t, -300, 300)))}
        return [units.get(name, float)(float(t)) for name, t in zip(family.free, theta, strict=True)]

    def off(theta: NDArray) -> NDArray[np.float64]:
        return (_of_family(family, family.full(values(theta)), kinds) - goal) / sizes

    best, least = None, np.inf
    for shape in (1.0, 3.0, 0.3, 6.0, 0.1, 15.0, -0.5):
        start = np.array([0.0 if name in ("loc", "scale") else shape for name in family.free])
        if not np.isfinite(off(start)).all():
            continue
        try:
            run = least_squares(off, start, xtol=1e-15, ftol=1e-15, gtol=1e-15, max_nfev=60)
        except ValueError:  # a moment that is not finite beside the point: the next start
            continue
        if np.abs(run.fun).max() < least:
            best, least = run.x, float(np.abs(run.fun).max())
        if least <= SOLVED * 1e-3:
            break
    if best is None or not least <= SOLVED:
        raise InvalidData(_nobody(family, wanted))
    return family.full(values(best))


def _nobody(family: Family, wanted: Mapping[str, float]) -> str:
    words = ", ".join(f"{name} {value:.4g}" for name, value in wanted.items())
    return (
        f"no {family.name} distribution has the moments of x ({words}); try another family, or other fixed parameters"
    )
