"""Checker of CategoricalNB: how often every category occurs in every class, recounted, smoothed and normalised."""

from __future__ import annotations

from typing import Any

import numpy as np

from surefit.certificates.attributes import Attributes, bad_attributes
from surefit.certificates.blocks import Blocks
from surefit.certificates.checker import Findings, checker
from surefit.certificates.claim import refuted
from surefit.certificates.labels import read_classes, reads_labels
from surefit.certificates.predictions import sample_rows
from surefit.certificates.rounding import gamma
from surefit.certificates.theorems.class_statistics.categorical import (
    categorical_claims,
    categorical_scores,
    flat,
    tables,
)
from surefit.certificates.theorems.class_statistics.category_counts import category_counts
from surefit.certificates.theorems.class_statistics.class_claims import (
    class_count_claims,
    counts_claim,
    posterior_claims,
    unit,
)


@checker(
    *("classes_", "class_count_", "class_log_prior_", "n_categories_", "category_count_", "feature_log_prob_"),
    *("predict", "predict_proba", "predict_log_proba", "predict_joint_log_proba"),
)
@reads_labels
def check_categorical_nb(model: Any, blocks: Blocks, tol: float) -> Findings:
    """One pass over the data."""
    attrs = Attributes(model, "feature_log_prob_")
    k, d, n = read_classes(attrs, least=1), blocks.n_features, blocks.n_rows
    if k is None:
        return [bad_attributes(attrs)], "no pass"
    counts, logs = tables(attrs, "category_count_", k, d), tables(attrs, "feature_log_prob_", k, d)
    if counts is None or logs is None:
        return [bad_attributes(attrs)], "no pass"
    classes, found, largest = category_counts(blocks, k, [t.shape[1] for t in logs])
    claims = class_count_claims(attrs, classes, n, tol)
    claims += categorical_claims(attrs, "feature_log_prob_", found, largest, logs, n, tol)
    if attrs.faults:
        return [bad_attributes(attrs)], "one pass"
    if [t.shape for t in counts] != [t.shape for t in logs]:
        return [*claims, refuted("category_count_", "category_count_ has tables of other widths.")], "one pass"
    claims.append(counts_claim(attrs, "category_count_", flat(counts), flat(found), tol, n))
    if all(claim.holds for claim in claims):
        X, prior = sample_rows(blocks), np.asarray(model.class_log_prior_, dtype=np.float64)
        u = unit(X, *model.feature_log_prob_)
        score, size = categorical_scores(X, model.feature_log_prob_)
        claims += posterior_claims(model, X, score, prior, gamma(d + 8, u) * size, u)
    return claims, f"one pass over the rows, {4.0 * n * d:.1e} operations"
