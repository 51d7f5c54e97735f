"""Expectation and maximization for Gaussian mixtures, pass by pass.

With a variance of measurement c for every column (`reg_covar`), rows count with the mean of their log-density over
that error: log π_k N(x; m_k, Σ_k) − ½ c tr Σ_k⁻¹. The components that maximize it have the covariances Σ = S + c I, so
none can collapse, and the mean log-likelihood of the rows so measured never falls.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from surefit.engine.sources.source import Source
from surefit.solvers.mixture.gaussians import Components, density_of, expected, maximized

SPREAD = 10.0
"""Rows are measured in about their standard deviations: squares of coordinates beyond this are rare."""


class Mixture(NamedTuple):
    components: Components
    lower_bound: float
    """The mean log-likelihood of the components."""
    history: list[float]
    """At the start and after each iteration."""
    n_iter: int
    converged: bool


def expectation_maximization(
    data: Source,
    frame: tuple[np.ndarray, np.ndarray],
    start: Components,
    prior: np.ndarray,
    *,
    max_iter: int,
    tol: float,
    report: Callable[[int, float], bool],
) -> Mixture:
    """From `start` until an iteration gains less than `tol` a row. `report` may ask to stop.

    `frame` is (shift, scale); components and `prior` are in its coordinates.
    """
    components, history, converged = start, [], False
    while True:
        density = density_of(components, prior, spread=SPREAD)
        sums = expected(data, density, frame)
        history.append(sums.log_likelihood / sums.total)
        n_iter = len(history) - 1
        if n_iter and (report(n_iter, history[-1]) or history[-1] - history[-2] < tol):
            converged = history[-1] - history[-2] < tol
            break
        if n_iter == max_iter:
            break
        components = maximized(density, sums, prior)
    return Mixture(components, history[-1], history, n_iter, converged)
