"""Checker of GaussianMixture: parameters that belong together, the likelihood recomputed, what one more step gains.

With r_ik = π_k N(x_i; m_k, Σ_k)/p(x_i), one step of expectation and maximization from the stored parameters θ gives θ',
and the mean log-likelihood can only rise. Its gain is measured by doing the step; at a stationary point it is zero.
For any θ' the mean log-likelihood is at least ELBO(r, θ') = mean of Σ_k r_ik (log π'_k N'_k(x_i) − log r_ik), with
equality at θ' = θ (docs/certificates/mixture.md). A variance c of measurement (reg_covar) takes ½ c tr Σ⁻¹ from each
log N.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from surefit.certificates.attributes import Attributes, bad_attributes, real
from surefit.certificates.blocks import F64, Blocks
from surefit.certificates.checker import Findings, checker
from surefit.certificates.claim import Claim, Grade, at_most, failed
from surefit.certificates.predictions import sample_rows
from surefit.certificates.rounding import epsilon, gamma
from surefit.certificates.theorems.component_answers import answer_claims, room
from surefit.certificates.theorems.gaussian_components import (
    LOG_2PI,
    NEXT_STEP,
    ROUNDINGS,
    Model,
    consistent,
    log_sum,
    read_components,
    rows_of,
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
    try:
        U = found.roots()
        now, error = likelihood(blocks, found, U, found.prior)
        after = next_step(blocks, found, U)
        best, also = likelihood(blocks, after, after.roots(), found.prior)
        gained = best - now
    except np.linalg.LinAlgError:
        return [
            failed("covariances", "A covariance of the fit, or of the next step, is not positive definite.")
        ], "a pass"
    plain, _ = likelihood(blocks, found, U, 0.0)
    slack = rounding(found, U, eps, blocks.n_rows)
    return [
        *consistent(attrs, found, U, eps),
        _bound(attrs, bound, now, plain, gained, slack, tol, error),
        history_claim(attrs, bound, slack, tol, ours=hasattr(model, "collapsed_")),
        *_collapsed(attrs, found, eps),
        _gain(attrs, gained, now, slack, tol, error + also),
        *_answers(model, blocks, found, U, eps),
    ], "four passes over the rows"


def likelihood(blocks: Blocks, found: Model, U: F64, prior: float) -> tuple[float, float]:
    """The mean log-likelihood of the rows, and what roundings here may change in it.

    A change e_k of log π_k N_k changes log Σ by Σ_k r_k e_k.
    """
    total = weight = error = size = 0.0
    for X, w in rows_of(blocks):
        joint = found.log_joint(X, U, prior)
        logs = log_sum(joint)
        shares = np.exp(joint - logs[:, None])
        total, weight, size = total + float(w @ logs), weight + float(w.sum()), size + float(w @ np.abs(logs))
        error += float(w @ (shares * found.slip(X, U, joint)).sum(axis=1))
    return total / weight, 2 * (error + gamma(blocks.n_rows + 64) * size) / weight


def next_step(blocks: Blocks, found: Model, U: F64) -> Model:
    """One step of expectation and maximization; sums about the present means."""
    K, d = found.means.shape
    N, first, second = np.zeros(K), np.zeros((K, d)), np.zeros((K, d, d))
    for X, w in rows_of(blocks):
        joint = found.log_joint(X, U, found.prior)
        R = np.exp(joint - log_sum(joint)[:, None]) * w[:, None]
        N += R.sum(axis=0)
        for k, m in enumerate(found.means):
            D = X - m
            first[k] += R[:, k] @ D
            second[k] += (D * R[:, k : k + 1]).T @ D
    some = np.where(N > 0, N, 1.0)
    step = first / some[:, None]
    scatter = second - N[:, None, None] * step[:, :, None] * step[:, None, :]
    S = scatter / some[:, None, None]
    if found.kind == "tied":
        S = np.broadcast_to(scatter.sum(axis=0) / N.sum(), S.shape)
    elif found.kind != "full":
        variances = np.diagonal(S, axis1=1, axis2=2)
        if found.kind == "spherical":
            variances = np.broadcast_to(variances.mean(axis=1, keepdims=True), variances.shape)
        S = np.stack([np.diag(v) for v in variances])
    return Model(N / N.sum(), found.means + step, S + found.prior * np.eye(d), found.kind, found.prior)


def rounding(found: Model, U: F64, eps: float, n: int) -> float:
    """What roundings of the stored parameters and of the sums may change in the mean log-likelihood.

    Stored to a relative eps, a mean moves by δ = eps |m| and a covariance by a relative eps: the mean log-likelihood,
    near its maximum, by about δᵀΣ⁻¹δ and d·eps; the sums of n terms by γ_n of their size.
    """
    moved = eps * np.abs(found.means)
    second = float(max(((d @ u) ** 2).sum() for d, u in zip(moved, U, strict=True)))
    d = found.means.shape[1]
    size = 1.0 + d * LOG_2PI + float(np.abs(np.log(np.abs(np.diagonal(U, axis1=1, axis2=2)))).sum(axis=1).max())
    return ROUNDINGS * (second + d * eps * (1 + d) * 0.5) + gamma(n + 4 * d * d + 64) * size * 8


def _bound(
    attrs: Attributes, claimed: float, now: float, plain: float, gained: float, slack: float, tol: float, error: float
) -> Claim:
    """lower_bound_ is the mean log-likelihood of the stored parameters.

    scikit-learn's is that of the parameters one step before, without the prior: within the gain of a step, or its tol.
    """
    off = abs(claimed - now)
    if not hasattr(attrs.model, "collapsed_"):
        off = min(off, max(0.0, abs(claimed - plain) - max(2 * gained, real(attrs.parameter("tol", 1e-3)))))
    return at_most(
        "lower_bound",
        f"lower_bound_ is the mean log-likelihood of a row, recomputed as {now:.10g} ({plain:.10g} without what "
        "reg_covar takes); difference.",
        Grade.EXACT, off, tol, {"recomputed": now, "claimed": claimed}, error=error, excuse=slack,
        failure=f"lower_bound_ is {claimed:.10g}, but the mean log-likelihood of the rows is {now:.10g}.",
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


def _gain(attrs: Attributes, gained: float, now: float, slack: float, tol: float, error: float) -> Claim:
    """The gain of one more step, in units of log-likelihood a row."""
    asked = real(attrs.parameter("tol", 1e-3))
    settled = gained + error <= tol + slack
    limit = tol if settled else max(tol, NEXT_STEP * asked if asked > 0 else 0.0)
    return at_most(
        "stationary",
        "One more step of expectation and maximization gains at most this log-likelihood a row."
        if settled else
        f"The fit stopped by its tol={asked:g}, before a stationary point: one more step gains this log-likelihood a "
        "row, and later steps may gain more; for a stationary point lower tol.",
        Grade.FIXED_POINT if settled else Grade.BOUNDED, max(gained, 0.0), limit, {"log_likelihood": now},
        error=error, excuse=slack,
        failure=f"Not stationary: one more step gains {gained:.2g} log-likelihood a row; lower tol or raise max_iter.",
    )  # fmt: skip


def _answers(model: Any, blocks: Blocks, found: Model, U: F64, eps: float) -> list[Claim]:
    """score_samples, predict_proba and predict on sampled rows."""
    X = sample_rows(blocks)
    rows = np.asarray(X, dtype=np.float64)
    joint = found.log_joint(rows, U, 0.0)
    return answer_claims(model, X, joint, room(found, rows, U, joint, eps), eps)
