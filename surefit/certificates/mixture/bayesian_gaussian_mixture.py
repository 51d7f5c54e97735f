"""Checker of BayesianGaussianMixture: the evidence lower bound with all constants, and what one more round gains.

    ELBO = Σω log Σ_k ρ_ik − KL(g(π) ‖ p(π)) − Σ_k KL(g(μ_k, Λ_k) ‖ p)     at the best responsibilities r ∝ ρ,

    log ρ_ik = E log π_k + ½ E log|Λ_k| − (d/2) log 2π − ½ (d/β_k + (x − m_k)ᵀ Σ_k⁻¹ (x − m_k)) ,   Σ_k = W_k⁻¹/ν_k .

Precisions of columns have the Wishart law of one dimension; d of them ("diag"), or one that every column observes
("spherical"). The weights have one Dirichlet law, or sticks: a Dirichlet law of two numbers for each component.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import lgamma
from typing import Any

import numpy as np

from surefit.certificates.attributes import Attributes, bad_attributes, real
from surefit.certificates.blocks import F64, Blocks
from surefit.certificates.checker import Findings, checker
from surefit.certificates.claim import Claim, Grade
from surefit.certificates.rounding import UNIT, epsilon, gamma
from surefit.certificates.theorems.component_answers import answer_claims
from surefit.certificates.theorems.gaussian_components import (
    LOG_2PI,
    LONG,
    ROUNDINGS,
    Model,
    Pass,
    as_matrices,
    expectation,
    gain_claim,
    inverse_error,
    of_kind,
    precisions_claim,
    read_components,
    same_claim,
)
from surefit.certificates.theorems.histories import history_claim


def digamma(x: Any) -> F64:
    """ψ(x) for x > 0: ψ(x) = ψ(x + 1) − 1/x up to x ≥ 12, then its series, whose next term is below 1e-16 there."""
    x, total = np.array(x, dtype=np.float64), np.zeros(np.shape(x))
    for _ in range(12):
        low = x < 12
        total -= np.where(low, 1 / x, 0.0)
        x = np.where(low, x + 1, x)
    y = 1 / (x * x)
    series = y * (1 / 12 - y * (1 / 120 - y * (1 / 252 - y * (1 / 240 - y * (1 / 132 - y * 691 / 32760)))))
    return total + np.log(x) - 1 / (2 * x) - series


def log_gamma(x: Any) -> F64:
    return np.vectorize(lgamma, otypes=[float])(np.asarray(x, dtype=np.float64))


@dataclass
class Factors:
    """g(π), g(μ, Λ) and their priors; matrices of covariances for every component."""

    model: Model
    process: bool  # sticks
    concentration: F64  # (K, 1), or (2, K) for sticks: a Dirichlet law in each column
    beta: F64
    nu: F64  # (K,)
    prior_concentration: F64  # (1, 1), or (2, 1)
    prior_mean: F64
    prior_beta: float
    prior_nu: float
    prior_scatter: F64  # (d, d)

    @property
    def steps(self) -> F64:
        """j = 0 … d − 1 for the dimensions of a Wishart law; 0 for each law of one dimension."""
        d = len(self.prior_mean)
        return {"diag": np.zeros(d), "spherical": np.zeros(1)}.get(self.model.kind, np.arange(float(d)))

    def mean_weights(self) -> F64:
        share = self.concentration / self.concentration.sum(axis=0)
        share = share[0] * np.append(1.0, np.cumprod(share[1])[:-1]) if self.process else share[:, 0]
        return share / share.sum()

    def log_rho(self, X: F64, U: F64, reg: float) -> F64:
        d, q = X.shape[1], len(self.steps)
        logs = digamma(self.concentration) - digamma(self.concentration.sum(axis=0))
        log_pi = logs[0] + np.append(0.0, np.cumsum(logs[1])[:-1]) if self.process else logs[:, 0]
        log_det = 2 * np.log(np.diagonal(U, axis1=1, axis2=2)) - np.log(self.nu / 2)[:, None]
        log_det = d / q * (log_det[:, :q] + digamma((self.nu[:, None] - self.steps) / 2)).sum(axis=1)  # E log|Λ|
        return log_pi + (log_det - d * LOG_2PI - d / self.beta) / 2 + self.model.forms(X, U, reg)

    def divergence(self, U: F64) -> tuple[float, float]:
        """From the priors, and what roundings change in it: some of each term, and a share of what has inverses in it.

        Of W(Σ⁻¹/ν, ν) from W(S₀⁻¹, ν₀): ½ (ν₀ log|νΣ|/|S₀| + tr S₀Σ⁻¹ − νd + (ν − ν₀) Σⱼ ψ((ν − j)/2)) and the
        logarithm of Πⱼ Γ((ν₀ − j)/2)/Γ((ν − j)/2).
        """
        a, a0 = np.broadcast_arrays(self.concentration, self.prior_concentration)
        b0, nu0, S0, d, q = self.prior_beta, self.prior_nu, self.prior_scatter, len(self.prior_mean), len(self.steps)
        once = slice(1 if self.model.kind == "tied" else None)  # one matrix counts once
        nu, beta, gap, lengths = self.nu[once, None], self.beta, self.model.means - self.prior_mean, np.abs(U)
        root = np.linalg.inv(np.linalg.cholesky(S0)).T
        forms = [b0 / 2 * (gap[:, None] @ U) ** 2, (S0 * (U @ U.transpose(0, 2, 1)))[once, :q, :q] / 2]
        logs = [
            np.log(np.diagonal(root)) + 0 * nu,
            -np.log(np.diagonal(U, axis1=1, axis2=2)[once]),
            np.log(nu) / 2 + 0 * S0[0],
        ]
        terms = [*forms, *(nu0 * each[:, :q] for each in logs)]
        terms += [log_gamma(a.sum(axis=0)), -log_gamma(a), -log_gamma(a0.sum(axis=0)), log_gamma(a0)]
        terms += [(a - a0) * (digamma(a) - digamma(a.sum(axis=0))), d / 2 * (b0 / beta - 1), d / 2 * np.log(beta / b0)]
        terms += [-q * nu / 2, (nu - nu0) / 2 * digamma((nu - self.steps) / 2), -log_gamma((nu - self.steps) / 2)]
        terms.append(log_gamma((nu0 - self.steps) / 2 + 0 * nu))
        rough = [b0 * (np.abs(gap)[:, None] @ lengths) ** 2, lengths.transpose(0, 2, 1) @ np.abs(S0) @ lengths]
        size = sum(float(np.abs(each).sum()) for each in [*terms, *rough])
        felt = 2 * sum(float(form.sum()) for form in forms) + float((self.nu + nu0).sum()) * d
        share = inverse_error(S0, root, LONG) * nu0 * d * len(U) + self.model.inverse_errors(U, LONG).max() * felt
        return sum(float(term.sum()) for term in terms), gamma(64 + 8 * (d + len(U))) * size + share


@checker("weights_", "means_", "covariances_", "precisions_", "precisions_cholesky_", "weight_concentration_",
         "mean_precision_", "degrees_of_freedom_", "weight_concentration_prior_", "mean_prior_",
         "mean_precision_prior_", "degrees_of_freedom_prior_", "covariance_prior_", "lower_bound_", "lower_bounds_",
         "converged_", "n_iter_", "predict", "predict_proba", "score_samples")  # fmt: skip
def check_bayesian_gaussian_mixture(model: Any, blocks: Blocks, tol: float) -> Findings:
    """Two passes over the rows."""
    attrs = Attributes(model, "means_")
    found, bound = _read(attrs, blocks.n_features), attrs.number("lower_bound_")
    if found is None or bound is None:
        return [bad_attributes(attrs)], "nothing"
    eps = epsilon(any(X.dtype == np.float32 for X, _, _ in blocks), np.asarray(model.means_))
    off, kind, ours = np.abs(found.mean_weights() - found.model.weights), found.model.kind, hasattr(model, "history_")
    what = "weights_ are the mean chances under weight_concentration_"
    claims = [
        precisions_claim(found.model, eps),
        same_claim("chances", what, off.max(), ROUNDINGS * len(off) * eps, gamma(4 * len(off) + 8)),
    ]
    if not ours and kind != "full":
        told = f"{kind!r} has rounds other than its prior's: means, covariances, counts, bound and answers not checked."
        return [*claims, Claim("rounds", told, Grade.UNPROVED, None, tol, True)], "no pass"
    U = found.model.roots()
    now, elbo, error = _bound(blocks, found, U)
    after = _round(found, now)
    _, best, also = _bound(blocks, after, after.model.roots())
    n, slack, gained = now.weight, found.model.excuse(U, eps, blocks.n_features + abs(elbo)), best - elbo
    moved = gamma(16) * float((np.abs(after.model.means)[:, None] @ np.abs(U)).max())  # the next means are rounded
    known = error + also + moved * (moved + np.sqrt(max(gained, 0.0)))
    claims += [_one_count(found, n, eps), _priors(attrs, found, now, blocks.n_rows, eps)]
    claims.append(gain_claim(attrs, "evidence lower bound", gained, slack, tol, known, n))
    claims.append(history_claim(attrs, bound, slack * n, tol * n, ours=ours))
    if ours:
        what = f"lower_bound_ is the evidence lower bound of the factors, all constants in it, {elbo * n:.10g}, a row"
        claims.append(same_claim("lower_bound", what, abs(bound / n - elbo), tol, error, slack))
    else:
        told = f"The evidence lower bound is {elbo * n:.10g}. This model's leaves constants out: not checked."
        claims.append(Claim("lower_bound", told, Grade.UNPROVED, None, tol, True))
    claims += answer_claims(model, blocks, found.model, U, lambda X: found.log_rho(X, U, 0.0), eps)
    return claims, "two passes over the rows"


def _read(attrs: Attributes, d: int) -> Factors | None:
    base = read_components(attrs, d)
    if base is None:
        return None
    K, least = len(base.weights), 0.0 if base.kind in ("diag", "spherical") else d - 1.0
    process = attrs.text("weight_concentration_prior_type", "dirichlet_process") == "dirichlet_process"
    defaults = {"weight_concentration_prior": 1 / K, "mean_precision_prior": 1.0, "degrees_of_freedom_prior": float(d)}
    priors = [attrs.number(f"{name}_") for name in defaults]
    a, beta = attrs.array("weight_concentration_", (2, K) if process else (K,)), attrs.array("mean_precision_", (K,))
    nu, mean = attrs.array("degrees_of_freedom_", (K,), ()), attrs.array("mean_prior_", (d,))
    scatter = attrs.array("covariance_prior_", (d, d)[: {"diag": 1, "spherical": 0}.get(base.kind, 2)])
    if priors != [real(attrs.parameter(name, default)) for name, default in defaults.items()]:
        attrs.faults.append("a prior in use is not the one asked for")
    if attrs.faults or a is None or beta is None or nu is None or mean is None or scatter is None:
        return None
    a0, b0, nu0 = map(real, priors)
    if not (min(a.min(), beta.min(), a0, b0) > 0 and min(nu.min(), nu0) > least):
        attrs.faults.append("concentrations, precisions or degrees of freedom are out of their range")
        return None
    S0 = as_matrices(scatter[None], base.kind, 1, d)[0]
    law, prior = (a, np.array([[1.0], [a0]])) if process else (a[:, None], np.array([[a0]]))
    return Factors(base, process, law, beta, np.broadcast_to(nu, (K,)), prior, mean, b0, nu0, S0)


def _bound(blocks: Blocks, f: Factors, U: F64) -> tuple[Pass, float, float]:
    """The sums over the rows, the bound at the best responsibilities, a row, and what roundings may change in it."""
    now, (divergence, slip) = expectation(blocks, f.model, U, lambda X: f.log_rho(X, U, f.model.prior)), f.divergence(U)
    return now, (now.value - divergence) / now.weight, (now.error + 2 * slip) / now.weight


def counted(f: Factors, N: F64) -> tuple[F64, F64]:
    """Concentrations and degrees of freedom that count N rows in the components."""
    later = np.append(np.cumsum(N[::-1])[-2::-1], 0.0)
    concentration = f.prior_concentration + (np.stack([N, later]) if f.process else N[:, None])
    seen = {"tied": np.full(len(N), N.sum()), "spherical": len(f.prior_mean) * N}.get(f.model.kind, N)
    return concentration, f.prior_nu + seen


def _round(f: Factors, now: Pass) -> Factors:
    """The factors after one more round of updates."""
    N, kind, d = now.N, f.model.kind, len(f.prior_mean)
    xbar, beta = f.model.means + now.step, f.prior_beta + N
    means, gap = (f.prior_beta * f.prior_mean + N[:, None] * xbar) / beta[:, None], xbar - f.prior_mean
    S = now.scatter + N[:, None, None] * f.model.prior * np.eye(d)
    S = S + (f.prior_beta * N / beta)[:, None, None] * gap[:, :, None] * gap[:, None, :]
    S = np.broadcast_to(S.sum(axis=0), S.shape) if kind == "tied" else of_kind(S, kind) * (d / len(f.steps))
    concentration, nu = counted(f, N)
    model = replace(f.model, means=means, covariances=(f.prior_scatter + S) / nu[:, None, None])
    return replace(f, model=model, concentration=concentration, beta=beta, nu=nu)


def _one_count(f: Factors, total: float, eps: float) -> Claim:
    """β − β₀ = N; so are α − α₀, or the sticks' numbers, and ν − ν₀ ("spherical": N d, "tied": the sum of N)."""
    N = f.beta - f.prior_beta
    concentration, nu = counted(f, N)
    differences = [f.concentration - concentration, (f.nu - nu) / len(f.prior_mean), np.atleast_1d(N.sum() - total)]
    off = max(float(np.abs(one).max()) for one in differences) / total
    size = float(f.beta.sum() + f.concentration.max() + f.nu.max()) / total + 1
    what = "Concentrations, precisions of means and degrees of freedom count the same rows, all of them, as a share"
    return same_claim("counts", what, off, 4 * ROUNDINGS * (len(N) + 1) * eps, gamma(4 * len(N) + 24) * size)


