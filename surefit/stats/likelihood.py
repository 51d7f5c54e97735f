"""Maximum likelihood for the families of scipy.stats, with standard errors and a certificate.

    θ̂ = argmax over θ of  ℓ(θ) = Σᵢ log f_θ(xᵢ)

SciPy finds a first answer; Newton's steps then finish what its search left. In a regular family ∇ℓ(θ̂) = 0 and −∇²ℓ(θ̂)
is positive definite, and its inverse estimates the covariance of θ̂. In families whose support moves with θ (`uniform`)
the maximum is at an edge, and there are no standard errors of this kind.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats
from scipy.optimize import minimize

from surefit._core.errors import InvalidData
from surefit.certificates import Certificate, check
from surefit.certificates.inputs import Inputs
from surefit.stats.derivatives import natural_units, score_and_hessian
from surefit.stats.family import Family, family_of, sample_of
from surefit.stats.moments import method_of_moments
from surefit.stats.standard_units import StandardUnits, standard_units

NEWTON_STEPS = 30
GAINED = 1e-13
"""Newton's steps end when the next one would raise the log-likelihood by less."""

# discrete families whose maximum is known: (mean, fixed parameters) ↦ the free one
COUNTED: dict[str, Callable[[float, Mapping[str, float]], float]] = {
    "bernoulli": lambda m, fixed: m,
    "poisson": lambda m, fixed: m,
    "geom": lambda m, fixed: 1 / m,
    "binom": lambda m, fixed: m / fixed["n"],
}


@dataclass(frozen=True)
class LikelihoodFit:
    """Parameters of maximum likelihood."""

    distribution: Any  # of scipy.stats
    parameters: dict[str, float]  # all of them, the fixed ones too
    free: tuple[str, ...]  # those that were estimated
    log_likelihood: float
    standard_errors: dict[str, float] = field(default_factory=dict)  # of the free ones; empty at an edge of the family

    def frozen(self) -> Any:
        """The distribution with these parameters."""
        return self.distribution(**self.parameters)

    def log_density(self, x: Any, values: Any) -> NDArray[np.float64]:
        """log f(xᵢ) for each value of a sample, where the free parameters are `values`."""
        fixed = {name: value for name, value in self.parameters.items() if name not in self.free}
        family = Family(self.distribution, fixed)
        return family.log_density(np.asarray(x, dtype=np.float64), family.full(values))

    def certify(self, x: Any, *, tol: float = 1e-6) -> Certificate:
        """Is the likelihood stationary here, and a maximum? The same as `surefit.certify(self, x, tol=tol)`."""
        return check(self, Inputs(np.asarray(x)), tol)


def maximum_likelihood(distribution: Any, x: Any, *, fixed: Mapping[str, float] | None = None) -> LikelihoodFit:
    """Fit a family of scipy.stats, by name or itself, by maximum likelihood.

    Parameters
    ----------
    distribution : str or distribution of scipy.stats
        For example "gamma".
    x : array of shape (n,)
        The sample.
    fixed : mapping, optional
        Parameters that are known; by default as for `method_of_moments`.

    Examples
    --------
    >>> from surefit.stats import maximum_likelihood
    >>> x = [1.0, 2.0, 3.0, 6.0]
    >>> fit = maximum_likelihood("expon", x)  # the mean, with standard error mean/√n
    >>> round(fit.parameters["scale"], 6), round(fit.standard_errors["scale"], 4)
    (3.0, 1.5)
    >>> fit.certify(x).holds
    True
    """
    family = family_of(distribution, fixed)
    values = sample_of(x, family)
    if not family.discrete and len(family.free) > 1 and values.min() == values.max():
        raise InvalidData(
            f"all values of x are equal: the likelihood of {family.name} grows without end as it narrows around them. "
            f"Fix one of {', '.join(family.free)}"
        )
    for units in (standard_units(family, values), StandardUnits()):
        found = _most_likely(units.family(family), (values - units.center) / units.unit)
        if found is None:
            continue
        parameters = family.full(units.parameters(family.free, found[0]))
        total = float(family.log_density(values, parameters).sum())
        if np.isfinite(total):  # an edge of the support that was moved by a rounding loses a value
            errors = None if found[1] is None else units.errors(family.free, found[1])
            named = {} if errors is None else dict(zip(family.free, errors.tolist(), strict=True))
            return LikelihoodFit(family.distribution, parameters, family.free, total, named)
    raise InvalidData(f"no {family.name} distribution was found under which all values of x are possible")


