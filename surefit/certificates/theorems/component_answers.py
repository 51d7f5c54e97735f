"""Answers of a mixture held against its parameters: score_samples, predict_proba and predict, on sampled rows.

Let log ρ_k of a row be off by at most δ_k, and r = ρ/Σρ. Then log Σρ is off by at most D = Σ r_k (e^{δ_k} − 1), as
log Σ r_k e^{x_k} ≤ Σ r_k (e^{x_k} − 1), and ≥ Σ r_k x_k by Jensen; a chance r_k is off by at most
r_k (e^{δ_k + D} − 1). So a component far from the row, whose quadratic form is large and badly known, changes nothing
where r_k is zero.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from surefit.certificates.blocks import F64
from surefit.certificates.claim import Claim, Grade, at_most
from surefit.certificates.predictions import answer_of, numbers_claim
from surefit.certificates.theorems.gaussian_components import LOG_2PI, ROUNDINGS, Model, log_sum


def room(found: Model, X: F64, U: F64, joint: F64, eps: float) -> F64:
    """δ: what roundings of a model of precision eps may change in its log-densities.

    Entries of T = (x − m)U are off by τ = eps (d + 8) (|x| + |m|)|U| where xU and mU are taken from each other, so
    T²/2 by |T|τ + τ²/2; the inverse of Σ by a share of eps (d + 8) times the condition of Σ in units of its columns.
    """
    d = X.shape[1]
    out, few = np.empty_like(joint), eps * (d + 8)
    for k, (m, S) in enumerate(zip(found.means, found.covariances, strict=True)):
        D, size, deviations = X - m, np.abs(U[k]), np.sqrt(np.diagonal(S))
        tau = few * ((np.abs(X) + np.abs(m)) @ size)
        share = few * float(np.linalg.cond(S / np.outer(deviations, deviations)))
        logs = float(np.abs(np.log(np.abs(np.diagonal(U[k])))).sum()) + d * LOG_2PI
        forms = (np.abs(D) @ size * tau + tau * tau / 2).sum(axis=1) + share * (d + ((D @ U[k]) ** 2).sum(axis=1))
        out[:, k] = ROUNDINGS * (forms + few * (1 + logs + np.abs(joint[:, k])))
    return np.where(np.isfinite(joint), out, 0.0)


def answer_claims(model: Any, X: Any, joint: F64, slip: F64, eps: float) -> list[Claim]:
    """`joint`: log ρ of the rows X by the parameters, `slip`: δ."""
    log_p = log_sum(joint)
    log_r = joint - log_p[:, None]
    moved = _risen(log_r, slip).sum(axis=1)
    near = np.minimum(_risen(log_r, slip + moved[:, None]), 1.0) + ROUNDINGS * eps
    claims = [
        numbers_claim(model, "score_samples", X, log_p, moved + ROUNDINGS * eps * (1 + np.abs(log_p))),
        numbers_claim(model, "predict_proba", X, np.exp(log_r), near),
    ]
    labels = answer_of(model, "predict", X)
    if isinstance(labels, Claim):
        return [*claims, labels]
    K, rows = joint.shape[1], np.arange(len(X))
    fine = labels.shape == (len(X),) and labels.dtype.kind in "iu" and bool(((labels >= 0) & (labels < K)).all())
    best = joint.argmax(axis=1)
    taken = labels if fine else best
    behind = joint[rows, best] - joint[rows, taken] if fine else np.full(len(X), np.inf)
    wrong = int(np.count_nonzero(~(behind <= slip[rows, best] + slip[rows, taken])))
    return [*claims, at_most(
        "predict", f"predict gives a likeliest component; rows of {len(X)} where it does not.", Grade.EXACT, wrong, 0,
        failure=f"predict gives another component than the likeliest on {wrong} of {len(X)} rows.",
    )]  # fmt: skip


def _risen(log_r: F64, delta: F64) -> F64:
    """r (e^δ − 1), or r e^δ where δ is large."""
    return np.where(delta < 1, np.exp(log_r) * np.expm1(np.minimum(delta, 1.0)), np.exp(np.minimum(log_r + delta, 700)))
