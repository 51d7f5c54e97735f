"""A method's excess risk as its parameter grows, on data like the user's of which the best classifier is known.

What k-nearest neighbors lose against the best classifier cannot be told from one data set: the best is not known. So a
distribution is made that the data would be a likely sample of, samples of it are drawn, the method is fitted to each
with every value of its parameter, and what it loses against the Bayes classifier is measured at fresh points.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from surefit._core.data.plain_numbers import take_whole
from surefit._core.errors import InvalidData, InvalidParameter
from surefit._core.random import RandomStateLike, random_stream
from surefit.neighbors import KNeighborsClassifier
from surefit.theory.distributions.distribution import BayesRisk, Distribution
from surefit.theory.distributions.like import distribution_like
from surefit.theory.excess_risk import losses_against_bayes

Progress = Callable[[int, int], Any]


@dataclass(frozen=True)
class ExcessRiskStudy:
    """Excess risks of a method: a row for each sample drawn, a column for each value of the parameter."""

    parameter: str
    values: tuple[Any, ...]
    excess: NDArray[np.float64]  # (repeats, values)
    bayes_risk: BayesRisk
    distribution: Distribution
    n_train: int
    method: str

    @property
    def mean(self) -> NDArray[np.float64]:
        """The mean over samples, for each value."""
        return self.excess.mean(axis=0)

    @property
    def standard_error(self) -> NDArray[np.float64]:
        """Of the mean; NaN where there is one sample."""
        n = len(self.excess)
        return self.excess.std(axis=0, ddof=1) / n**0.5 if n > 1 else np.full(self.excess.shape[1], np.nan)

    @property
    def best(self) -> Any:
        """The value of least mean excess risk; of equally good ones the first."""
        return self.values[int(self.mean.argmin())]

    def plot(self, ax: Any = None, **kwargs: Any) -> Any:
        """The curve with its Monte Carlo error: `surefit.plot.ExcessRiskDisplay`."""
        import surefit

        return surefit.plot.ExcessRiskDisplay.from_study(self, ax=ax, **kwargs)

    def __str__(self) -> str:
        best = int(self.mean.argmin())
        return (
            f"{self.method} fitted to {self.n_train} rows, {len(self.excess)} times: least excess risk "
            f"{self.mean[best]:.4f} ± {self.standard_error[best]:.4f} at {self.parameter} = {self.best}; "
            f"{self.bayes_risk}"
        )


def excess_risk_study(
    X: Any = None,
    y: Any = None,
    *,
    estimator: Any = None,
    parameter: str = "n_neighbors",
    values: Sequence[Any] | None = None,
    distribution: Distribution | None = None,
    n_components: int | Sequence[int] = (1, 2, 3),
    n_train: int | None = None,
    n_test: int = 2000,
    repeats: int = 20,
    random_state: RandomStateLike = 0,
    on_progress: Progress | None = None,
) -> ExcessRiskStudy:
    """The excess risk of a method against the Bayes classifier, value by value of one parameter.

    Parameters
    ----------
    X, y : the data that the distribution is to be like; not needed with `distribution`
    estimator : classifier, optional
        k-nearest neighbors by default.
    parameter, values : the parameter that grows, and its values
        For neighbors by default odd numbers (no ties of two classes) from 1 to half of the rows.
    distribution : Distribution, optional
        By default `distribution_like(X, y, n_components=n_components)`.
    n_train, n_test, repeats : int
        Rows of each sample (as many as the data has, by default), fresh points, and samples.
    random_state : int, None, RandomState, Generator or SeedSequence
        The same seed gives the same bits.
    on_progress : callable, optional
        Called with (samples done, samples in all); the study ends early, with what is done, where it returns True.

    Examples
    --------
    >>> from surefit.theory import GaussianClasses, excess_risk_study
    >>> known = GaussianClasses([[0.0, 0.0], [2.0, 0.0]], [1.0, 1.0])
    >>> study = excess_risk_study(distribution=known, n_train=100, values=[1, 5, 25], repeats=5)
    >>> study.excess.shape, bool(study.mean[0] > study.mean[2])
    ((5, 3), True)
    """
    repeats, n_test = take_whole(repeats, "repeats"), take_whole(n_test, "n_test")
    if distribution is None:
        if X is None or y is None:
            raise InvalidData("give the data X, y that the distribution is to be like, or a distribution")
        distribution = distribution_like(X, y, n_components=n_components, random_state=random_state)
    if n_train is None and X is None:
        raise InvalidParameter("n_train must be given where there is no data")
    rows = len(X) if n_train is None else take_whole(n_train, "n_train", 2)
    model = KNeighborsClassifier() if estimator is None else estimator
    if not hasattr(model, "get_params") or isinstance(model, type):
        raise InvalidParameter(f"estimator must be a classifier; got {model!r}")
    if parameter not in model.get_params():
        raise InvalidParameter(f"{type(model).__name__} has no parameter {parameter!r}")
    tried = _values(parameter, values, rows)
    # drawn once, so that a Generator gives distribution and samples different streams
    streams = random_stream(random_state).spawn(repeats + 1)
    excess = []
    for done, stream in enumerate(streams[:-1], start=1):
        excess.append(_one_sample(model, parameter, tried, distribution, rows, n_test, stream))
        if on_progress is not None and on_progress(done, repeats) is True:
            break
    risk = distribution.bayes_risk(random_state=streams[-1])
    return ExcessRiskStudy(parameter, tried, np.array(excess), risk, distribution, rows, type(model).__name__)


def _values(parameter: str, values: Sequence[Any] | None, rows: int) -> tuple[Any, ...]:
    if values is None:
        if parameter != "n_neighbors":
            raise InvalidParameter(f"values of {parameter!r} must be given")
        return tuple(np.unique(np.geomspace(1, max(1, rows // 2), 15).astype(int) | 1).tolist())
    if not len(values):
        raise InvalidParameter("values must hold at least one value of the parameter")
    return tuple(values)


def _one_sample(
    model: Any,
    parameter: str,
    values: tuple[Any, ...],
    distribution: Distribution,
    n_train: int,
    n_test: int,
    rng: np.random.Generator,
) -> list[float]:
    """The mean loss against the Bayes classifier at fresh points, for each value."""
    X, y = distribution.sample(n_train, rng)
    fresh = distribution.points(n_test, rng)
    if len(np.unique(y)) < 2:
        raise InvalidData(f"a sample of {n_train} rows had one class only: raise n_train")
    found = []
    for value in values:
        fitted = clone(model).set_params(**{parameter: value}).fit(X, y)
        found.append(float(losses_against_bayes(fitted, distribution, fresh)[0].mean()))
    return found
