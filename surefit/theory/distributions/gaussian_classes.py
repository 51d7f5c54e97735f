"""Classes whose densities are Gaussians, or mixtures of Gaussians."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import scipy.linalg
from numpy.typing import NDArray
from scipy.special import logsumexp, ndtr, softmax

from surefit._core.data.plain_numbers import take_numbers
from surefit._core.errors import InvalidParameter
from surefit.theory.distributions.cells import integral_of_largest
from surefit.theory.distributions.distribution import LARGEST, BayesRisk, Distribution, chances, named_classes

LOG_2_PI = float(np.log(2 * np.pi))


class Component(NamedTuple):
    """One Gaussian of one class: its share of all rows, mean, and Cholesky factor of the covariance."""

    owner: int
    share: float
    mean: NDArray[np.float64]
    root: NDArray[np.float64]


class GaussianClasses(Distribution):
    """P(Y = k) = priors[k];  X given Y = k is Gaussian, or a mixture of Gaussians.

    Parameters
    ----------
    means : list with, for each class, an array (d,), or (J, d) for a mixture of J
    covariances : list with, for each class, an array (d, d) or (J, d, d), or a number for that times the identity
    priors : array of shape (K,), optional
        Equal by default.
    weights : list with, for each class, the J weights of its mixture, optional
        Equal by default.
    classes : list of K labels, optional
        0 … K − 1 by default.

    Examples
    --------
    >>> from surefit.theory import GaussianClasses
    >>> two = GaussianClasses([[0.0, 0.0], [2.0, 0.0]], [1.0, 1.0])
    >>> print(two.bayes_risk())  # Φ(−1)
    Bayes risk in [0.1586552539, 0.1586552539] (closed form)
    """

    def __init__(
        self,
        means: Sequence[Any],
        covariances: Sequence[Any],
        *,
        priors: Any = None,
        weights: Sequence[Any] | None = None,
        classes: Any = None,
    ) -> None:
        count = len(means) if isinstance(means, (list, tuple, np.ndarray)) else 0
        self.classes = named_classes(classes, count)
        self.priors = chances(priors, count, "priors")
        if len(covariances) != count or (weights is not None and len(weights) != count):
            raise InvalidParameter(f"means, covariances and weights must have one entry for each of {count} classes")
        self.n_features = int(np.atleast_2d(take_numbers(means[0], "means")).shape[1])
        self.components = [
            Component(k, float(self.priors[k] * share), mean, root)
            for k in range(count)
            for share, mean, root in _mixture(
                means[k], covariances[k], None if weights is None else weights[k], self.n_features
            )
        ]

    def log_densities(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        """(n, classes): log of prior times density."""
        parts = np.stack([_log_normal(X, c.mean, c.root) for c in self.components], axis=1)
        with np.errstate(divide="ignore"):
            parts = parts + np.log([c.share for c in self.components])
        owner = np.array([c.owner for c in self.components])
        return np.stack([logsumexp(parts[:, owner == k], axis=1) for k in range(len(self.classes))], axis=1)

    def posterior(self, X: Any) -> NDArray[np.float64]:
        return np.asarray(softmax(self.log_densities(self.rows(X)), axis=1))

    def points(self, n: int, rng: np.random.Generator) -> NDArray[np.float64]:
        shares = np.cumsum([c.share for c in self.components])
        which = np.minimum(np.searchsorted(shares, rng.random(n) * shares[-1], side="right"), len(shares) - 1)
        means = np.stack([c.mean for c in self.components])
        roots = np.stack([c.root for c in self.components])
        return means[which] + np.einsum("nij,nj->ni", roots[which], rng.standard_normal((n, self.n_features)))

    def bayes_risk(self, **options: Any) -> BayesRisk:
        """In closed form for two Gaussians of one covariance, by cells on the line, else from draws."""
        closed = self._closed_form()
        if closed is not None:
            return closed
        if self.n_features > 1:
            return super().bayes_risk(**options)
        found = integral_of_largest(
            np.array([c.owner for c in self.components]),
            np.array([c.share for c in self.components]),
            np.array([c.mean[0] for c in self.components]),
            np.array([c.root[0, 0] for c in self.components]),
        )
        return BayesRisk(max(0.0, 1 - found.high), min(1.0, 1 - found.low), f"{found.cells} cells")

    def _closed_form(self) -> BayesRisk | None:
        """π₀ Φ((c − Δ²/2)/Δ) + π₁ Φ((−c − Δ²/2)/Δ) ,  Δ² = (μ₁ − μ₀)ᵀ Σ⁻¹ (μ₁ − μ₀) ,  c = log(π₁/π₀) ."""
        if len(self.classes) != 2 or len(self.components) != 2:
            return None
        first, second = self.components
        if not np.array_equal(first.root, second.root) or min(first.share, second.share) == 0:
            return None
        delta = float(np.linalg.norm(scipy.linalg.solve_triangular(first.root, second.mean - first.mean, lower=True)))
        if delta == 0:
            least = min(first.share, second.share)
            return BayesRisk(least, least, "closed form")
        c = float(np.log(second.share / first.share))
        risk = first.share * ndtr((c - delta**2 / 2) / delta) + second.share * ndtr((-c - delta**2 / 2) / delta)
        # the slope in Δ is at most φ(0) < 0.4, and Δ is off by a few roundings times the condition of the root
        slack = 1e-15 * (1 + 8 * delta * float(np.linalg.cond(first.root)))
        return BayesRisk(max(0.0, float(risk) - slack), float(risk) + slack, "closed form")


def _mixture(means: Any, covariances: Any, weights: Any, d: int) -> list[tuple[float, NDArray, NDArray]]:
    """(weight, mean, root) of the components of one class."""
    centers = np.atleast_2d(take_numbers(means, "means"))
    matrices = take_numbers(covariances, "covariances")
    matrices = matrices * np.eye(d) if matrices.ndim == 0 else matrices
    matrices = np.broadcast_to(matrices, (len(centers), d, d)) if matrices.ndim == 2 else matrices
    if centers.shape[1:] != (d,) or matrices.shape != (len(centers), d, d):
        raise InvalidParameter(
            f"a class with {len(centers)} components in {d} dimensions needs means ({len(centers)}, {d}) and "
            f"covariances ({len(centers)}, {d}, {d}); got {centers.shape} and {matrices.shape}"
        )
    if not ((np.abs(centers) < LARGEST).all() and (np.abs(matrices) < LARGEST).all()):
        raise InvalidParameter(f"means and covariances must be finite numbers below {LARGEST:g}")
    if not np.allclose(matrices, np.swapaxes(matrices, 1, 2), rtol=1e-12):
        raise InvalidParameter("covariances must be symmetric")
    try:
        roots = np.linalg.cholesky(matrices)
    except np.linalg.LinAlgError as fault:
        raise InvalidParameter("covariances must be positive definite") from fault
    return list(zip(chances(weights, len(centers), "weights").tolist(), centers, roots, strict=True))


def _log_normal(X: NDArray[np.float64], mean: NDArray, root: NDArray) -> NDArray[np.float64]:
    z = scipy.linalg.solve_triangular(root, (X - mean).T, lower=True, check_finite=False)
    return -0.5 * (np.einsum("ij,ij->j", z, z) + len(mean) * LOG_2_PI) - float(np.log(np.diag(root)).sum())
