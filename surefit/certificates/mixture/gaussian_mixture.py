"""Checker of GaussianMixture: parameters that belong together, the likelihood recomputed, what one more step gains.

With r_ik = π_k N(x_i; m_k, Σ_k)/p(x_i), one step of expectation and maximization from the stored parameters θ gives θ',
and the mean log-likelihood can only rise. Its gain is measured by doing the step; at a stationary point it is zero.
For any θ' the mean log-likelihood is at least ELBO(r, θ') = mean of Σ_k r_ik (log π'_k N'_k(x_i) − log r_ik), with
equality at θ' = θ (docs/certificates/mixture.md). A variance c of measurement (reg_covar) takes ½ c tr Σ⁻¹ from each
log N.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from surefit.certificates.attributes import Attributes, bad_attributes, real
from surefit.certificates.blocks import F64, Blocks
from surefit.certificates.checker import Findings, checker
from surefit.certificates.claim import Claim, Grade, at_most
from surefit.certificates.rounding import epsilon, gamma
from surefit.certificates.theorems.component_answers import answer_claims
from surefit.certificates.theorems.gaussian_components import (
    LOG_2PI,
    LOOSEST,
    ROUNDINGS,
    Model,
    Pass,
    expectation,
    gain_claim,
    of_kind,
    precisions_claim,
    read_components,
    same_claim,
)
from surefit.certificates.theorems.histories import history_claim


@checker("weights_", "means_", "covariances_", "precisions_", "precisions_cholesky_", "lower_bound_", "lower_bounds_",
         "converged_", "n_iter_", "collapsed_", "predict", "predict_proba", "score_samples")  # fmt: skip
def check_gaussian_mixture(model: Any, blocks: Blocks, tol: float) -> Findings:
    """Three passes over the rows."""
    attrs = Attributes(model, "means_")
    found = read_components(attrs, blocks.n_features)
    bound = attrs.number("lower_bound_")
    if found is None or bound is None:
        return [bad_attributes(attrs)], "nothing"
    eps = epsilon(any(X.dtype == np.float32 for X, _, _ in blocks), np.asarray(model.means_))
    ours = hasattr(model, "collapsed_")
    felt = found.prior if ours else 0.0  # scikit-learn adds it to variances, but not to its likelihood
    U = found.roots()
    now = expectation(blocks, found, U, lambda X: log_joint(found, X, U, felt))
    after = next_step(found, now)
    V = after.roots()
    best = expectation(blocks, after, V, lambda X: log_joint(after, X, V, felt))
    level, n = now.value / now.weight, now.weight
    gained, error, slack = (best.value - now.value) / n, (best.error + now.error) / n, found.excuse(U, eps, level)
    gained = gained if ours else max(gained, divergence(found, after, U))
    before = 0.0 if ours else min(max(2 * gained, real(attrs.parameter("tol", 1e-3))), LOOSEST)
    squares = not ours and found.kind in ("diag", "spherical")
    return [
        _weights(found, eps),
        precisions_claim(found, eps),
        _bound(bound, level, before, tol, now.error / n, slack),
        history_claim(attrs, bound, slack, tol, ours=ours),
        *_collapsed(attrs, found, eps),
        gain_claim(attrs, "mean log-likelihood", gained, slack, tol, error, 1.0),
        *answer_claims(model, blocks, found, U, lambda X: log_joint(found, X, U, 0.0), eps, squares),
    ], "three passes over the rows"


def log_joint(found: Model, X: F64, U: F64, prior: float) -> F64:
    """log π_k + log N(x; m_k, Σ_k) − ½ prior tr Σ_k⁻¹."""
    logs = np.log(np.diagonal(U, axis1=1, axis2=2)).sum(axis=1)
    return np.log(found.weights) + logs - X.shape[1] / 2 * LOG_2PI + found.forms(X, U, prior)


def divergence(found: Model, after: Model, U: F64) -> float:
    """Of the components after a step from those before: what its maximization gains, zero where nothing moves.

    KL(π⁺ ‖ π) + Σ π⁺_k KL(N⁺_k ‖ N_k), the second being ½ (tr B − log|B| − d + ‖Uᵀ(m⁺ − m)‖²), B = UᵀΣ⁺U.
    """
    B, step = U.transpose(0, 2, 1) @ after.covariances @ U, (after.means - found.means)[:, None] @ U
    spread = np.trace(B, axis1=1, axis2=2) - np.linalg.slogdet(B)[1] - B.shape[1]
    each = np.log(after.weights / found.weights) + (spread + (step**2).sum(axis=(1, 2))) / 2
    return float(after.weights[after.weights > 0] @ each[after.weights > 0])


def next_step(found: Model, now: Pass) -> Model:
    """One step of expectation and maximization."""
    S = now.scatter / np.where(now.N > 0, now.N, 1.0)[:, None, None]
    if found.kind == "tied":
        S = np.broadcast_to(now.scatter.sum(axis=0) / now.N.sum(), S.shape)
    S = of_kind(S, found.kind) + found.prior * np.eye(found.means.shape[1])
    return replace(found, weights=now.N / now.N.sum(), means=found.means + now.step, covariances=S)


def _weights(found: Model, eps: float) -> Claim:
    total, K = float(found.weights.sum()), len(found.weights)
    return same_claim(
        "weights", "The weights are chances: they add up to one", abs(total - 1.0), ROUNDINGS * K * eps, gamma(K + 2)
    )


def _bound(claimed: float, level: float, before: float, tol: float, error: float, slack: float) -> Claim:
    """lower_bound_ is the mean log-likelihood of the stored parameters, or of those one step before."""
    off = abs(claimed - level)
    same = off + error <= tol + slack
    return at_most(
        "lower_bound",
        f"lower_bound_ is the mean log-likelihood of a row{'' if same else ', one step before the last'}: that of the "
        f"parameters is {level:.10g}; difference.",
        Grade.EXACT if same else Grade.BOUNDED, off, tol if same else max(tol, before),
        {"recomputed": level, "claimed": claimed}, error=error, excuse=slack,
        failure=f"lower_bound_ is {claimed:.10g}, but the mean log-likelihood of the rows is {level:.10g}.",
    )  # fmt: skip


def _collapsed(attrs: Attributes, found: Model, eps: float) -> list[Claim]:
    """Components whose least variance is reg_covar and nothing else; scikit-learn's model does not tell."""
    if not hasattr(attrs.model, "collapsed_"):
        return []
    given = attrs.raw("collapsed_")
    values = np.linalg.eigvalsh(found.covariances)
    least, error = values[:, 0], ROUNDINGS * len(values[0]) * eps * values[:, -1]
    edge = found.prior * (1 + 1e-6)
    fine = given is not None and given.shape == least.shape and given.dtype.kind == "b"
    wrong = int(np.count_nonzero((given != (least <= edge)) & (np.abs(least - edge) > error))) if fine else len(least)
    return [at_most(
        "collapsed", "collapsed_ marks the components whose least variance is reg_covar; components where it is wrong.",
        Grade.EXACT, wrong, 0, failure=f"collapsed_ is wrong for {wrong} components.",
    )]  # fmt: skip
