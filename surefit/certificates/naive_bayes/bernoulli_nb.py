"""Checker of BernoulliNB: how often every flag is set in every class, recounted and smoothed."""

from __future__ import annotations

from typing import Any

import numpy as np

from surefit.certificates.attributes import Attributes, bad_attributes
from surefit.certificates.blocks import Blocks
from surefit.certificates.checker import Findings, checker
from surefit.certificates.labels import read_classes, reads_labels
from surefit.certificates.predictions import sample_rows
from surefit.certificates.theorems.class_statistics.bernoulli import bernoulli_claims, bernoulli_scores, read_threshold
from surefit.certificates.theorems.class_statistics.class_claims import (
    class_count_claims,
    counts_claim,
    posterior_claims,
    unit,
)
from surefit.certificates.theorems.class_statistics.class_counts import feature_counts, read_alpha


@checker(
    *("classes_", "class_count_", "class_log_prior_", "feature_count_", "feature_log_prob_"),
    *("predict", "predict_proba", "predict_log_proba", "predict_joint_log_proba"),
)
@reads_labels
def check_bernoulli_nb(model: Any, blocks: Blocks, tol: float) -> Findings:
    """One pass over the data."""
    attrs = Attributes(model, "feature_log_prob_")
    k, d, n = read_classes(attrs, least=1), blocks.n_features, blocks.n_rows
    threshold, alpha = read_threshold(attrs), read_alpha(attrs, (d,))
    if k is None or alpha is None or attrs.faults:
        return [bad_attributes(attrs)], "no pass"
    counts = feature_counts(blocks, k, threshold)
    features, claims = attrs.array("feature_count_", (k, d)), class_count_claims(attrs, counts.classes, n, tol)
    claims += bernoulli_claims(attrs, "feature_log_prob_", counts, alpha, n, tol)
    if attrs.faults or features is None:
        return [bad_attributes(attrs)], "one pass"
    claims.append(counts_claim(attrs, "feature_count_", features, counts.features, tol, n))
    if all(claim.holds for claim in claims):
        X, prior = sample_rows(blocks), np.asarray(model.class_log_prior_, dtype=np.float64)
        u = unit(X, model.feature_log_prob_)
        score, rounding = bernoulli_scores(X, model.feature_log_prob_, threshold, u)
        claims += posterior_claims(model, X, score, prior, rounding, u)
    return claims, f"one pass over the rows, {4.0 * n * d:.1e} operations"
