"""The EM algorithm for a user's own model with hidden variables.

For any density g of the hidden variables z,

    log p(x | θ)  =  F(g, θ) + KL(g ‖ p(z | x, θ)) ,     F(g, θ) = E_g[log p(x, z | θ)] − E_g[log g] .

Both steps maximize F, one after the other: the E-step over g (the maximum is g = p(z | x, θ), where F is the
log-likelihood itself), the M-step over θ. So the log-likelihood never falls; a model whose steps do not belong together
is told so when it does.
"""

from __future__ import annotations

import warnings
from typing import Any, Protocol, Self

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from surefit._core.errors import InvalidData, InvalidParameter
from surefit._core.random import RandomStateLike, random_stream
from surefit.certificates import Certificate, check
from surefit.certificates.inputs import Inputs

ROUNDING = 1e-9
"""A fall of the log-likelihood by this share of its size is rounding."""


class HiddenVariableModel(Protocol):
    """What EM asks of a model. Parameters and posteriors are whatever the model likes them to be."""

    def start(self, X: Any, rng: np.random.Generator) -> Any:
        """First parameters."""

    def expect(self, X: Any, parameters: Any) -> Any:
        """The posterior of the hidden variables (E-step)."""

    def maximize(self, X: Any, posterior: Any) -> Any:
        """The parameters that maximize E[log p(x, z | θ)] under a posterior (M-step)."""

    def log_likelihood(self, X: Any, parameters: Any) -> float:
        """log p(x | θ) of all data."""


