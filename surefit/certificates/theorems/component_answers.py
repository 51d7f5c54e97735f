"""Answers of a mixture held against its parameters: score_samples, predict_proba and predict, on sampled rows.

Let log ρ_k of a row be off by at most δ_k, and r = ρ/Σρ. Then log Σρ is off by at most D, the largest δ_k, and a chance
r_k by at most r_k (e^{δ_k + D} − 1). Components with r_k e^{δ_k} < e^{−40} are nothing beside the others of a row: left
out, one far away, whose quadratic form is large and badly known, changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from surefit.certificates.blocks import F64, Blocks
from surefit.certificates.claim import Claim, Grade, at_most
from surefit.certificates.predictions import answer_of, numbers_claim, sample_rows
from surefit.certificates.theorems.gaussian_components import ROUNDINGS, Model, log_sum

NOTHING = -40.0  # the logarithm of a chance that no rounding in double precision shows


def answer_claims(
    model: Any, blocks: Blocks, found: Model, U: F64, density: Callable[[F64], F64], eps: float, squares: bool = False
) -> list[Claim]:
    """`density` gives log ρ of rows by the parameters; δ is ten roundings in precision eps."""
    X = sample_rows(blocks)
    rows = np.asarray(X, dtype=np.float64)
    joint = density(rows)
    log_p = log_sum(joint)
    log_r = joint - log_p[:, None]
    slip = found.rounding(rows, U, joint, eps, found.inverse_errors(U, eps), raw=True, squares=squares)
    slip = np.minimum(ROUNDINGS * slip, 1e300)
    felt = np.where(log_r + slip > NOTHING, slip, 0.0)
    moved, tiny = felt.max(axis=1), ROUNDINGS * eps
    both = felt + moved[:, None]
    near = np.minimum(np.exp(np.minimum(log_r + both, 700.0)) * -np.expm1(-both), 1.0) + tiny
    claims = [
        numbers_claim(model, "score_samples", X, log_p, moved + tiny * (1 + np.abs(log_p))),
        numbers_claim(model, "predict_proba", X, np.exp(log_r), near),
    ]
    labels = answer_of(model, "predict", X, (len(X),))
    if isinstance(labels, Claim):
        return [*claims, labels]
    known, each, best = np.isin(labels, np.arange(joint.shape[1])), np.arange(len(X)), joint.argmax(axis=1)
    taken = np.where(known, labels, 0).astype(np.intp)
    behind = joint[each, best] - joint[each, taken] <= slip[each, best] + slip[each, taken]
    wrong = int(np.count_nonzero(~(known & behind)))
    return [*claims, at_most(
        "predict", f"predict gives a likeliest component; rows of {len(X)} where it does not.", Grade.EXACT, wrong, 0,
        failure=f"predict gives another component than the likeliest on {wrong} of {len(X)} rows.",
    )]  # fmt: skip
