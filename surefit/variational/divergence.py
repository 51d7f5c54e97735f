"""Divergence of distributions, and the bound it gives of an unknown normalizing constant.

KL(g ‖ f) = E_g[log g − log f] ≥ 0            ELBO(g) = E_g[log f̃ − log g] = log c − KL(g ‖ f̃/c) ≤ log c = log ∫ f̃
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
from scipy.integrate import quad
from scipy.special import betaln, digamma, gammaln, rel_entr

from surefit._core.errors import InvalidParameter
from surefit._core.random import RandomStateLike, random_stream


class Estimate(NamedTuple):
    value: float
    standard_error: float
    """Of simulation; 0 where nothing was drawn."""


def kl_divergence(g: Any, f: Any) -> float:
    """KL(g ‖ f) of two arrays of probabilities, or of two frozen distributions of scipy.stats of one dimension or more.

    Closed forms: normal, multivariate normal, gamma, exponential, beta, Dirichlet, Poisson, Bernoulli and binomial (of
    one size). Other distributions of one dimension are integrated or summed. Infinite where g is not within f.

    Examples
    --------
    >>> from scipy.stats import norm
    >>> from surefit.variational import kl_divergence
    >>> round(kl_divergence([0.5, 0.5], [0.25, 0.75]), 4), kl_divergence(norm(1, 1), norm(0, 1))
    (0.1438, 0.5)
    """
    if hasattr(g, "rvs") != hasattr(f, "rvs"):
        raise InvalidParameter(f"two arrays or two frozen distributions are needed; got {g!r:.80} and {f!r:.80}")
    if not hasattr(g, "rvs"):
        return _of_probabilities(g, f)
    names = _name(g), _name(f)
    if names[0] == names[1] and names[0] in _CLOSED:
        value = _CLOSED[names[0]](g, f)
        if value is not None:
            return float(value)
    if not hasattr(g, "support") or not hasattr(f, "support"):
        raise InvalidParameter(f"no divergence of {names[0]} from {names[1]} is known here; draw from g and use `elbo`")
    if hasattr(g, "pmf") != hasattr(f, "pmf"):
        raise InvalidParameter(f"one of {names[0]} and {names[1]} is of whole numbers, the other of a continuum")
    return _discrete(g, f) if hasattr(g, "pmf") else _continuous(g, f)


def elbo(
    log_density: Callable[[Any], Any], g: Any, *, n_draws: int = 10_000, random_state: RandomStateLike = None
) -> Estimate:
    """E_g[log f̃ − log g] for an unnormalized log-density and a frozen distribution g: a lower bound of log ∫ f̃.

    In one dimension by integration; else by simulation, with its standard error. `log_density` takes an array of points
    (rows in several dimensions) and gives one number for each.
    """
    if not callable(log_density):
        raise InvalidParameter(f"log_density must be a function of points; got {log_density!r:.80}")
    if not hasattr(g, "rvs"):
        raise InvalidParameter(f"g must be a frozen distribution of scipy.stats; got {g!r:.80}")
    if not isinstance(n_draws, Integral) or n_draws < 2:
        raise InvalidParameter(f"n_draws must be a whole number ≥ 2; got {n_draws!r}")
    if hasattr(g, "support") and hasattr(g, "pdf"):
        low, high = g.support()
        points = [float(q) for q in g.ppf([1e-10, 0.25, 0.5, 0.75, 1 - 1e-10])]

        def integrand(x: float) -> float:
            density = float(g.pdf(x))
            at = np.array([x])
            return (
                density * (float(np.asarray(log_density(at)).ravel()[0]) - float(g.logpdf(x))) if density > 0 else 0.0
            )

        return _told(_integral(integrand, low, high, points), 0.0)
    draws = g.rvs(n_draws, random_state=random_stream(random_state))
    values = np.asarray(log_density(draws), dtype=np.float64).reshape(-1)
    if values.shape != (n_draws,):
        raise InvalidParameter(f"log_density must give one number for each of {n_draws} points; it gave {values.size}")
    terms = values - (g.logpdf(draws) if hasattr(g, "logpdf") else g.logpmf(draws))
    return _told(float(terms.mean()), float(terms.std(ddof=1) / np.sqrt(len(terms))))


def _told(value: float, standard_error: float) -> Estimate:
    if np.isnan(value):
        raise InvalidParameter(
            "the ELBO is NaN: log_density is NaN at points where g has mass. Where the density is zero give -inf."
        )
    return Estimate(value, standard_error)


def _of_probabilities(g: Any, f: Any) -> float:
    try:
        p, q = np.asarray(g, dtype=np.float64), np.asarray(f, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InvalidParameter(
            f"two arrays of probabilities or two frozen distributions are needed; got {g!r:.80} and {f!r:.80}"
        ) from error
    if p.shape != q.shape or (p < 0).any() or (q < 0).any() or not np.allclose([p.sum(), q.sum()], 1.0, atol=1e-9):
        raise InvalidParameter("two arrays of the same shape are needed, with numbers ≥ 0 that add up to one")
    return float(rel_entr(p, q).sum())


def _name(frozen: Any) -> str:
    if hasattr(frozen, "dist"):
        return str(frozen.dist.name)
    return type(frozen).__name__.removesuffix("_frozen")


def _arguments(frozen: Any) -> tuple[tuple[float, ...], float, float]:
    """Shapes, location and scale of a frozen distribution of one dimension."""
    shapes, loc, scale = frozen.dist._parse_args(*frozen.args, **frozen.kwds)
    return tuple(float(s) for s in shapes), float(loc), float(scale)


def _normal(g: Any, f: Any) -> float:
    (m, s), (n, t) = (g.mean(), g.std()), (f.mean(), f.std())
    return float(np.log(t / s) + (s * s + (m - n) ** 2) / (2 * t * t) - 0.5)


def _gamma(g: Any, f: Any) -> float | None:
    ((a,), u, s), ((b,), v, t) = _arguments(g), _arguments(f)
    if u != v:
        return None
    return float((a - b) * digamma(a) - gammaln(a) + gammaln(b) + b * np.log(t / s) + a * (s / t - 1))


def _exponential(g: Any, f: Any) -> float | None:
    (_, u, s), (_, v, t) = _arguments(g), _arguments(f)
    return float(np.log(t / s) + s / t - 1) if u == v else None


def _beta(g: Any, f: Any) -> float | None:
    ((a, b), *place), ((c, d), *other) = _arguments(g), _arguments(f)
    if place != other:
        return None
    return float(
        betaln(c, d) - betaln(a, b) + (a - c) * digamma(a) + (b - d) * digamma(b) + (c - a + d - b) * digamma(a + b)
    )


def _poisson(g: Any, f: Any) -> float | None:
    ((a,), u, _), ((b,), v, _) = _arguments(g), _arguments(f)
    return float(a * np.log(a / b) + b - a) if u == v else None


def _bernoulli(g: Any, f: Any) -> float | None:
    ((p,), u, _), ((q,), v, _) = _arguments(g), _arguments(f)
    return _of_probabilities([p, 1 - p], [q, 1 - q]) if u == v else None


def _binomial(g: Any, f: Any) -> float | None:
    ((n, p), u, _), ((m, q), v, _) = _arguments(g), _arguments(f)
    return n * _of_probabilities([p, 1 - p], [q, 1 - q]) if (n, u) == (m, v) else None


def _normal_vector(g: Any, f: Any) -> float:
    _need_one_dimension(len(np.atleast_1d(g.mean)), len(np.atleast_1d(f.mean)))
    S, T, gap = np.atleast_2d(g.cov), np.atleast_2d(f.cov), np.atleast_1d(f.mean) - np.atleast_1d(g.mean)
    (_, of_g), (_, of_f) = np.linalg.slogdet(S), np.linalg.slogdet(T)
    spread = np.trace(np.linalg.solve(T, S)) + gap @ np.linalg.solve(T, gap)
    return float((spread - len(gap) + of_f - of_g) / 2)


def _need_one_dimension(of_g: int, of_f: int) -> None:
    if of_g != of_f:
        raise InvalidParameter(f"g and f must have the same number of dimensions; got {of_g} and {of_f}")


def _dirichlet(g: Any, f: Any) -> float:
    a, b = g.alpha, f.alpha
    _need_one_dimension(len(a), len(b))
    constants = gammaln(a.sum()) - gammaln(b.sum()) - (gammaln(a) - gammaln(b)).sum()
    return float(constants + ((a - b) * (digamma(a) - digamma(a.sum()))).sum())


_CLOSED: dict[str, Callable[[Any, Any], float | None]] = {
    "norm": _normal,
    "gamma": _gamma,
    "expon": _exponential,
    "beta": _beta,
    "poisson": _poisson,
    "bernoulli": _bernoulli,
    "binom": _binomial,
    "multivariate_normal": _normal_vector,
    "dirichlet": _dirichlet,
}


def _discrete(g: Any, f: Any) -> float:
    low, high = g.ppf(1e-15), g.ppf(1 - 1e-15)
    k = np.arange(low, high + 1)
    return float(rel_entr(g.pmf(k), f.pmf(k)).sum())


def _continuous(g: Any, f: Any) -> float:
    (low, high), (bottom, top) = g.support(), f.support()
    if low < bottom or high > top:
        return float(np.inf)

    def integrand(x: float) -> float:
        density = float(g.pdf(x))
        return density * (float(g.logpdf(x)) - float(f.logpdf(x))) if density > 0 else 0.0

    return _integral(integrand, low, high, [float(q) for q in g.ppf([1e-10, 0.25, 0.5, 0.75, 1 - 1e-10])])


def _integral(integrand: Callable[[float], float], low: float, high: float, points: list[float]) -> float:
    """In pieces between quantiles, so that no peak is missed."""
    edges = [low, *points, high]
    return float(sum(quad(integrand, a, b, limit=200)[0] for a, b in pairwise(edges) if a < b))
