"""Checker of BernoulliNB: how often every flag is set in every class, recounted and smoothed."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.attributes import Attributes, bad_attributes, real
from surefit.certificates.blocks import F64, Blocks
from surefit.certificates.checker import Findings, checker
from surefit.certificates.claim import Claim
from surefit.certificates.labels import coded, read_classes
from surefit.certificates.predictions import sample_rows
from surefit.certificates.rounding import UNIT, gamma
from surefit.certificates.theorems.class_statistics.class_claims import (
    class_count_claims,
    counts_claim,
    logs_claim,
    posterior_claims,
    prior_rounding,
    unit,
)
from surefit.certificates.theorems.class_statistics.class_counts import Counts, feature_counts, read_alpha


@checker(
    *("classes_", "class_count_", "class_log_prior_", "feature_count_", "feature_log_prob_"),
    *("predict", "predict_proba", "predict_log_proba"),
)
@coded
def check_bernoulli_nb(model: Any, blocks: Blocks, tol: float) -> Findings:
    """One pass over the data."""
    attrs = Attributes(model, "feature_log_prob_")
    k, d, n = read_classes(attrs, least=1), blocks.n_features, blocks.n_rows
    threshold, alpha = read_threshold(attrs), read_alpha(attrs, d)
    if k is None or alpha is None or attrs.faults:
        return [bad_attributes(attrs)], "no pass"
    counts = feature_counts(blocks, k, threshold)
    features, claims = attrs.array("feature_count_", (k, d)), class_count_claims(attrs, counts.classes, n, tol)
    claims += bernoulli_claims(attrs, "feature_log_prob_", counts, alpha, n, tol)
    if attrs.faults or features is None:
        return [bad_attributes(attrs)], "one pass"
    claims.append(counts_claim("feature_count_", features, counts.features, tol, n, unit(model.feature_count_)))
    if all(claim.holds for claim in claims):
        X = sample_rows(blocks)
        u, prior = unit(X, model.feature_log_prob_), np.asarray(model.class_log_prior_, dtype=np.float64)
        score, rounding = bernoulli_scores(X, model.feature_log_prob_, threshold, u)
        claims += posterior_claims(model, X, score + prior, prior_rounding(rounding, prior, u), u)
    return claims, f"one pass over the rows, {4.0 * n * d:.1e} operations"


def read_threshold(attrs: Attributes) -> float | None:
    """binarize: a number, or None for data that are zeros and ones already."""
    given = getattr(attrs.model, "binarize", 0.0)
    if given is None or np.isfinite(real(given)):
        return None if given is None else real(given)
    attrs.faults.append("binarize is neither None nor a number")
    return None


def bernoulli_claims(attrs: Attributes, name: str, counts: Counts, alpha: F64, n: int, tol: float) -> list[Claim]:
    logs = attrs.array(name, counts.features.shape, finite=False)
    if logs is None:
        return []
    truth = np.log(counts.features + alpha) - np.log(counts.classes[:, None] + 2.0 * alpha)
    what, u = f"{name} is log p, p = (count + α)/(N + 2α)", unit(getattr(attrs.model, name))
    return [logs_claim(name, what, logs, truth, tol, n, u)]


def bernoulli_scores(X: NDArray, logs: F64, threshold: float | None, u: float) -> tuple[F64, F64]:
    """Σ x log p + (1 − x) log(1 − p) for flags x, and its rounding.

    Stored logarithms give 1 − p with a relative error of u/(1 − p).
    """
    x = np.asarray(X, dtype=np.float64) if threshold is None else (X > threshold).astype(np.float64)
    logs = np.asarray(logs, dtype=np.float64)
    rest = -np.expm1(logs)
    opposite = np.log(rest)
    size = np.abs(x) @ np.abs(logs.T) + np.abs(1 - x) @ np.abs(opposite.T) + np.abs(opposite).sum(axis=1)
    stored = 8 * UNIT * (1 / rest).sum(axis=1)
    return x @ (logs - opposite).T + opposite.sum(axis=1), gamma(2 * logs.shape[1] + 8, u) * size + stored
