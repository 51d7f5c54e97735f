"""Worked models for `CAVI`: their factors, updates and whole ELBO; where it is known, the evidence too."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.special import digamma, gammaln, logsumexp

from surefit._core.data.faults import refuse_non_finite
from surefit._core.errors import InvalidData

LOG_2PI = float(np.log(2 * np.pi))


def _numbers(rows: Any, ndim: int) -> np.ndarray:
    """The data of a model, which must be finite numbers in an array of `ndim` dimensions."""
    given = np.asarray(rows)
    if given.dtype.kind not in "fiub" or given.ndim != ndim or not given.size:
        shape = "one dimension" if ndim == 1 else f"{ndim} dimensions"
        raise InvalidData(f"this model needs numbers in {shape}; got {given.dtype} in the shape {given.shape}")
    refuse_non_finite(given, "X")
    return given


class Normal(NamedTuple):
    mean: float
    variance: float


class NormalVector(NamedTuple):
    mean: np.ndarray
    covariance: np.ndarray


class Gamma(NamedTuple):
    """Density b^a τ^(a−1) e^(−bτ) / Γ(a)."""

    shape: float
    rate: float

    @property
    def mean(self) -> float:
        return self.shape / self.rate

    @property
    def mean_log(self) -> float:
        return float(digamma(self.shape) - np.log(self.rate))

    @property
    def entropy(self) -> float:
        return float(self.shape - np.log(self.rate) + gammaln(self.shape) + (1 - self.shape) * digamma(self.shape))

    def mean_log_density(self, other: Gamma) -> float:
        """E[log of this density] when τ follows the other."""
        a, b = self
        return float(a * np.log(b) - gammaln(a) + (a - 1) * other.mean_log - b * other.mean)


class NormalModel:
    """xᵢ ~ N(μ, 1/τ) with μ | τ ~ N(m₀, 1/(κ₀ τ)) and τ ~ Gamma(a₀, b₀); the posterior is taken as g(μ) g(τ)."""

    def __init__(self, m0: float = 0.0, kappa0: float = 1.0, a0: float = 1.0, b0: float = 1.0) -> None:
        self.m0, self.kappa0, self.prior = m0, kappa0, Gamma(a0, b0)

    def start(self, x: np.ndarray, rng: np.random.Generator) -> dict[str, Any]:
        x = _numbers(x, 1)
        return {"mean": Normal(float(np.mean(x)), 1.0), "precision": self.prior}

    def update(self, name: str, x: np.ndarray, factors: dict[str, Any]) -> Any:
        n, total = len(x), self.kappa0 + len(x)
        if name == "mean":
            mean = (self.kappa0 * self.m0 + float(np.sum(x))) / total
            return Normal(mean, 1 / (total * factors["precision"].mean))
        return Gamma(self.prior.shape + (n + 1) / 2, self.prior.rate + sum(self._squares(x, factors["mean"])) / 2)

    def _squares(self, x: np.ndarray, mean: Normal) -> tuple[float, float]:
        """E[Σ (xᵢ − μ)²] and κ₀ E[(μ − m₀)²]."""
        data = float(((x - mean.mean) ** 2).sum()) + len(x) * mean.variance
        return data, self.kappa0 * ((mean.mean - self.m0) ** 2 + mean.variance)

    def elbo(self, x: np.ndarray, factors: dict[str, Any]) -> float:
        mean, precision = factors["mean"], factors["precision"]
        n, (data, prior) = len(x), self._squares(x, mean)
        likelihood = n / 2 * (precision.mean_log - LOG_2PI) - precision.mean * data / 2
        of_mean = (np.log(self.kappa0) + precision.mean_log - LOG_2PI) / 2 - precision.mean * prior / 2
        entropy = (LOG_2PI + 1 + np.log(mean.variance)) / 2 + precision.entropy
        return float(likelihood + of_mean + self.prior.mean_log_density(precision) + entropy)

    def log_evidence(self, x: np.ndarray) -> float:
        """log p(x): the prior is conjugate."""
        n, (a0, b0), center = len(x), self.prior, float(np.mean(x))
        a, total = a0 + n / 2, self.kappa0 + n
        b = b0 + (((x - center) ** 2).sum() + self.kappa0 * n * (center - self.m0) ** 2 / total) / 2
        ratio = gammaln(a) - gammaln(a0) + a0 * np.log(b0) - a * np.log(b)
        return float(ratio + (np.log(self.kappa0) - np.log(total) - n * LOG_2PI) / 2)


class LinearRegressionModel:
    """y ~ N(X w, 1/τ) with w | τ ~ N(0, I/(α τ)) and τ ~ Gamma(a₀, b₀); the posterior is taken as g(w) g(τ).

    The data are the columns [X, y].
    """

    def __init__(self, alpha: float = 1.0, a0: float = 1.0, b0: float = 1.0) -> None:
        self.alpha, self.prior = alpha, Gamma(a0, b0)

    def _parts(self, data: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """X, y and XᵀX + αI."""
        X, y = data[:, :-1], data[:, -1]
        return X, y, X.T @ X + self.alpha * np.eye(X.shape[1])

    def start(self, data: np.ndarray, rng: np.random.Generator) -> dict[str, Any]:
        d = _numbers(data, 2).shape[1] - 1
        return {"coefficients": NormalVector(np.zeros(d), np.eye(d)), "precision": self.prior}

    def update(self, name: str, data: np.ndarray, factors: dict[str, Any]) -> Any:
        X, y, A = self._parts(data)
        if name == "coefficients":
            return NormalVector(np.linalg.solve(A, X.T @ y), np.linalg.inv(A) / factors["precision"].mean)
        n, d = X.shape
        return Gamma(self.prior.shape + (n + d) / 2, self.prior.rate + self._squares(data, factors["coefficients"]) / 2)

    def _squares(self, data: np.ndarray, w: NormalVector) -> float:
        """E[‖y − Xw‖² + α ‖w‖²]."""
        X, y, A = self._parts(data)
        left = y - X @ w.mean
        return float(left @ left + self.alpha * w.mean @ w.mean + np.sum(A * w.covariance))

    def elbo(self, data: np.ndarray, factors: dict[str, Any]) -> float:
        w, precision = factors["coefficients"], factors["precision"]
        n, d = len(data), data.shape[1] - 1
        known = (n + d) / 2 * (precision.mean_log - LOG_2PI) + d / 2 * np.log(self.alpha)
        entropy = (d * (LOG_2PI + 1) + np.linalg.slogdet(w.covariance)[1]) / 2 + precision.entropy
        of_precision = self.prior.mean_log_density(precision)
        return float(known - precision.mean * self._squares(data, w) / 2 + of_precision + entropy)

    def log_evidence(self, data: np.ndarray) -> float:
        """log p(y | X): the prior is conjugate."""
        X, y, A = self._parts(data)
        (n, d), (a0, b0) = X.shape, self.prior
        m = np.linalg.solve(A, X.T @ y)
        left = y - X @ m
        a, b = a0 + n / 2, b0 + (left @ left + self.alpha * m @ m) / 2
        ratio = gammaln(a) - gammaln(a0) + a0 * np.log(b0) - a * np.log(b)
        return float(ratio + (d * np.log(self.alpha) - np.linalg.slogdet(A)[1] - n * LOG_2PI) / 2)


class MixtureModel:
    """Rows from one of K groups: z ~ π, x | z = k ~ N(μ_k, σ² I), π ~ Dirichlet(α₀), μ_k ~ N(0, t² I).

    The posterior is taken as g(z) g(π) g(μ₁) … g(μ_K).
    """

    def __init__(self, n_components: int, variance: float = 1.0, spread: float = 10.0, alpha0: float = 1.0) -> None:
        self.n_components, self.variance, self.spread_sq, self.alpha0 = n_components, variance, spread**2, alpha0

    def start(self, X: np.ndarray, rng: np.random.Generator) -> dict[str, Any]:
        X, K = _numbers(X, 2), self.n_components
        means = X[rng.choice(len(X), K, replace=len(X) < K)]
        factors = {
            "labels": np.full((len(X), K), 1 / K),
            "weights": np.full(K, self.alpha0),
            "means": (means.astype(float), np.full(K, self.variance)),
        }
        return {**factors, "labels": self.update("labels", X, factors)}

    def update(self, name: str, X: np.ndarray, factors: dict[str, Any]) -> Any:
        if name == "labels":
            scores = self._scores(X, factors)
            return np.exp(scores - logsumexp(scores, axis=1, keepdims=True))
        sizes = factors["labels"].sum(axis=0)
        if name == "weights":
            return self.alpha0 + sizes
        variance = 1 / (1 / self.spread_sq + sizes / self.variance)
        return (factors["labels"].T @ X) * (variance / self.variance)[:, None], variance

    def _scores(self, X: np.ndarray, factors: dict[str, Any]) -> np.ndarray:
        """E[log π_k + log N(x; μ_k, σ²I)] for each row and group."""
        (m, v), d = factors["means"], X.shape[1]
        sq_dist = ((X[:, None, :] - m) ** 2).sum(axis=2) + d * v
        return (
            self._mean_log_weights(factors) - d / 2 * (LOG_2PI + np.log(self.variance)) - sq_dist / (2 * self.variance)
        )

    @staticmethod
    def _mean_log_weights(factors: dict[str, Any]) -> np.ndarray:
        return digamma(factors["weights"]) - digamma(factors["weights"].sum())

    def elbo(self, X: np.ndarray, factors: dict[str, Any]) -> float:
        r, alpha, (m, v), d = factors["labels"], factors["weights"], factors["means"], X.shape[1]
        rows = (r * self._scores(X, factors)).sum() - np.where(r > 0, r * np.log(np.where(r > 0, r, 1.0)), 0.0).sum()
        prior, mean_log = np.full(len(alpha), self.alpha0), self._mean_log_weights(factors)
        weights = _log_normalizer(prior) - _log_normalizer(alpha) + ((prior - alpha) * mean_log).sum()
        in_prior = -(d / 2 * (LOG_2PI + np.log(self.spread_sq)) + ((m**2).sum(axis=1) + d * v) / (2 * self.spread_sq))
        means = (in_prior + d / 2 * (LOG_2PI + 1 + np.log(v))).sum()
        return float(rows + weights + means)


def _log_normalizer(alpha: np.ndarray) -> float:
    return float(gammaln(alpha.sum()) - gammaln(alpha).sum())