def _most_likely(family: Family, values: NDArray) -> tuple[NDArray, NDArray | None] | None:
    """(θ̂, its standard errors or None); None where no parameters make all values possible."""

    def log_likelihood(theta: NDArray) -> float:
        total = float(family.log_density(values, family.full(theta)).sum())
        return total if np.isfinite(total) else -np.inf

    theta = max(_starts(family, values, log_likelihood), key=log_likelihood)
    if not np.isfinite(log_likelihood(theta)):
        return None
    return _finished(log_likelihood, theta, _first_steps(family, theta, values))


def _starts(family: Family, values: NDArray, log_likelihood: Callable[[NDArray], float]) -> list[NDArray]:
    """Answers to begin with: closed forms, SciPy's own search, the method of moments."""
    if family.name in COUNTED and len(family.free) == 1 and family.fixed.get("loc") == 0:
        return [np.array([_counted(family, values)])]
    starts, reason = [], ""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore", RuntimeWarning)
        if not family.discrete:
            try:
                found = family.distribution.fit(values, **{f"f{name}": value for name, value in family.fixed.items()})
                starts.append(
                    np.array([dict(zip(family.parameters, found, strict=True))[name] for name in family.free])
                )
            except (stats.FitError, ValueError, ArithmeticError) as fault:
                reason = str(fault)
        if not starts or not np.isfinite(log_likelihood(starts[0])):
            try:
                moments = method_of_moments(family, values).parameters
                starts.append(np.array([moments[name] for name in family.free]))
            except InvalidData as fault:
                reason = str(fault)
        if not starts:
            raise InvalidData(f"{family.name} could not be fitted to x: {reason}")
        if family.discrete:
            run = minimize(lambda t: -log_likelihood(t), starts[0], method="Nelder-Mead", options={"xatol": 1e-9})
            starts.append(run.x)
    return starts


def _counted(family: Family, values: NDArray) -> float:
    mean = float(values.mean())
    low, high = {"geom": (1, np.inf), "bernoulli": (0, 1), "binom": (0, family.fixed.get("n", 0))}.get(
        family.name, (0, np.inf)
    )
    if values.min() < low or values.max() > high:
        raise InvalidData(
            f"{family.name} gives whole numbers from {low:g} to {high:g}; x has {values.min():g} … {values.max():g}"
        )
    return COUNTED[family.name](mean, family.fixed)


def _first_steps(family: Family, theta: NDArray, values: NDArray) -> NDArray[np.float64]:
    """Small changes of each parameter: a thousandth of its size, of the spread of x for `loc`."""
    spread = float(values.std())
    sizes = [abs(t) + (spread if name == "loc" else 0.0) for name, t in zip(family.free, theta, strict=True)]
    return 1e-3 * np.array([size if size > 0 else 1.0 for size in sizes])


def _finished(
    f: Callable[[NDArray], float], theta: NDArray, first: NDArray
) -> tuple[NDArray, NDArray[np.float64] | None]:
    """Newton's steps in natural units, halved until they rise; and the standard errors, None at an edge or a kink."""
    errors = None
    for _ in range(NEWTON_STEPS):
        units = natural_units(f, theta, first)
        score, hessian, smooth = score_and_hessian(f, theta, units)
        if not (np.isfinite(score).all() and np.isfinite(hessian).all()):
            return theta, None
        values, vectors = np.linalg.eigh(-hessian)
        if values[0] <= 0:
            return theta, None
        along = vectors.T @ score
        step, gain = vectors @ (along / values), float(along @ (along / values)) / 2
        errors = units * np.sqrt(((vectors**2) / values).sum(axis=1)) if smooth else None
        if gain <= GAINED:
            break
        moved = theta + units * step
        while f(moved) < f(theta) and np.abs(step).max() > 1e-12:
            step = step / 2
            moved = theta + units * step
        if not f(moved) > f(theta):
            break
        theta = moved
    return theta, errors
