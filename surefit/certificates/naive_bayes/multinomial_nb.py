"""Checkers of MultinomialNB and ComplementNB: counts recounted, smoothed and normalised again."""

from __future__ import annotations

from typing import Any

import numpy as np

from surefit.certificates.attributes import Attributes, bad_attributes, sample_rows
from surefit.certificates.blocks import F64, Blocks, Findings, checker
from surefit.certificates.claim import Claim, failed, gamma
from surefit.certificates.labels import read_classes, reads_labels
from surefit.certificates.theorems.class_statistics.class_claims import (
    TEN,
    class_count_claims,
    counts_claim,
    entries_claim,
    logs_claim,
    posterior_claims,
    prior_rounding,
    unit,
)
from surefit.certificates.theorems.class_statistics.class_counts import feature_counts
from surefit.certificates.theorems.class_statistics.smoothing import read_alpha

COVERS = (
    *("classes_", "class_count_", "class_log_prior_", "feature_count_", "feature_log_prob_"),
    *("predict", "predict_proba", "predict_log_proba"),
)


@checker(*COVERS)
@reads_labels
def check_multinomial_nb(model: Any, blocks: Blocks, tol: float) -> Findings:
    """One pass over the data."""
    return _findings(model, blocks, tol, complement=False)


@checker(*COVERS, "feature_all_")
@reads_labels
def check_complement_nb(model: Any, blocks: Blocks, tol: float) -> Findings:
    """One pass over the data."""
    return _findings(model, blocks, tol, complement=True)


def _findings(model: Any, blocks: Blocks, tol: float, complement: bool) -> Findings:
    attrs = Attributes(model, "feature_log_prob_")
    k, d, n = read_classes(attrs, least=1), blocks.n_features, blocks.n_rows
    if k is None:
        return [bad_attributes(attrs)], "no pass"
    counts = feature_counts(blocks, k)
    if counts.lowest < 0:
        return [failed("data", "X has negative entries: they are not counts.", counts.lowest, 0.0)], "one pass"
    logs, features = attrs.array("feature_log_prob_", (k, d), finite=False), attrs.array("feature_count_", (k, d))
    claims, alpha = class_count_claims(attrs, counts.classes, n, tol), read_alpha(attrs, d)
    every = attrs.array("feature_all_", (d,)) if complement else None
    if attrs.faults or logs is None or features is None or alpha is None:
        return [bad_attributes(attrs)], "one pass"
    claims.append(counts_claim("feature_count_", features, counts.features, tol, n, unit(model.feature_count_)))
    if every is not None:
        u = unit(model.feature_all_)
        claims.append(counts_claim("feature_all_", every, counts.features.sum(axis=0), tol, n + k, u))
    u, m = unit(model.feature_log_prob_), n + k + d
    claims.append((_complement if complement else _multinomial)(attrs, logs, counts.features, alpha, m, tol, u))
    if all(claim.holds for claim in claims):
        X = sample_rows(blocks)
        u = unit(X, model.feature_log_prob_)
        x, prior = np.asarray(X, dtype=np.float64), np.asarray(model.class_log_prior_, dtype=np.float64)
        prior = np.zeros(k) if complement and k > 1 else prior
        rounding = gamma(d + 8, u) * (np.abs(x) @ np.abs(logs.T))
        claims += posterior_claims(model, X, x @ logs.T + prior, prior_rounding(rounding, prior, u), u)
    return claims, f"one pass over the rows, {4.0 * n * d:.1e} operations"


def _logs(smoothed: F64) -> F64:
    return np.log(smoothed) - np.log(smoothed.sum(axis=1, keepdims=True))


def _multinomial(attrs: Attributes, logs: F64, features: F64, alpha: F64, m: int, tol: float, u: float) -> Claim:
    what = "feature_log_prob_ is log p, p = (count + α)/Σ(count + α)"
    return logs_claim("feature_log_prob_", what, logs, _logs(features + alpha), tol, m, u)


def _complement(attrs: Attributes, logs: F64, features: F64, alpha: F64, m: int, tol: float, u: float) -> Claim:
    """−log q, or its share of their sum, relative to itself, with `norm`."""
    name, what = "feature_log_prob_", "q = (count in the other classes + α)/Σ"
    truth = _logs(_of_others(features) + alpha)
    if not attrs.flag("norm", False):
        return logs_claim(name, f"{name} is −log q, {what}", logs, -truth, tol, m, u)
    share = truth / truth.sum(axis=1, keepdims=True)
    same = (logs == share) | (np.isnan(logs) & np.isnan(share))
    off = np.where(same, 0.0, np.abs(logs - share) / np.abs(share))
    error = gamma(4 * m + 32) * (1.0 + 1.0 / np.abs(np.where(truth == 0, 1.0, truth)))
    return entries_claim(name, f"{name} is log q/Σ log q, {what}, relative", off, tol, error, TEN * u)


def _of_others(features: F64) -> F64:
    """The counts of all other classes, added up: nothing cancels."""
    zero = np.zeros_like(features[:1])
    before = np.vstack([zero, np.cumsum(features, axis=0)[:-1]])
    after = np.vstack([np.cumsum(features[:0:-1], axis=0)[::-1], zero])
    return before + after
