"""EM with an E-step by simulation.

With draws z₁ … z_m from p(z | x, θ) the M-step maximizes the mean of log p(x, z_i | θ'). Its gain is estimated by

    Δ = mean of dᵢ ,   dᵢ = log p(x, z_i | θ') − log p(x, z_i | θ) ,

with the standard error s/√m. E[dᵢ] is a lower bound of the gain of log-likelihood, log p(x | θ') − log p(x | θ), for a
θ' that does not depend on the draws: so new draws judge it. A step whose gain is not above zero with confidence is not
taken, and more are drawn; when even the upper end is below `tol`, there is nothing to gain.
"""

from __future__ import annotations

import warnings
from typing import Any, Protocol, Self

import numpy as np
from scipy.special import ndtri
from sklearn.exceptions import ConvergenceWarning

from surefit._core.errors import InvalidData, InvalidParameter
from surefit._core.random import RandomStateLike, random_stream
from surefit.certificates import Certificate, check
from surefit.certificates.inputs import Inputs
from surefit.variational.em import need, need_counts, need_tol


class SampledModel(Protocol):
    """What MonteCarloEM asks of a model."""

    def start(self, X: Any, rng: np.random.Generator) -> Any:
        """First parameters."""

    def sample(self, X: Any, parameters: Any, n_draws: int, rng: np.random.Generator) -> Any:
        """Independent draws of the hidden variables from their posterior."""

    def maximize(self, X: Any, draws: Any) -> Any:
        """The parameters that maximize the mean of log p(x, z | θ) over the draws."""

    def log_joint(self, X: Any, draws: Any, parameters: Any) -> np.ndarray:
        """log p(x, z | θ) for each draw."""


class MonteCarloEM:
    """Monte-Carlo EM for a model with `start`, `sample`, `maximize` and `log_joint`.

    Parameters
    ----------
    model : object
        See `SampledModel`.
    n_draws : int
        Draws of the first E-step; half as many again whenever a gain cannot be told from noise.
    max_draws : int
        Draws of one E-step at most.
    max_iter : int
        Steps at most, taken or not.
    tol : float
        Stop when, with the confidence asked for, a step gains less than this (in units of log-likelihood).
    confidence : float
        Of each comparison, one-sided.
    random_state : int, None, RandomState, Generator or SeedSequence
        Seed or stream of the start and the draws.

    Attributes
    ----------
    parameters_ : object
        As the model gives them.
    history_ : list of (float, float)
        The estimated gain of each step taken, and its standard error.
    n_draws_ : int
        Draws of the last E-step.
    n_iter_ : int
        Steps tried.
    converged_ : bool
        Whether it stopped by `tol`.
    """

    parameters_: Any
    history_: list[tuple[float, float]]
    n_draws_: int
    n_iter_: int
    converged_: bool

    def __init__(
        self,
        model: SampledModel,
        *,
        n_draws: int = 100,
        max_draws: int = 100_000,
        max_iter: int = 500,
        tol: float = 1e-3,
        confidence: float = 0.95,
        random_state: RandomStateLike = None,
    ) -> None:
        need(model, ("start", "sample", "maximize", "log_joint"))
        need_counts(n_draws=n_draws, max_draws=max_draws, max_iter=max_iter)
        need_tol(tol)
        if not (2 <= n_draws <= max_draws and max_iter >= 1 and tol > 0 and 0.5 < confidence < 1):
            raise InvalidParameter(
                "MonteCarloEM needs 2 ≤ n_draws ≤ max_draws, max_iter ≥ 1, tol > 0 and a confidence between ½ and 1; "
                f"got {n_draws}, {max_draws}, {max_iter}, {tol}, {confidence}"
            )
        self.model, self.n_draws, self.max_draws, self.max_iter = model, n_draws, max_draws, max_iter
        self.tol, self.confidence, self.random_state = tol, confidence, random_state

    def fit(self, X: Any) -> Self:
        """Take steps as long as they gain, with draws as many as that takes to see."""
        rng, z = random_stream(self.random_state), float(ndtri(self.confidence))
        parameters, m = self.model.start(X, rng), self.n_draws
        history: list[tuple[float, float]] = []
        converged, n_iter = False, 0
        while not converged and n_iter < self.max_iter:
            n_iter += 1
            proposed = self.model.maximize(X, self.model.sample(X, parameters, m, rng))
            gain, error = estimated_gain(self.model, X, parameters, proposed, m, rng)
            if gain - z * error > 0:
                parameters = proposed
                history.append((gain, error))
            converged = gain + z * error <= self.tol
            if gain - z * error <= 0 and not converged:
                if m >= self.max_draws:
                    break
                m = min(self.max_draws, m + m // 2)
        self.parameters_, self.history_ = parameters, history
        self.n_draws_, self.n_iter_, self.converged_ = m, n_iter, converged
        if not converged:
            warnings.warn(
                f"MonteCarloEM stopped after {n_iter} steps and with {m} draws before a gain below tol={self.tol:g} "
                "was shown. Raise max_iter, max_draws or tol.",
                ConvergenceWarning,
                stacklevel=2,
            )
        return self

    def __repr__(self) -> str:
        return f"MonteCarloEM({type(self.model).__name__}(…))"

    def certify(self, X: Any, *, tol: float = 1e-6) -> Certificate:
        """The same as `surefit.certify(self, X, tol=tol)`."""
        return check(self, Inputs(X), tol)


def estimated_gain(
    model: SampledModel, X: Any, parameters: Any, proposed: Any, n_draws: int, rng: np.random.Generator
) -> tuple[float, float]:
    """E[log p(x, z | θ')] − E[log p(x, z | θ)] under the posterior at θ, by new draws, and its standard error."""
    draws = model.sample(X, parameters, n_draws, rng)
    joints = [np.asarray(model.log_joint(X, draws, theta)) for theta in (proposed, parameters)]
    wrong = [joint for joint in joints if joint.shape != (n_draws,) or joint.dtype.kind not in "biuf"]
    gains = joints[0] - joints[1] if not wrong else wrong[0]
    if wrong or gains.shape != (n_draws,) or not np.isfinite(gains).all():
        raise InvalidData(
            f"log_joint must give one finite number for each of {n_draws} draws; got the shape {gains.shape}"
            + (" of which some are NaN or infinite" if gains.shape == (n_draws,) else "")
        )
    return float(gains.mean()), float(gains.std(ddof=1) / np.sqrt(n_draws))