def _priors(attrs: Attributes, f: Factors, now: Pass, n: int, eps: float) -> Claim:
    """As asked for; by default the mean of the rows and their unbiased covariance (plus reg_covar where singular)."""
    kind, d, total, places = f.model.kind, len(f.prior_mean), now.weight, f.model.means + now.step
    center = now.N @ places / now.N.sum()
    gap = places - center  # of all rows: the scatter within the components and between them
    C = of_kind((now.scatter.sum(axis=0) + (gap.T * now.N) @ gap)[None] / max(total - 1, total / 2), kind)[0]
    scale = np.sqrt(np.where(np.diagonal(C) > 0, np.diagonal(C), 1.0))
    units = np.outer(scale, scale)
    singular = np.linalg.eigvalsh(C / units)[0] < 1e-9
    mean, given = attrs.raw("mean_prior"), attrs.raw("covariance_prior")
    wanted = [C, C + singular * f.model.prior * np.eye(d)] if given is None else as_matrices(given[None], kind, 1, d)
    center = center if mean is None else np.asarray(mean, dtype=np.float64)
    far, size = float((np.abs(f.prior_mean - center) / scale).max()), float((np.abs(center) / scale).max())
    far = max(far, min(float(np.abs((f.prior_scatter - one) / units).max()) for one in wanted))
    reach = float(((np.abs(gap) + np.abs(now.step)) / scale).max())
    what = (
        "mean_prior_ and covariance_prior_ are those asked for, or of the rows (plus reg_covar where these are nearly "
    )
    what += "singular), in standard deviations of the columns"
    error, excuse = gamma(2 * n + 8 * d + 64) * (1 + far + reach**2) + 4 * UNIT * size, ROUNDINGS * (eps + gamma(n))
    return same_claim("priors", what, far, 1e-9, error, excuse * (1 + size))
