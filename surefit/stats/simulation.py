"""Bias, quadratic risk and maximal risk of an estimator, by simulation.

    bias  E_θ[T] − g(θ) ,   quadratic risk  R(T, θ) = E_θ‖T − g(θ)‖² = ‖bias‖² + variance ,   maximal risk  sup_θ R

Each number has its Monte Carlo error: the standard deviation over the repetitions, divided by √repetitions. The same
seed gives the same numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from surefit._core.data.plain_numbers import take_numbers, take_share, take_whole
from surefit._core.errors import InvalidData, InvalidParameter
from surefit._core.random import RandomStateLike, random_stream

BLOCK_VALUES = 1_000_000
"""At most so many numbers are drawn at a time."""


@dataclass(frozen=True)
class EstimatorRisk:
    """Bias and quadratic risk at one distribution, with Monte Carlo errors."""

    target: NDArray[np.float64]  # g(θ)
    bias: NDArray[np.float64]  # one number for each coordinate of the estimator
    bias_error: NDArray[np.float64]
    variance: float  # E‖T − E T‖²
    quadratic_risk: float
    quadratic_risk_error: float
    repeats: int

    def bias_interval(self, level: float = 0.95) -> tuple[NDArray, NDArray]:
        """Where the bias lies, for all coordinates together (normal approximation, Bonferroni)."""
        z = _quantile(level, len(self.bias))
        return self.bias - z * self.bias_error, self.bias + z * self.bias_error

    def risk_interval(self, level: float = 0.95) -> tuple[float, float]:
        """Where the quadratic risk lies (normal approximation)."""
        z = _quantile(level, 1)
        return max(
            0.0, self.quadratic_risk - z * self.quadratic_risk_error
        ), self.quadratic_risk + z * self.quadratic_risk_error


@dataclass(frozen=True)
class MaximalRisk:
    """The largest quadratic risk over the parameters tried; the supremum over all of them is at least as large."""

    risk: float
    error: float  # Monte Carlo error there
    parameter: Any  # where
    parameters: tuple[Any, ...]
    risks: NDArray[np.float64]
    errors: NDArray[np.float64]

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """Where the largest of the true risks lies, at the parameters tried (normal approximation, Bonferroni)."""
        z = _quantile(level, len(self.risks))
        return float((self.risks - z * self.errors).max()), float((self.risks + z * self.errors).max())


def estimator_risk(
    estimator: Callable[..., Any],
    distribution: Any,
    target: Any,
    *,
    n: int,
    repeats: int = 2000,
    vectorized: bool = False,
    random_state: RandomStateLike = 0,
) -> EstimatorRisk:
    """Bias and quadratic risk of an estimator on samples of n, by simulation.

    Parameters
    ----------
    estimator : callable
        A function of one sample that gives a number or a vector; with `vectorized` of samples in rows, called with
        `axis=1` (as numpy.mean).
    distribution : frozen distribution of scipy.stats, or callable
        What a sample is drawn from: `distribution.rvs(size, random_state)`, or `distribution(n, rng)`.
    target : float or array
        g(θ), what is estimated.
    n, repeats : int
        Size of a sample, and number of samples.
    random_state : int, None, RandomState, Generator or SeedSequence

    Examples
    --------
    The variance with 1/n is too small by σ²/n.

    >>> import numpy as np
    >>> from scipy.stats import norm
    >>> from surefit.stats import estimator_risk
    >>> found = estimator_risk(np.var, norm(0, 2), 4.0, n=10, repeats=20000, vectorized=True)
    >>> low, high = found.bias_interval(0.999)
    >>> bool(low[0] < -0.4 < high[0])
    True
    """
    goal = np.atleast_1d(take_numbers(target, "target"))
    n, repeats = take_whole(n, "n"), take_whole(repeats, "repeats", 2)
    if not callable(estimator):
        raise InvalidParameter(f"estimator must be a function of a sample; got {estimator!r}")
    rng = random_stream(random_state)
    values = np.concatenate(list(_estimates(estimator, distribution, n, repeats, vectorized, rng)))
    if values.shape[1:] != goal.shape:
        raise InvalidData(f"the estimator gives {values.shape[1]} numbers, the target has {goal.size}")
    if not np.isfinite(values).all():
        raise InvalidData(f"the estimator gave {values[~np.isfinite(values)][0]} for a sample of {n}")
    off = values - goal
    squares, root = (off**2).sum(axis=1), repeats**0.5
    return EstimatorRisk(
        goal,
        off.mean(axis=0),
        off.std(axis=0, ddof=1) / root,
        float(((values - values.mean(axis=0)) ** 2).sum(axis=1).mean()),
        float(squares.mean()),
        float(squares.std(ddof=1)) / root,
        repeats,
    )


def maximal_risk(
    estimator: Callable[..., Any],
    model: Callable[[Any], Any],
    parameters: Iterable[Any],
    *,
    target: Callable[[Any], Any] = lambda parameter: parameter,
    n: int,
    repeats: int = 2000,
    vectorized: bool = False,
    random_state: RandomStateLike = 0,
) -> MaximalRisk:
    """The largest quadratic risk of an estimator over parameters of a model.

    `model(parameter)` is the distribution, `target(parameter)` what is estimated, by default the parameter itself; the
    rest is as for `estimator_risk`. Every parameter is simulated with a stream of its own.

    >>> import numpy as np
    >>> from scipy.stats import bernoulli
    >>> from surefit.stats import maximal_risk
    >>> found = maximal_risk(np.mean, bernoulli, [0.1, 0.3, 0.5, 0.7, 0.9], n=25, vectorized=True)
    >>> low, high = found.interval(0.999)  # p(1 − p)/n is largest at 1/2
    >>> found.parameter, bool(low < 0.01 < high)
    (0.5, True)
    """
    tried = tuple(parameters)
    if not callable(model):
        raise InvalidParameter(f"model must be a function that gives a distribution; got {model!r}")
    if not tried:
        raise InvalidParameter("parameters must hold at least one parameter of the model")
    streams = random_stream(random_state).spawn(len(tried))
    found = [
        estimator_risk(estimator, model(p), target(p), n=n, repeats=repeats, vectorized=vectorized, random_state=stream)
        for p, stream in zip(tried, streams, strict=True)
    ]
    risks = np.array([f.quadratic_risk for f in found])
    errors = np.array([f.quadratic_risk_error for f in found])
    worst = int(risks.argmax())
    return MaximalRisk(float(risks[worst]), float(errors[worst]), tried[worst], tried, risks, errors)


def _estimates(
    estimator: Callable[..., Any], distribution: Any, n: int, repeats: int, vectorized: bool, rng: np.random.Generator
) -> Iterable[NDArray[np.float64]]:
    """Estimates in rows, block after block."""
    if hasattr(distribution, "rvs"):
        many = max(1, BLOCK_VALUES // n)
        for first in range(0, repeats, many):
            rows = min(many, repeats - first)
            samples = np.asarray(distribution.rvs(size=(rows, n), random_state=rng))
            if vectorized:
                found = take_numbers(estimator(samples, axis=1), "what the estimator gives")
                if found.shape[:1] != (rows,):
                    raise InvalidData(f"estimator(samples, axis=1) must give {rows} rows; got the shape {found.shape}")
                yield found.reshape(rows, -1)
            else:
                yield _stacked(estimator(sample) for sample in samples)
    elif callable(distribution):
        if vectorized:
            raise InvalidParameter("vectorized goes with a frozen distribution of scipy.stats")
        yield _stacked(estimator(distribution(n, rng)) for _ in range(repeats))
    else:
        raise InvalidParameter(f"distribution must have rvs, or be a function of (n, rng); got {distribution!r}")


def _stacked(estimates: Iterable[Any]) -> NDArray[np.float64]:
    rows = [_vector(value) for value in estimates]
    if len({len(row) for row in rows}) != 1:
        raise InvalidData("the estimator must give equally many numbers for every sample")
    return np.stack(rows)


def _vector(value: Any) -> NDArray[np.float64]:
    return take_numbers(value, "what the estimator gives").reshape(-1)


def _quantile(level: float, tests: int) -> float:
    return float(ndtri(1 - (1 - take_share(level, "level")) / (2 * tests)))
