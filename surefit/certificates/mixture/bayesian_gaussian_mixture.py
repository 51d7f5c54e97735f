"""Checker of BayesianGaussianMixture: the evidence lower bound with all constants, and what one more round gains.

    ELBO = Σω log Σ_k ρ_ik − KL(g(π) ‖ p(π)) − Σ_k KL(g(μ_k, Λ_k) ‖ p)     at the best responsibilities r ∝ ρ,

    log ρ_ik = E log π_k + ½ E log|Λ_k| − (d/2) log 2π − ½ (d/β_k + (x − m_k)ᵀ Σ_k⁻¹ (x − m_k)) ,   Σ_k = W_k⁻¹/ν_k .

Precisions of columns have the Wishart law of one dimension; d of them ("diag"), or one that every column observes
("spherical"). scikit-learn's bound leaves constants out, and only for "full" are its rounds those of this model.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import lgamma, log
from typing import Any

import numpy as np

from surefit.certificates.attributes import Attributes, bad_attributes, real
from surefit.certificates.blocks import F64, Blocks
from surefit.certificates.checker import Findings, checker
from surefit.certificates.claim import Claim, Grade, at_most, failed
from surefit.certificates.predictions import sample_rows
from surefit.certificates.rounding import UNIT, epsilon, gamma
from surefit.certificates.theorems.component_answers import answer_claims, room
from surefit.certificates.theorems.gaussian_components import (
    LOG_2PI,
    NEXT_STEP,
    ROUNDINGS,
    Model,
    as_matrices,
    consistent,
    inverse_error,
    log_sum,
    read_components,
    rows_of,
)
from surefit.certificates.theorems.histories import history_claim


def digamma(x: Any) -> F64:
    """ψ(x) for x > 0: ψ(x) = ψ(x + 1) − 1/x up to x ≥ 12, then its series, whose next term is below 1e-16 there."""
    x = np.array(x, dtype=np.float64)
    total = np.zeros_like(x)
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
    concentration: F64  # (K,), or (2, K) for sticks
    beta: F64
    nu: F64  # (K,)
    prior_concentration: float
    prior_mean: F64
    prior_beta: float
    prior_nu: float
    prior_scatter: F64  # (d, d)
    process: bool

    @property
    def single(self) -> bool:
        """Wishart laws of one dimension."""
        return self.model.kind in ("diag", "spherical")

    def mean_log_weights(self) -> F64:
        if self.process:
            a, b = self.concentration
            return digamma(a) - digamma(a + b) + np.append(0.0, np.cumsum(digamma(b) - digamma(a + b))[:-1])
        return digamma(self.concentration) - digamma(self.concentration.sum())

    def mean_weights(self) -> F64:
        if self.process:
            a, b = self.concentration
            share = a / (a + b) * np.append(1.0, np.cumprod(b / (a + b))[:-1])
            return share / share.sum()
        return self.concentration / self.concentration.sum()

    def mean_log_det(self) -> F64:
        """E log|Λ_k|."""
        d = len(self.prior_mean)
        log_det = -np.array([np.linalg.slogdet(S)[1] for S in self.model.covariances]) - d * np.log(self.nu)
        half = d * digamma(self.nu / 2) if self.single else digamma((self.nu[:, None] - np.arange(d)) / 2).sum(axis=1)
        return half + d * log(2.0) + log_det

    def log_rho(self, X: F64, U: F64, reg: float) -> F64:
        """With the roots U Uᵀ = Σ⁻¹."""
        d = X.shape[1]
        constants = self.mean_log_weights() + self.mean_log_det() / 2 - d / 2 * LOG_2PI - d / (2 * self.beta)
        out = np.empty((len(X), len(self.beta)))
        for k, m in enumerate(self.model.means):
            T = (X - m) @ U[k]
            out[:, k] = constants[k] - (T * T).sum(axis=1) / 2 - reg / 2 * (U[k] ** 2).sum()
        return out

    def divergence(self) -> float:
        d, a0, b0, nu0 = len(self.prior_mean), self.prior_concentration, self.prior_beta, self.prior_nu
        K, total = len(self.beta), 0.0
        if self.process:
            a, b = self.concentration
            beta = log_gamma(1.0) + log_gamma(a0) - log_gamma(1 + a0) - log_gamma(a) - log_gamma(b) + log_gamma(a + b)
            total += float(
                (beta + (a - 1) * (digamma(a) - digamma(a + b)) + (b - a0) * (digamma(b) - digamma(a + b))).sum()
            )
        else:
            a = self.concentration
            total += float(log_gamma(a.sum()) - log_gamma(a).sum() - log_gamma(K * a0) + K * log_gamma(a0))
            total += float(((a - a0) * self.mean_log_weights()).sum())
        for k, (m, S) in enumerate(zip(self.model.means, self.model.covariances, strict=True)):
            P, gap, b = np.linalg.inv(S), m - self.prior_mean, self.beta[k]
            total += 0.5 * float(d * b0 / b + b0 * gap @ P @ gap - d + d * np.log(b / b0))
            if self.model.kind != "tied" or k == 0:
                total += self._wishart(P, float(self.nu[k]), nu0)
        return total

    def divergence_error(self, U: F64) -> float:
        """What roundings may change in it: inverses are off by a share e, sums by γ of the sizes of their terms."""
        d, total = len(self.prior_mean), 0.0
        one, sizes = gamma(64 + 8 * d * d), np.abs(self.prior_scatter)
        for k, (m, S) in enumerate(zip(self.model.means, self.model.covariances, strict=True)):
            P, gap = np.abs(U[k]) @ np.abs(U[k]).T, np.abs(m) + np.abs(self.prior_mean)
            near = np.abs(m - self.prior_mean)
            forms = float((sizes * P).sum() + self.prior_beta * near @ P @ near)
            logs = float(np.abs(np.log(np.abs(np.diagonal(U[k])))).sum()) + d * (1 + abs(log(self.nu[k])))
            laws = float(np.abs(log_gamma(self.nu[k] / 2))) + abs(float(log_gamma(self.prior_nu / 2)))
            own = forms + (self.nu[k] + self.prior_nu) * logs + d * laws + d * abs(log(self.beta[k] / self.prior_beta))
            total += one * own + inverse_error(S, U[k]) * (forms + (self.nu[k] + self.prior_nu) * d)
            total += self.prior_beta * 4 * UNIT * float(near @ P @ gap)  # of m − m₀, where both are large
        weights = np.abs(log_gamma(self.concentration)).sum() + float(np.abs(log_gamma(self.concentration.sum())))
        return total + one * float(weights + (self.concentration * (1 + np.abs(digamma(self.concentration)))).sum())

    def _wishart(self, P: F64, nu: float, nu0: float) -> float:
        """KL(W(P/ν, ν) ‖ W(S₀⁻¹, ν₀)); of one-dimensional laws added up."""
        S0, d = self.prior_scatter, len(P)
        if self.single:
            W, W0 = np.diagonal(P) / nu, 1 / np.diagonal(S0)
            if self.model.kind == "spherical":
                W, W0 = W[:1], W0[:1]
            terms = nu0 * (np.log(W0) - np.log(W)) + nu * W / W0 - nu + (nu - nu0) * digamma(nu / 2)
            return float((terms / 2 + log_gamma(nu0 / 2) - log_gamma(nu / 2)).sum())
        log_det = float(np.linalg.slogdet(P)[1]) - d * log(nu)
        half = float(digamma((nu - np.arange(d)) / 2).sum())
        normal = float((log_gamma((nu0 - np.arange(d)) / 2) - log_gamma((nu - np.arange(d)) / 2)).sum())
        trace = float(np.trace(S0 @ P))
        return (nu0 * (-float(np.linalg.slogdet(S0)[1]) - log_det) + trace - nu * d + (nu - nu0) * half) / 2 + normal


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
    try:
        elbo, total, after, moved = _round(blocks, found)
        best, _, _, also = _round(blocks, after)
        gained = best - elbo
        claims = consistent(attrs, found.model, found.model.roots(), eps)
    except np.linalg.LinAlgError:
        return [
            failed("covariances", "A covariance of the fit, or of the next round, is not positive definite.")
        ], "a pass"
    off = float(np.abs(found.mean_weights() - found.model.weights).max())
    claims.append(at_most(
        "chances", "weights_ are the mean chances under the concentrations; largest difference.", Grade.EXACT, off,
        ROUNDINGS * len(found.beta) * eps, error=gamma(4 * len(found.beta) + 8),
        failure=f"weights_ do not follow from weight_concentration_: off by {off:.2g}.",
    ))  # fmt: skip
    d = blocks.n_features
    error = max(moved, also)
    slack = ROUNDINGS * total * (d + 1) * eps + error
    ours = hasattr(model, "history_")
    if not ours and found.model.kind != "full":
        told = f"With covariance_type={found.model.kind!r} this model's rounds and answers are not those of the prior "
        told += "stated: only the parameters were checked. (The bound of its factors would be " + f"{elbo:.8g}.)"
        return [*claims, Claim("rounds", told, Grade.UNPROVED, None, tol, True)], "a pass"
    claims += [_one_count(found, total, eps), _priors(attrs, blocks, found, eps)]
    claims.append(_stationary(attrs, gained, slack + error, total, tol, 2 * error))
    claims.append(history_claim(attrs, bound, slack, tol * total, ours=ours))
    if ours:
        claims.append(at_most(
            "lower_bound",
            f"lower_bound_ is the evidence lower bound of the factors, all constants in it: {elbo:.10g}; difference, "
            "relative to the number of rows.",
            Grade.EXACT, abs(bound - elbo) / total, tol, error=error / total, excuse=slack / total,
            failure=f"lower_bound_ is {bound:.10g}, but the evidence lower bound of the factors is {elbo:.10g}.",
        ))  # fmt: skip
    else:
        told = f"The evidence lower bound is {elbo:.10g}. This model's lower_bound_ leaves constants out: not checked."
        claims.append(Claim("lower_bound", told, Grade.UNPROVED, None, tol, True))
    return [*claims, *_answers(model, blocks, found, eps)], "three passes over the rows"


def _read(attrs: Attributes, d: int) -> Factors | None:
    base = read_components(attrs, d)
    if base is None:
        return None
    K = len(base.weights)
    process = attrs.text("weight_concentration_prior_type", "dirichlet_process") == "dirichlet_process"
    concentration = attrs.array("weight_concentration_", (2, K) if process else (K,))
    beta, nu = attrs.array("mean_precision_", (K,)), attrs.array("degrees_of_freedom_", (K,), ())
    mean = attrs.array("mean_prior_", (d,))
    numbers = [attrs.number(f"{n}_prior_") for n in ("weight_concentration", "mean_precision", "degrees_of_freedom")]
    shape: tuple[int, ...] = {"full": (d, d), "tied": (d, d), "diag": (d,), "spherical": ()}[base.kind]
    scatter = attrs.array("covariance_prior_", shape)
    if attrs.faults or concentration is None or beta is None or nu is None or mean is None or scatter is None:
        return None
    a0, b0, nu0 = (float(x) if x is not None else np.nan for x in numbers)
    asked = real(attrs.parameter("weight_concentration_prior", 1.0 / K))
    same = a0 == asked and b0 == real(attrs.parameter("mean_precision_prior", 1.0))
    if not same or nu0 != real(attrs.parameter("degrees_of_freedom_prior", float(d))):
        attrs.faults.append("a prior in use is not the one asked for")
    nu = np.broadcast_to(nu, (K,))
    least = 0.0 if base.kind in ("diag", "spherical") else d - 1.0
    if not (
        (concentration > 0).all() and (beta > 0).all() and (nu > least).all() and a0 > 0 and b0 > 0 and nu0 > least
    ):
        attrs.faults.append("concentrations, precisions or degrees of freedom are out of their range")
    if attrs.faults:
        return None
    S0 = as_matrices(np.asarray([scatter]) if base.kind in ("diag", "spherical") else scatter, base.kind, 1, d)[0]
    return Factors(base, concentration, beta, nu, a0, mean, b0, nu0, S0, process)


def _round(blocks: Blocks, f: Factors) -> tuple[float, float, Factors, float]:
    """The bound, Σ ω, the factors after one more round, and what roundings here may change in the bound.

    A mean moved by δ changes Σ r (x − m)ᵀP(x − m)/2 by at most √(N tr(P Σ r (x − m)(x − m)ᵀ)) √(δᵀPδ).
    """
    K, d = f.model.means.shape
    N, first, second = np.zeros(K), np.zeros((K, d)), np.zeros((K, d, d))
    value = total = error = 0.0
    U = f.model.roots()
    for X, w in rows_of(blocks):
        joint = f.log_rho(X, U, f.model.prior)
        logs = log_sum(joint)
        R = np.exp(joint - logs[:, None]) * w[:, None]
        error += float((R * f.model.slip(X, U, joint)).sum() + gamma(blocks.n_rows + 64) * (w @ np.abs(logs)))
        value, total, N = value + float(w @ logs), total + float(w.sum()), N + R.sum(axis=0)
        for k, m in enumerate(f.model.means):
            D = X - m
            first[k] += R[:, k] @ D
            second[k] += (D * R[:, k : k + 1]).T @ D
    moved = 0.0
    for k, P in enumerate(np.linalg.inv(f.model.covariances)):
        delta = UNIT * np.abs(f.model.means[k])
        moved += float(np.sqrt(max(N[k] * np.trace(P @ second[k]), 0.0) * (delta @ np.abs(P) @ delta)))
    step = first / np.where(N > 0, N, 1.0)[:, None]
    xbar, beta = f.model.means + step, f.prior_beta + N
    means = (f.prior_beta * f.prior_mean + N[:, None] * xbar) / beta[:, None]
    gap = xbar - f.prior_mean
    S = second - N[:, None, None] * step[:, :, None] * step[:, None, :] + N[:, None, None] * f.model.prior * np.eye(d)
    S = S + (f.prior_beta * N / beta)[:, None, None] * gap[:, :, None] * gap[:, None, :]
    kind, nu = f.model.kind, f.prior_nu + N
    if kind == "tied":
        S, nu = np.broadcast_to(S.sum(axis=0), S.shape), np.full(K, f.prior_nu + N.sum())
    elif kind == "diag":
        S = np.stack([np.diag(np.diagonal(s)) for s in S])
    elif kind == "spherical":
        S, nu = np.stack([np.trace(s) * np.eye(d) for s in S]), f.prior_nu + d * N
    covariances = (f.prior_scatter + S) / nu[:, None, None]
    later = np.append(np.cumsum(N[::-1])[-2::-1], 0.0)
    concentration = np.stack([1 + N, f.prior_concentration + later]) if f.process else f.prior_concentration + N
    model = Model(f.model.weights, means, covariances, kind, f.model.prior)
    after = replace(f, model=model, concentration=concentration, beta=beta, nu=nu)
    return value - f.divergence(), total, after, 2 * (error + f.divergence_error(U)) + 4 * moved


def _one_count(f: Factors, total: float, eps: float) -> Claim:
    """β − β₀ = N; so are α − α₀, or the sticks' numbers, and ν − ν₀ ('spherical': N d, 'tied': the sum of N)."""
    N, d = f.beta - f.prior_beta, len(f.prior_mean)
    after = np.append(np.cumsum(N[::-1])[-2::-1], 0.0)
    expected = np.stack([1 + N, f.prior_concentration + after]) if f.process else f.prior_concentration + N
    counted = {"tied": np.full(len(N), N.sum()), "spherical": d * N}.get(f.model.kind, N)
    differences = [f.concentration - expected, (f.nu - f.prior_nu - counted) / d, np.atleast_1d(N.sum() - total)]
    off = max(float(np.abs(one).max()) for one in differences) / total
    size = f.beta.sum() + f.prior_beta + f.concentration.max() + f.prior_concentration + f.nu.max() + f.prior_nu
    return at_most(
        "counts", "Concentrations, precisions of means and degrees of freedom count the same rows; largest difference, "
        "relative to all rows.", Grade.EXACT, off, 4 * ROUNDINGS * (len(N) + 1) * max(eps, 2.0**-52),
        error=gamma(2 * len(N) + 12) * float(size) / total,
        failure="weight_concentration_, mean_precision_ and degrees_of_freedom_ do not count the same rows, or not all "
        f"of them: they differ by {off:.2g} of the rows.",
    )  # fmt: skip