class EM:
    """EM for a model with `start`, `expect`, `maximize` and `log_likelihood`.

    Parameters
    ----------
    model : object
        See `HiddenVariableModel`. With a method `bound(X, posterior, parameters)`, which gives F(g, θ), both halves of
        each iteration are kept in `free_energy_`.
    max_iter : int
        Iterations at most, for each start.
    tol : float
        Stop when an iteration gains at most tol · (1 + |log-likelihood|).
    n_init : int
        Starts, of which the best is kept.
    random_state : int, None, RandomState, Generator or SeedSequence
        Seed or stream of the starts.

    Attributes
    ----------
    parameters_ : object
        As the model gives them.
    log_likelihood_ : float
        Of `parameters_`.
    history_ : list of float
        The log-likelihood at the start and after each iteration; it never falls.
    free_energy_ : list of (float, float)
        F after the E-step and after the M-step of each iteration; for models with `bound`.
    n_iter_ : int
        Iterations of the best start.
    converged_ : bool
        Whether it stopped by `tol`.

    Examples
    --------
    Two coins; each row is the number of heads in ten throws of one of them, and which one is hidden.

    >>> import numpy as np
    >>> from scipy.stats import binom
    >>> from surefit.variational import EM
    >>> class Coins:
    ...     def start(self, X, rng):
    ...         return rng.random(2)
    ...     def expect(self, X, heads):
    ...         p = binom.pmf(X[:, None], 10, heads)
    ...         return p / p.sum(axis=1, keepdims=True)
    ...     def maximize(self, X, posterior):
    ...         return X @ posterior / (10 * posterior.sum(axis=0))
    ...     def log_likelihood(self, X, heads):
    ...         return np.log(binom.pmf(X[:, None], 10, heads).mean(axis=1)).sum()
    >>> found = EM(Coins(), random_state=0).fit(np.array([5, 9, 8, 4, 7]))
    >>> np.sort(found.parameters_).round(2)
    array([0.52, 0.8 ])
    """

    parameters_: Any
    log_likelihood_: float
    history_: list[float]
    free_energy_: list[tuple[float, float]]
    n_iter_: int
    converged_: bool

    def __init__(
        self,
        model: HiddenVariableModel,
        *,
        max_iter: int = 1000,
        tol: float = 1e-10,
        n_init: int = 1,
        random_state: RandomStateLike = None,
    ) -> None:
        need(model, ("start", "expect", "maximize", "log_likelihood"))
        need_counts(max_iter=max_iter, n_init=n_init)
        need_tol(tol)
        self.model, self.max_iter, self.tol, self.n_init, self.random_state = model, max_iter, tol, n_init, random_state

    def fit(self, X: Any) -> Self:
        """Iterate from each start; keep the best."""
        rng = random_stream(self.random_state)
        best: dict[str, Any] | None = None
        for _ in range(self.n_init):
            run = self._run(X, self.model.start(X, rng))
            if best is None or run["log_likelihood_"] > best["log_likelihood_"]:
                best = run
        assert best is not None, "n_init is at least one"
        vars(self).update(best)
        if not self.converged_:
            last = self.history_[-1] - self.history_[-2]
            warnings.warn(
                f"EM stopped after {self.max_iter} iterations; the last gained {last:.3g} (tol allows "
                f"{self._allowed(self.log_likelihood_):.3g}). Raise max_iter.",
                ConvergenceWarning,
                stacklevel=2,
            )
        return self

    def certify(self, X: Any, *, tol: float = 1e-6) -> Certificate:
        """The same as `surefit.certify(self, X, tol=tol)`."""
        return check(self, Inputs(X), tol)

    def __repr__(self) -> str:
        return f"EM({type(self.model).__name__}(…))"

    def _allowed(self, value: float) -> float:
        return self.tol * (1 + abs(value))

    def _run(self, X: Any, parameters: Any) -> dict[str, Any]:
        bound = getattr(self.model, "bound", None)
        history, free_energy, converged = [self._value(X, parameters)], [], False
        while not converged and len(history) <= self.max_iter:
            posterior = self.model.expect(X, parameters)
            proposed = self.model.maximize(X, posterior)
            if bound is not None:
                both = (bound(X, posterior, theta) for theta in (parameters, proposed))
                before, after = (as_number("bound", value) for value in both)
                if not np.isfinite(before + after):
                    raise InvalidData(f"`bound` gives {before} and {after}: F(g, θ) must be finite")
                free_energy.append((before, after))
            parameters = proposed
            history.append(self._value(X, parameters))
            gain = history[-1] - history[-2]
            if gain < -ROUNDING * (1 + abs(history[-2])):
                raise InvalidData(
                    f"the log-likelihood fell by {-gain:.3g} in iteration {len(history) - 1}: `expect` is not the "
                    "posterior, or `maximize` not the maximum, of the model that `log_likelihood` belongs to"
                )
            converged = gain <= self._allowed(history[-1])
        found = {"parameters_": parameters, "log_likelihood_": history[-1], "history_": history}
        return {**found, "free_energy_": free_energy, "n_iter_": len(history) - 1, "converged_": converged}

    def _value(self, X: Any, parameters: Any) -> float:
        value = as_number("log_likelihood", self.model.log_likelihood(X, parameters))
        if not np.isfinite(value):
            raise InvalidData(
                f"the log-likelihood is {value}: the parameters left the model (a component that collapsed onto one "
                "row has an infinite density there; give it a prior)"
            )
        return value


def need(model: Any, methods: tuple[str, ...]) -> None:
    if isinstance(model, type):
        raise InvalidParameter(
            f"a model is needed, not its class: pass {model.__name__}(…) instead of {model.__name__}"
        )
    missing = [name for name in methods if not callable(getattr(model, name, None))]
    if missing:
        raise InvalidParameter(
            f"{type(model).__name__} needs the methods {', '.join(methods)}; it has no {', '.join(missing)}"
        )


def need_counts(**counts: Any) -> None:
    for name, value in counts.items():
        if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, np.integer)) or value < 1:
            raise InvalidParameter(f"{name} must be a whole number of at least 1; got {value!r}")


def need_tol(tol: Any) -> None:
    if isinstance(tol, bool) or not isinstance(tol, (int, float, np.integer, np.floating)) or not tol >= 0:
        raise InvalidParameter(f"tol must be a number of at least 0; got {tol!r}")


def as_number(method: str, given: Any) -> float:
    """What a function of the model gives, as a number."""
    try:
        return float(given)
    except (TypeError, ValueError) as fault:
        kind = f"an array of shape {given.shape}" if isinstance(given, np.ndarray) else type(given).__name__
        raise InvalidData(f"the model's `{method}` must give one number; it gave {kind}") from fault
