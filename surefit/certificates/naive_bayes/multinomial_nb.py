"""Checkers of MultinomialNB and ComplementNB: counts recounted, smoothed and normalised again."""

from __future__ import annotations

from typing import Any

import numpy as np

from surefit.certificates.attributes import Attributes, bad_attributes
from surefit.certificates.blocks import F64, Blocks
from surefit.certificates.checker import Findings, checker
from surefit.certificates.claim import Claim
from surefit.certificates.labels import read_classes, reads_labels
from surefit.certificates.predictions import sample_rows
from surefit.certificates.rounding import gamma
from surefit.certificates.theorems.class_statistics.class_claims import (
    class_count_claims,
    counts_claim,
    logs_claim,
    posterior_claims,
    unit,
)
from surefit.certificates.theorems.class_statistics.class_counts import feature_counts, read_alpha

COVERS = (
    *("classes_", "class_count_", "class_log_prior_", "feature_count_", "feature_log_prob_"),
    *("predict", "predict_proba", "predict_log_proba", "predict_joint_log_proba"),
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
    counts, alpha = feature_counts(blocks, k), read_alpha(attrs, (d,))
    logs, features = attrs.array("feature_log_prob_", (k, d), finite=False), attrs.array("feature_count_", (k, d))
    claims = class_count_claims(attrs, counts.classes, n, tol)
    every: F64 | None = attrs.array("feature_all_", (d,)) if complement else np.zeros(d)
    if attrs.faults or logs is None or features is None or alpha is None or every is None:
        return [bad_attributes(attrs)], "one pass"
    claims.append(counts_claim(attrs, "feature_count_", features, counts.features, tol, n))
    if complement:
        claims.append(counts_claim(attrs, "feature_all_", every, counts.features.sum(axis=0), tol, n + k))
    others = (1.0 - np.eye(k)) @ counts.features  # the counts of all other classes, added up: nothing cancels
    smoothed = (others if complement else counts.features) + alpha
    log_shares = np.log(smoothed) - np.log(smoothed.sum(axis=1, keepdims=True))
    claims.append(_logs_claim(attrs, logs, log_shares, n + k + d, tol, complement))
    if all(claim.holds for claim in claims):
        X = sample_rows(blocks)
        u, x = unit(X, model.feature_log_prob_), np.asarray(X, dtype=np.float64)
        infinite, finite = x @ np.isinf(logs).T > 0, np.where(np.isinf(logs), 0.0, logs).T  # 0 log 0 is 0
        score = np.where(infinite, np.inf if complement else -np.inf, x @ finite)
        rounding = gamma(d + 8, u) * (np.abs(x) @ np.abs(finite))
        prior = np.zeros(k) if complement and k > 1 else np.asarray(model.class_log_prior_, dtype=np.float64)
        claims += posterior_claims(model, X, score, prior, rounding, u)
    return claims, f"one pass over the rows, {4.0 * n * d:.1e} operations"


def _logs_claim(attrs: Attributes, stated: F64, logs: F64, n: int, tol: float, complement: bool) -> Claim:
    name, of = "feature_log_prob_", "(count in the other classes + α)/Σ" if complement else "(count + α)/Σ(count + α)"
    if not complement:
        return logs_claim(attrs, name, f"{name} is log p, p = {of}", stated, logs, tol, n)
    if not attrs.flag("norm", False):
        return logs_claim(attrs, name, f"{name} is −log q, q = {of}", stated, -logs, tol, n)
    # a logarithm is known to γ(1 + |log q|), relative to itself to γ(1 + 1/|log q|)
    share, what = logs / logs.sum(axis=1, keepdims=True), f"{name} is log q/Σ log q, q = {of}"
    loose = 2 * n * (1.0 + 1.0 / float(np.abs(logs).min()))
    return logs_claim(attrs, name, what, np.log(stated), np.log(share), tol, loose, np.ones(()))
