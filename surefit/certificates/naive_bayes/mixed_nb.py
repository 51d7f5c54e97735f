"""Checker of MixedNB: every column is Gaussian, Bernoulli or categorical, and is checked as that."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.attributes import Attributes, bad_attributes
from surefit.certificates.blocks import Blocks
from surefit.certificates.checker import Findings, checker
from surefit.certificates.claim import Claim
from surefit.certificates.labels import read_classes, reads_labels
from surefit.certificates.predictions import sample_rows
from surefit.certificates.rounding import gamma
from surefit.certificates.theorems.class_statistics.bernoulli import bernoulli_claims, bernoulli_scores, read_threshold
from surefit.certificates.theorems.class_statistics.categorical import categorical_claims, categorical_scores
from surefit.certificates.theorems.class_statistics.category_counts import category_counts
from surefit.certificates.theorems.class_statistics.class_claims import (
    class_count_claims,
    posterior_claims,
    priors_claim,
    unit,
)
from surefit.certificates.theorems.class_statistics.class_counts import feature_counts, read_alpha
from surefit.certificates.theorems.class_statistics.class_spread import class_spread
from surefit.certificates.theorems.class_statistics.gaussian import gaussian_claims, gaussian_scores

KINDS = ("gaussian", "bernoulli", "categorical")
Parts = dict[str, NDArray[np.intp]]


@checker(
    *("classes_", "class_count_", "class_prior_", "class_log_prior_", "parts_", "theta_", "var_", "epsilon_"),
    *("feature_log_prob_bernoulli_", "feature_log_prob_categorical_", "n_categories_"),
    *("predict", "predict_proba", "predict_log_proba"),
)
@reads_labels
def check_mixed_nb(model: Any, blocks: Blocks, tol: float) -> Findings:
    """One pass for the labels, one for Bernoulli columns, four for Gaussian and two for categorical ones."""
    attrs = Attributes(model, "parts_")
    k, parts, n = read_classes(attrs, least=1), read_parts(attrs, blocks.n_features), blocks.n_rows
    threshold, alpha = read_threshold(attrs), read_alpha(attrs)
    if k is None or parts is None or alpha is None or attrs.faults:
        return [bad_attributes(attrs)], "no pass"
    counts = feature_counts(blocks, k, threshold, parts.get("bernoulli", np.zeros(0, dtype=np.intp)))
    claims, prior = class_count_claims(attrs, counts.classes, n, tol), attrs.array("class_prior_", (k,))
    if prior is not None and claims:
        truth = np.exp(np.asarray(model.class_log_prior_, dtype=np.float64))
        claims.append(priors_claim(attrs, "class_prior_", np.log(prior), truth, tol, n))
    if "gaussian" in parts:
        columns = parts["gaussian"]
        claims += gaussian_claims(attrs, blocks, class_spread(blocks, k, columns), tol, columns)
    if "bernoulli" in parts:
        claims += bernoulli_claims(attrs, "feature_log_prob_bernoulli_", counts, alpha, n, tol)
    if "categorical" in parts:
        data = category_counts(blocks, k, parts["categorical"])
        claims += categorical_claims(attrs, "feature_log_prob_categorical_", data, n, tol)
    if attrs.faults:
        return [bad_attributes(attrs)], "several passes"
    if all(claim.holds for claim in claims):
        claims += _answers(model, blocks, parts, threshold)
    return claims, f"up to eight passes over the rows, {20.0 * n * blocks.n_features:.1e} operations"


def read_parts(attrs: Attributes, d: int) -> Parts | None:
    """The columns of every kind, or None with the fault noted: every column has one kind, the one asked for.

    `bernoulli` and `categorical` may name columns, by number or by feature_names_in_; "auto" goes by the types of a
    dataframe, which rows of numbers do not show.
    """
    parts: Parts = {}
    names = [str(name) for name in np.asarray(getattr(attrs.model, "feature_names_in_", ())).ravel()]
    try:
        for kind, columns in attrs.model.parts_:
            array = np.asarray(columns)
            if array.dtype.kind not in "iu" or array.ndim != 1 or kind in parts or kind not in KINDS:
                raise ValueError(kind)
            parts[kind] = array.astype(np.intp)
        asked = {kind: getattr(attrs.model, kind, "auto") for kind in KINDS[1:]}
        for kind, given in asked.items():
            if given is not None and not isinstance(given, str):
                numbers = [names.index(c) if isinstance(c, str) else int(c) % d for c in given]
                if sorted(set(numbers)) != sorted(parts.get(kind, np.zeros(0)).tolist()):
                    raise ValueError(kind)
            elif given is None and kind in parts:
                raise ValueError(kind)
    except (TypeError, ValueError, KeyError, OverflowError) as fault:  # not pairs, not columns, no such kind
        attrs.faults.append(f"parts_ does not say what was asked for ({fault})")
        return None
    if sorted(j for columns in parts.values() for j in columns.tolist()) != list(range(d)):
        attrs.faults.append(f"parts_ does not give each of the {d} columns one kind, of {', '.join(KINDS)}")
        return None
    return parts


def _answers(model: Any, blocks: Blocks, parts: Parts, threshold: float | None) -> list[Claim]:
    X = sample_rows(blocks)
    prior = np.asarray(model.class_log_prior_, dtype=np.float64)
    score, rounding, u = np.zeros((len(X), len(prior))), np.zeros((len(X), len(prior))), unit(X)
    g = gamma(2 * blocks.n_features + 16, u)
    if "gaussian" in parts:
        more, size = gaussian_scores(X[:, parts["gaussian"]], model)
        score, rounding = score + more, rounding + g * size
    if "bernoulli" in parts:
        more, size = bernoulli_scores(X[:, parts["bernoulli"]], model.feature_log_prob_bernoulli_, threshold, u)
        score, rounding = score + more, rounding + size
    if "categorical" in parts:
        more, size = categorical_scores(X[:, parts["categorical"]], model.feature_log_prob_categorical_)
        score, rounding = score + more, rounding + g * size
    return posterior_claims(model, X, score, prior, rounding, u)
