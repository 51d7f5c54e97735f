"""The variational mixture of normal densities in many digits (mpmath), written from the densities of its factors.

ELBO = E log p(x, z, π, μ, Λ) − E log g, reckoned as Σω log Σ_k ρ_ik − KL(g(π) ‖ p) − Σ_k KL(g(μ_k, Λ_k) ‖ p).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import mpmath as mp
import numpy as np

DIGITS = 40


@dataclass
class Factors:
    kind: str
    process: bool
    concentration: Any
    beta: Any
    nu: Any
    means: Any
    covariances: Any
    a0: Any
    b0: Any
    nu0: Any
    m0: Any
    S0: Any
    prior: Any


def exact(a: Any) -> Any:
    return np.vectorize(mp.mpf, otypes=[object])(np.asarray(a, dtype=float))


def matrices(S: Any, kind: str, K: int, d: int) -> Any:
    S = exact(S)
    if kind in ("full", "tied"):
        return np.broadcast_to(S, (K, d, d))
    eye = exact(np.eye(d))
    return np.stack([eye * np.broadcast_to(v, (d,)) for v in S])


def bound_and_gain(model: Any, X: Any, w: Any) -> tuple[Any, Any]:
    """The evidence lower bound of the stored factors, and what one more round adds to it."""
    with mp.workdps(DIGITS):
        f = of_model(model)
        here = elbo(f, X, w)
        return here, elbo(next_round(f, X, w), X, w) - here


def of_model(model: Any) -> Factors:
    kind, (K, d) = model.covariance_type, model.means_.shape
    prior = np.asarray([model.covariance_prior_]) if kind in ("diag", "spherical") else model.covariance_prior_
    return Factors(
        kind, model.weight_concentration_prior_type == "dirichlet_process", exact(model.weight_concentration_),
        exact(model.mean_precision_), np.broadcast_to(exact(model.degrees_of_freedom_), (K,)), exact(model.means_),
        matrices(model.covariances_, kind, K, d), mp.mpf(float(model.weight_concentration_prior_)),
        mp.mpf(float(model.mean_precision_prior_)), mp.mpf(float(model.degrees_of_freedom_prior_)),
        exact(model.mean_prior_), matrices(prior, kind, 1, d)[0], mp.mpf(float(model.reg_covar)),
    )  # fmt: skip


def inverse_and_log_det(S: Any) -> tuple[Any, Any]:
    M = mp.matrix(S.tolist())
    P = M**-1
    return np.array(P.tolist(), dtype=object).reshape(S.shape), mp.log(mp.det(M))


def psi(x: Any) -> Any:
    return mp.digamma(x)


def mean_log_weights(f: Factors) -> list[Any]:
    if not f.process:
        total = psi(sum(f.concentration))
        return [psi(a) - total for a in f.concentration]
    out, before = [], mp.mpf(0)
    for a, b in zip(*f.concentration, strict=True):
        out.append(psi(a) - psi(a + b) + before)
        before += psi(b) - psi(a + b)
    return out


def log_rho(f: Factors, X: Any) -> Any:
    d, weights, columns = X.shape[1], mean_log_weights(f), []
    for k, m in enumerate(f.means):
        P, log_det = inverse_and_log_det(f.covariances[k])
        nu = f.nu[k]
        digammas = [psi(nu / 2)] * d if f.kind in ("diag", "spherical") else [psi((nu - j) / 2) for j in range(d)]
        log_precision = sum(digammas) + d * mp.log(2) - log_det - d * mp.log(nu)
        constant = weights[k] + log_precision / 2 - d * mp.log(2 * mp.pi) / 2 - d / (2 * f.beta[k])
        constant -= f.prior * sum(P[j, j] for j in range(d)) / 2
        D = X - m
        columns.append(constant - ((D @ P) * D).sum(axis=1) / 2)
    return np.stack(columns, axis=1)


def kl_wishart(f: Factors, P: Any, log_det: Any, nu: Any) -> Any:
    """KL(W(P/ν, ν) ‖ W(S₀⁻¹, ν₀)); log_det is that of P."""
    d, nu0 = len(P), f.nu0
    if f.kind in ("diag", "spherical"):
        total = mp.mpf(0)
        for j in range(d if f.kind == "diag" else 1):  # gamma laws: shape ν/2, rate ½/W
            a, b, a0, b0 = nu / 2, nu / (2 * P[j, j]), nu0 / 2, f.S0[j, j] / 2
            total += (a - a0) * psi(a) - mp.loggamma(a) + mp.loggamma(a0) + a0 * mp.log(b / b0) + a * (b0 - b) / b
        return total
    log_W, log_W0 = log_det - d * mp.log(nu), -inverse_and_log_det(f.S0)[1]
    mean_log = sum(psi((nu - j) / 2) for j in range(d)) + d * mp.log(2) + log_W
    trace = (f.S0 * P.T).sum()

    def log_normalizer(n: Any, log_scale: Any) -> Any:
        return n * d * mp.log(2) / 2 + n * log_scale / 2 + sum(mp.loggamma((n - j) / 2) for j in range(d))

    return (nu - nu0) * mean_log / 2 - nu * d / 2 + trace / 2 + log_normalizer(nu0, log_W0) - log_normalizer(nu, log_W)


def divergence(f: Factors) -> Any:
    total, K, d = mp.mpf(0), len(f.beta), len(f.m0)
    if f.process:
        for a, b in zip(*f.concentration, strict=True):
            both = psi(a + b)
            total += mp.log(mp.beta(1, f.a0)) - mp.loggamma(a) - mp.loggamma(b) + mp.loggamma(a + b)
            total += (a - 1) * (psi(a) - both) + (b - f.a0) * (psi(b) - both)
    else:
        a = f.concentration
        total += mp.loggamma(sum(a)) - sum(mp.loggamma(x) for x in a) - mp.loggamma(K * f.a0) + K * mp.loggamma(f.a0)
        total += sum((x - f.a0) * e for x, e in zip(a, mean_log_weights(f), strict=True))
    for k, m in enumerate(f.means):
        P, log_det = inverse_and_log_det(f.covariances[k])
        gap, ratio = m - f.m0, f.b0 / f.beta[k]
        total += (d * (ratio - 1 - mp.log(ratio)) + f.b0 * (gap @ P @ gap)) / 2
        if f.kind != "tied" or k == 0:
            total += kl_wishart(f, P, -log_det, f.nu[k])
    return total


def elbo(f: Factors, X: Any, w: Any) -> Any:
    X, total = exact(X), -divergence(f)
    for row, weight in zip(log_rho(f, X), np.asarray(w, dtype=float), strict=True):
        top = max(row)
        total += mp.mpf(float(weight)) * (top + mp.log(sum(mp.exp(v - top) for v in row)))
    return total


def next_round(f: Factors, X: Any, w: Any) -> Factors:
    X, (K, d) = exact(X), f.means.shape
    R = []
    for row, weight in zip(log_rho(f, X), np.asarray(w, dtype=float), strict=True):
        top = max(row)
        p = [mp.exp(v - top) for v in row]
        R.append([mp.mpf(float(weight)) * v / sum(p) for v in p])
    R = np.array(R, dtype=object)
    N, means, scatters = R.sum(axis=0), [], []
    for k in range(K):
        mean = R[:, k] @ X / N[k] if N[k] > 0 else f.means[k]
        gap = mean - f.m0
        D = X - mean
        S = (D * R[:, k : k + 1]).T @ D + f.b0 * N[k] / (f.b0 + N[k]) * np.outer(gap, gap)
        scatters.append(S + exact(np.eye(d)) * (N[k] * f.prior))
        means.append((f.b0 * f.m0 + N[k] * mean) / (f.b0 + N[k]))
    nu, eye = f.nu0 + N, exact(np.eye(d))
    if f.kind == "tied":
        nu, scatters = np.array([f.nu0 + sum(N)] * K, dtype=object), [sum(scatters)] * K
    elif f.kind == "diag":
        scatters = [s * eye for s in scatters]
    elif f.kind == "spherical":
        nu, scatters = f.nu0 + d * N, [eye * sum(s[j, j] for j in range(d)) for s in scatters]
    covariances = np.stack([(f.S0 + s) / n for s, n in zip(scatters, nu, strict=True)])
    after = [sum(N[k + 1 :], mp.mpf(0)) for k in range(K)]
    concentration = np.array([1 + N, [f.a0 + a for a in after]], dtype=object) if f.process else f.a0 + N
    return replace(f, means=np.stack(means), covariances=covariances, concentration=concentration, beta=f.b0 + N, nu=nu)


def mean_weights(f: Factors) -> list[Any]:
    if not f.process:
        return [a / sum(f.concentration) for a in f.concentration]
    out, rest = [], mp.mpf(1)
    for a, b in zip(*f.concentration, strict=True):
        out.append(rest * a / (a + b))
        rest *= b / (a + b)
    return [o / sum(out) for o in out]
