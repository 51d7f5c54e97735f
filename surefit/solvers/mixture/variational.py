"""Mean-field inference for Gaussian mixtures: g(z) g(π) Π g(μ_k, Λ_k), with the whole evidence lower bound.

    Λ_k ~ W(W₀, ν₀) ,  μ_k | Λ_k ~ N(m₀, (β₀ Λ_k)⁻¹) ,  π ~ Dirichlet(α₀), or a Dirichlet process by its sticks

Matrices for each component ("full"), one for all ("tied"), or precisions of columns ("diag") or of all columns together
("spherical"), which have the Wishart law of one dimension. With N_k, x̄_k and S_k the weight, mean and scatter of the
rows of a component under the responsibilities,

    β = β₀ + N ,  m = (β₀m₀ + Nx̄)/β ,  W⁻¹ = W₀⁻¹ + S + (β₀N/β)(x̄ − m₀)(x̄ − m₀)ᵀ ,  ν = ν₀ + observations of Λ .

The best responsibilities are ∝ ρ_ik with

    log ρ_ik = E log π_k + ½ E log|Λ_k| − (d/2) log 2π − ½ (d/β_k + ν_k (x − m)ᵀW_k(x − m)) ,

and at them  ELBO = Σ ω log Σ_k ρ_ik − KL(g(π) ‖ p(π)) − Σ_k KL(g(μ_k, Λ_k) ‖ p).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.special import betaln, digamma, gammaln, multigammaln

from surefit.solvers.mixture.gaussians import LOG_2PI, MOST_COLUMNS, TINY, Components, CovarianceType, Density, Sums


@dataclass(frozen=True)
class Prior:
    concentration: float
    process: bool
    """Sticks of a Dirichlet process, rather than a Dirichlet distribution."""
    mean: np.ndarray
    mean_precision: float
    degrees: float
    scatter: np.ndarray
    """W₀⁻¹: (d, d), (d,) or a number, by the covariance type."""
    kind: CovarianceType


@dataclass(frozen=True)
class Posterior:
    prior: Prior
    concentration: np.ndarray
    """Dirichlet: α (K,). Process: the two numbers of each stick's beta distribution, (2, K)."""
    mean_precision: np.ndarray
    means: np.ndarray
    degrees: np.ndarray
    """(K,), or one number for 'tied'."""
    covariances: np.ndarray
    """W⁻¹/ν, by the covariance type."""

    @property
    def n_components(self) -> int:
        return len(self.means)

    def components(self) -> Components:
        return Components(self.weights(), self.means, self.covariances, self.prior.kind)

    def weights(self) -> np.ndarray:
        """Mean chances, divided by their sum."""
        if self.prior.process:
            a, b = self.concentration
            share = a / (a + b) * np.concatenate([[1.0], np.cumprod(b / (a + b))[:-1]])
            return share / share.sum()
        return self.concentration / self.concentration.sum()

    def mean_log_weights(self) -> np.ndarray:
        if self.prior.process:
            a, b = self.concentration
            total = digamma(a + b)
            return digamma(a) - total + np.concatenate([[0.0], np.cumsum(digamma(b) - total)[:-1]])
        return digamma(self.concentration) - digamma(self.concentration.sum())

    def log_det_scale(self, roots: np.ndarray) -> np.ndarray:
        """log|W_k| over all columns, from U with U Uᵀ = νW."""
        d = self.means.shape[1]
        if self.prior.kind in ("full", "tied"):
            whole = 2 * np.log(np.diagonal(roots, axis1=-2, axis2=-1)).sum(axis=-1)
        elif self.prior.kind == "diag":
            whole = 2 * np.log(roots).sum(axis=1)
        else:
            whole = 2 * d * np.log(roots)
        return whole - d * np.log(self.degrees)

    def mean_log_det(self, roots: np.ndarray) -> np.ndarray:
        """E log|Λ_k|."""
        d, nu = self.means.shape[1], np.asarray(self.degrees, dtype=np.float64)
        if self.prior.kind in ("full", "tied"):
            half = digamma((nu[..., None] - np.arange(d)) / 2).sum(axis=-1)
        else:
            half = d * digamma(nu / 2)
        return half + d * np.log(2.0) + self.log_det_scale(roots)

    def density(self, reg: np.ndarray, spread: float | None) -> Density:
        """log ρ as constants and quadratic forms; `reg` as in `gaussians.density_of`."""
        roots, (K, d) = self.components().roots(), self.means.shape
        if self.prior.kind in ("full", "tied"):
            precisions = np.broadcast_to((roots * roots).sum(axis=-1), (K, d))
        else:
            precisions = np.broadcast_to(roots.reshape(K, -1) ** 2, (K, d))
        constants = (
            self.mean_log_weights() + self.mean_log_det(roots) / 2 - d / 2 * LOG_2PI - d / (2 * self.mean_precision)
        )
        constants = constants - precisions @ reg / 2
        near = spread is not None and d <= MOST_COLUMNS and float(precisions.sum(axis=1).max()) * spread <= TINY
        return Density(self.means, roots, constants, self.prior.kind, near)

    def divergence(self) -> float:
        """KL of the factors of π, μ and Λ from their priors."""
        return self._of_weights() + self._of_means() + self._of_precisions()

    def _of_weights(self) -> float:
        K, a0 = self.n_components, self.prior.concentration
        if self.prior.process:
            a, b = self.concentration
            total = digamma(a + b)
            terms = betaln(1.0, a0) - betaln(a, b) + (a - 1) * (digamma(a) - total) + (b - a0) * (digamma(b) - total)
            return float(terms.sum())
        a = self.concentration
        constants = gammaln(a.sum()) - gammaln(a).sum() - gammaln(K * a0) + K * gammaln(a0)
        return float(constants + ((a - a0) * self.mean_log_weights()).sum())

    def _of_means(self) -> float:
        b, b0, d = self.mean_precision, self.prior.mean_precision, self.means.shape[1]
        roots, gap = self.components().roots(), self.means - self.prior.mean
        if self.prior.kind == "full":
            along = np.einsum("ki,kij->kj", gap, roots)
        elif self.prior.kind == "tied":
            along = gap @ roots
        else:
            along = gap * roots.reshape(len(gap), -1)
        far = (along**2).sum(axis=1)  # ν (m − m₀)ᵀ W (m − m₀)
        return float((d * b0 / b + b0 * far - d + d * np.log(b / b0)).sum() / 2)

    def _of_precisions(self) -> float:
        """KL of Wishart laws: of d dimensions, or of d (or one) independent ones of one dimension."""
        kind, prior, d = self.prior.kind, self.prior, self.means.shape[1]
        nu, nu0 = np.asarray(self.degrees, dtype=np.float64), prior.degrees
        roots = self.components().roots()
        if kind in ("full", "tied"):
            log_det, log_det0 = self.log_det_scale(roots), -np.linalg.slogdet(prior.scatter)[1]
            trace = np.einsum("ij,...jk,...ik->...", prior.scatter, roots, roots)  # ν tr(W₀⁻¹W)
            half = digamma((nu[..., None] - np.arange(d)) / 2).sum(axis=-1)
            normal = multigammaln(nu0 / 2, d) - np.array([multigammaln(v / 2, d) for v in np.atleast_1d(nu)]).reshape(
                nu.shape
            )
            terms = (nu0 * (log_det0 - log_det) + trace - nu * d + (nu - nu0) * half) / 2 + normal
            return float(np.sum(terms))
        wide = roots.reshape(self.n_components, -1) ** 2  # νW
        W0 = 1.0 / np.broadcast_to(prior.scatter, (wide.shape[1],))
        W, v = wide / nu[:, None], nu[:, None]
        normal = gammaln(nu0 / 2) - gammaln(v / 2)
        terms = (nu0 * (np.log(W0) - np.log(W)) + wide / W0 - v + (v - nu0) * digamma(v / 2)) / 2 + normal
        return float(terms.sum())