def _priors(attrs: Attributes, blocks: Blocks, f: Factors, eps: float) -> Claim:
    """As asked for; by default the mean of the rows and their unbiased covariance (plus reg_covar where singular)."""
    kind, d = f.model.kind, len(f.prior_mean)
    total = sum(float(w.sum()) for _, w in rows_of(blocks))
    center = sum(w.astype(np.longdouble) @ X for X, w in rows_of(blocks)) / total
    center, second = center.astype(np.float64), np.zeros((d, d))
    for X, w in rows_of(blocks):
        second += ((X - center) * w[:, None]).T @ (X - center)
    C = second / total * (total / (total - 1) if total >= 2 else 2.0)
    scale = np.sqrt(np.where(np.diagonal(C) > 0, np.diagonal(C), 1.0))
    if kind == "diag":
        C = np.diag(np.diagonal(C))
    elif kind == "spherical":
        C, scale = np.trace(C) / d * np.eye(d), np.full(d, np.sqrt((scale**2).mean()))
    wanted = [C, C + f.model.prior * np.eye(d)] if np.linalg.eigvalsh(C / np.outer(scale, scale))[0] < 1e-9 else [C]
    mean, given = attrs.raw("mean_prior"), attrs.raw("covariance_prior")
    if mean is not None:
        center = np.asarray(mean, dtype=np.float64)
    if given is not None:
        wanted = [as_matrices(np.asarray([given]) if kind in ("diag", "spherical") else given, kind, 1, d)[0]]
    if center.shape != (d,) or wanted[0].shape != (d, d):
        return failed("priors", "mean_prior or covariance_prior have another shape than the data.")
    far = float((np.abs(f.prior_mean - center) / scale).max())
    differences = [float(np.abs((f.prior_scatter - one) / np.outer(scale, scale)).max()) for one in wanted]
    raised = " (plus reg_covar, as these are nearly singular)" if differences[0] > min(differences) else ""
    far = max(far, min(differences))
    size = float((np.abs(center) / scale).max())
    return at_most(
        "priors", f"mean_prior_ and covariance_prior_ are those asked for, or of the rows{raised}; largest difference, "
        "in standard deviations of the columns.", Grade.EXACT, far, 1e-9,
        error=gamma(2 * blocks.n_rows + 4 * d + 16) * (1 + far) + 2 * UNIT * size,
        excuse=ROUNDINGS * (eps + gamma(blocks.n_rows)) * (1 + size),
        failure=f"mean_prior_ or covariance_prior_ are not those asked for, or of the rows: off by {far:.2g} standard "
        "deviations of a column.",
    )  # fmt: skip


def _stationary(attrs: Attributes, gained: float, slack: float, total: float, tol: float, error: float) -> Claim:
    asked = real(attrs.parameter("tol", 1e-3))
    share, allowed = gained / total, NEXT_STEP * (asked if asked > 0 else 0.0) / total
    settled = share + error / total <= tol + slack / total
    return at_most(
        "stationary",
        "One more round of updates raises the bound by at most this, a row."
        if settled else
        f"The fit stopped by its tol={asked:g}: one more round raises the bound by this, a row; later ones may too.",
        Grade.FIXED_POINT if settled else Grade.BOUNDED, max(share, 0.0), tol if settled else max(tol, allowed),
        error=error / total, excuse=slack / total,
        failure=f"Not stationary: one more round raises the bound by {gained:.2g}; lower tol or raise max_iter.",
    )  # fmt: skip


def _answers(model: Any, blocks: Blocks, found: Factors, eps: float) -> list[Claim]:
    """score_samples, predict_proba and predict on sampled rows."""
    X, U = sample_rows(blocks), found.model.roots()
    rows = np.asarray(X, dtype=np.float64)
    joint = found.log_rho(rows, U, 0.0)
    return answer_claims(model, X, joint, room(found.model, rows, U, joint, eps), eps)
