"""Coordinate-ascent variational inference: the best product of factors, one factor after the other.

For an unnormalized density f̃(θ) = p(x, θ) and g(θ) = Π gⱼ(θⱼ),

    ELBO(g) = E_g[log f̃] − E_g[log g]  ≤  log ∫ f̃ = log p(x) ,

and with all other factors held, ELBO is largest at gⱼ ∝ exp(E of log f̃ over the others). Each update can only raise it;
a model whose updates do not belong to its `elbo` is told so when it falls.
"""

from __future__ import annotations

import warnings
from typing import Any, Protocol, Self

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from surefit._core.errors import InvalidData
from surefit._core.random import RandomStateLike, random_stream
from surefit.certificates import Certificate, check
from surefit.certificates.inputs import Inputs
from surefit.variational.em import ROUNDING, as_number, need, need_counts, need_tol


class FactorizedModel(Protocol):
    """What CAVI asks of a model."""

    def start(self, X: Any, rng: np.random.Generator) -> dict[str, Any]:
        """First factors, by name, in the order in which they are updated."""

    def update(self, name: str, X: Any, factors: dict[str, Any]) -> Any:
        """The best factor of this name, the others held."""

    def elbo(self, X: Any, factors: dict[str, Any]) -> float:
        """E_g[log p(x, θ)] − E_g[log g], all constants included."""


class CAVI:
    """Mean-field inference for a model with `start`, `update` and `elbo`; see `surefit.variational.models`.

    Parameters
    ----------
    model : object
        See `FactorizedModel`. With a method `log_evidence(X)` the certificate checks that no ELBO is above it.
    max_iter : int
        Rounds over all factors at most, for each start.
    tol : float
        Stop when a round gains at most tol · (1 + |ELBO|).
    n_init : int
        Starts, of which the best is kept.
    random_state : int, None, RandomState, Generator or SeedSequence
        Seed or stream of the starts.

    Attributes
    ----------
    factors_ : dict
        The factors, as the model gives them.
    elbo_ : float
        Of `factors_`: a lower bound of log p(x).
    history_ : list of float
        The ELBO at the start and after every update of a factor; it never falls.
    n_iter_ : int
        Rounds of the best start.
    converged_ : bool
        Whether it stopped by `tol`.

    Examples
    --------
    >>> import numpy as np
    >>> from surefit.variational import CAVI
    >>> from surefit.variational.models import NormalModel
    >>> x = np.array([1.2, 0.8, 1.9, 1.4, 0.7])
    >>> found = CAVI(NormalModel()).fit(x)
    >>> bool(found.elbo_ <= NormalModel().log_evidence(x)), round(found.factors_["mean"].mean, 2)
    (True, 1.0)
    """

    factors_: dict[str, Any]
    elbo_: float
    history_: list[float]
    n_iter_: int
    converged_: bool

    def __init__(
        self,
        model: FactorizedModel,
        *,
        max_iter: int = 1000,
        tol: float = 1e-10,
        n_init: int = 1,
        random_state: RandomStateLike = None,
    ) -> None:
        need(model, ("start", "update", "elbo"))
        need_counts(max_iter=max_iter, n_init=n_init)
        need_tol(tol)
        self.model, self.max_iter, self.tol, self.n_init, self.random_state = model, max_iter, tol, n_init, random_state

    def fit(self, X: Any) -> Self:
        """Update factor by factor from each start; keep the best."""
        rng = random_stream(self.random_state)
        best: dict[str, Any] | None = None
        for _ in range(self.n_init):
            factors = self.model.start(X, rng)
            if not isinstance(factors, dict) or not factors:
                raise InvalidData(f"the model's `start` must give a dict of factors; it gave {factors!r:.80}")
            run = self._run(X, dict(factors))
            if best is None or run["elbo_"] > best["elbo_"]:
                best = run
        assert best is not None, "n_init is at least one"
        vars(self).update(best)
        if not self.converged_:
            warnings.warn(
                f"CAVI stopped after {self.max_iter} rounds before a gain of at most tol={self.tol:g}. Raise max_iter.",
                ConvergenceWarning,
                stacklevel=2,
            )
        return self

    def certify(self, X: Any, *, tol: float = 1e-6) -> Certificate:
        """The same as `surefit.certify(self, X, tol=tol)`."""
        return check(self, Inputs(X), tol)

    def __repr__(self) -> str:
        return f"CAVI({type(self.model).__name__}(…))"

    def _run(self, X: Any, factors: dict[str, Any]) -> dict[str, Any]:
        history, converged, n_iter = [self._value(X, factors)], False, 0
        while not converged and n_iter < self.max_iter:
            n_iter += 1
            before = history[-1]
            for name in list(factors):
                factors = {**factors, name: self.model.update(name, X, factors)}
                history.append(self._value(X, factors))
                if history[-1] < history[-2] - ROUNDING * (1 + abs(history[-2])):
                    raise InvalidData(
                        f"the ELBO fell by {history[-2] - history[-1]:.3g} when the factor {name!r} was updated: "
                        "`update` and `elbo` do not belong to one model"
                    )
            converged = history[-1] - before <= self.tol * (1 + abs(before))
        return {
            "factors_": factors,
            "elbo_": history[-1],
            "history_": history,
            "n_iter_": n_iter,
            "converged_": converged,
        }

    def _value(self, X: Any, factors: dict[str, Any]) -> float:
        value = as_number("elbo", self.model.elbo(X, factors))
        if not np.isfinite(value):
            raise InvalidData(f"the ELBO is {value}: a factor left the range of its parameters")
        return value