def updated(prior: Prior, density: Density, sums: Sums, reg: np.ndarray) -> Posterior:
    """The factors of π, μ and Λ that the sums of a pass ask for."""
    d = density.means.shape[1]
    N = sums.weight
    some = np.where(N > 0, N, 1.0)
    step = sums.first / some[:, None]
    xbar = density.means + step
    beta = prior.mean_precision + N
    means = (prior.mean_precision * prior.mean + N[:, None] * xbar) / beta[:, None]
    gap, pull = xbar - prior.mean, prior.mean_precision * N / beta
    if prior.kind in ("full", "tied"):
        scatter = sums.second - N[:, None, None] * step[:, :, None] * step[:, None, :]
        scatter = (scatter + scatter.transpose(0, 2, 1)) / 2 + N[:, None, None] * np.diag(reg)
        scatter = scatter + pull[:, None, None] * gap[:, :, None] * gap[:, None, :]
    else:
        scatter = np.maximum(sums.second - N[:, None] * step * step, 0.0) + N[:, None] * reg + pull[:, None] * gap**2
    degrees: np.ndarray
    if prior.kind == "tied":
        degrees = np.array(prior.degrees + N.sum())
        covariances = (prior.scatter + scatter.sum(axis=0)) / degrees
    elif prior.kind == "spherical":
        degrees = prior.degrees + d * N
        covariances = (prior.scatter + scatter.sum(axis=1)) / degrees
    else:
        degrees = prior.degrees + N
        covariances = (prior.scatter + scatter) / (degrees[:, None, None] if prior.kind == "full" else degrees[:, None])
    if prior.process:
        after = np.concatenate([np.cumsum(N[::-1])[-2::-1], [0.0]])
        concentration = np.stack([1.0 + N, prior.concentration + after])
    else:
        concentration = prior.concentration + N
    return Posterior(prior, concentration, beta, means, degrees, covariances)


def in_units(posterior: Posterior, shift: np.ndarray, scale: np.ndarray) -> Posterior:
    """The same factors for x, where they were those of (x − shift)·scale."""
    kind = posterior.prior.kind
    size = np.outer(scale, scale) if kind in ("full", "tied") else scale[0] ** 2 if kind == "spherical" else scale**2
    prior = replace(posterior.prior, mean=shift + posterior.prior.mean / scale, scatter=posterior.prior.scatter / size)
    return replace(
        posterior, prior=prior, means=shift + posterior.means / scale, covariances=posterior.covariances / size
    )
