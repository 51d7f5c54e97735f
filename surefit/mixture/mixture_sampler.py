"""Labels and points from a mixture of distributions."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral
from typing import Any

import numpy as np
from scipy.special import logsumexp
from scipy.stats import multivariate_normal

from surefit._core.errors import InvalidParameter
from surefit._core.random import RandomStateLike, random_stream
from surefit.certificates import Certificate, check
from surefit.certificates.kernels.expression import Inputs


class MixtureSampler:
    """Draws from p(x) = Σ π_k p_k(x): a label k with the chances π, then a point from p_k.

    Parameters
    ----------
    components : sequence, or a fitted mixture
        Frozen distributions of scipy.stats, all of one dimension; anything with `rvs(size, random_state)`, and `logpdf`
        (or `logpmf`) for densities. A fitted `GaussianMixture`, surefit's or scikit-learn's, brings its own.
    weights : array of shape (n_components,), optional
        The chances π; equal by default. They are divided by their sum.

    Examples
    --------
    >>> from scipy.stats import norm
    >>> from surefit.mixture import MixtureSampler
    >>> sampler = MixtureSampler([norm(-5, 1), norm(5, 1)], weights=[0.25, 0.75])
    >>> X, labels = sampler.sample(1000, random_state=0)
    >>> X.shape, bool((labels == (X[:, 0] > 0)).mean() > 0.99)
    ((1000, 1), True)
    >>> sampler.certify(labels).holds
    True
    """

    def __init__(self, components: Any, weights: Any = None) -> None:
        if hasattr(components, "means_") and hasattr(components, "covariances_"):
            components, weights = _of_fitted(components), components.weights_ if weights is None else weights
        if not isinstance(components, Sequence) or not len(components):
            raise InvalidParameter("components must be a sequence of distributions, or a fitted mixture")
        without = [i for i, c in enumerate(components) if not callable(getattr(c, "rvs", None))]
        if without:
            raise InvalidParameter(f"component {without[0]} has no method rvs: {components[without[0]]!r}")
        self.components = tuple(components)
        self.weights = _chances(weights, len(components))

    def sample(self, n_samples: int = 1, random_state: RandomStateLike = None) -> tuple[np.ndarray, np.ndarray]:
        """Points (n_samples, dimension) and their labels, in the order in which they were drawn."""
        if not isinstance(n_samples, Integral) or n_samples < 1:
            raise InvalidParameter(f"n_samples must be at least 1, a whole number; got {n_samples!r}")
        rng = random_stream(random_state)
        chosen = np.searchsorted(np.cumsum(self.weights)[:-1], rng.random(n_samples), side="right")
        X: np.ndarray | None = None
        for k in np.unique(chosen):
            places = np.flatnonzero(chosen == k)
            points = np.asarray(self.components[k].rvs(size=len(places), random_state=rng), dtype=np.float64)
            points = points.reshape(len(places), -1)
            if X is None:
                X = np.empty((n_samples, points.shape[1]))
            if points.shape[1] != X.shape[1]:
                raise InvalidParameter(f"component {k} has {points.shape[1]} dimensions, another has {X.shape[1]}")
            X[places] = points
        assert X is not None, "there is a point"
        return X, chosen.astype(np.intp)

    def log_density(self, X: Any) -> np.ndarray:
        """log p(x) for each row."""
        return logsumexp(self._joint(X), axis=1)

    def posterior(self, X: Any) -> np.ndarray:
        """The chance of each label given the row: the classifier that no other beats takes the largest."""
        joint = self._joint(X)
        return np.exp(joint - logsumexp(joint, axis=1, keepdims=True))

    def certify(self, labels: Any, *, tol: float = 1e-6) -> Certificate:
        """The frequencies of drawn labels against the weights: the same as `surefit.certify(self, labels)`."""
        return check(self, Inputs(np.asarray(labels)), tol)

    def _joint(self, X: Any) -> np.ndarray:
        """log π_k + log p_k(x)."""
        rows = np.asarray(X, dtype=np.float64)
        rows = rows[:, None] if rows.ndim == 1 else rows
        with np.errstate(divide="ignore"):
            return np.column_stack([_log_density(c, rows) for c in self.components]) + np.log(self.weights)


def _log_density(component: Any, rows: np.ndarray) -> np.ndarray:
    density = getattr(component, "logpdf", None) or getattr(component, "logpmf", None)
    if density is None:
        raise InvalidParameter(f"{component!r} has neither logpdf nor logpmf: it can be drawn from, not evaluated")
    several = rows.shape[1] > 1 or hasattr(component, "cov")
    return np.asarray(density(rows if several else rows[:, 0])).reshape(len(rows))


def _of_fitted(model: Any) -> list[Any]:
    """The normal distributions of a fitted Gaussian mixture of any covariance type."""
    K, d = model.means_.shape
    covariances = np.asarray(model.covariances_)
    if model.covariance_type == "tied":
        covariances = np.broadcast_to(covariances, (K, d, d))
    elif model.covariance_type == "diag":
        covariances = np.stack([np.diag(v) for v in covariances])
    elif model.covariance_type == "spherical":
        covariances = covariances[:, None, None] * np.eye(d)
    return [multivariate_normal(m, S, allow_singular=True) for m, S in zip(model.means_, covariances, strict=True)]


def _chances(weights: Any, n: int) -> np.ndarray:
    """The weights divided by their sum; equal ones where none are given."""
    try:
        given = np.ones(n) if weights is None else np.asarray(weights, dtype=np.float64)
    except (TypeError, ValueError):
        given = np.empty(0)
    if given.shape != (n,) or not np.isfinite(given).all() or (given < 0).any() or not given.sum() > 0:
        raise InvalidParameter(f"weights must be {n} numbers ≥ 0, not all zero; got {weights!r}")
    return given / given.sum()
