"""Checkers of MultinomialNB, BernoulliNB and ComplementNB: counts recounted, smoothed and normalised again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from surefit.certificates.attributes import Attributes, bad_attributes, real
from surefit.certificates.blocks import F64, Blocks
from surefit.certificates.checker import Findings, checker
from surefit.certificates.claim import Claim, Grade, at_most, failed
from surefit.certificates.rounding import epsilon, typical
from surefit.certificates.theorems.class_claims import (
    counts_claim,
    log_prior_claim,
    logs_claim,
    read_alpha,
    read_numbers,
)
from surefit.certificates.theorems.class_counts import Counts, feature_counts
from surefit.certificates.theorems.classes import read_classes


@checker()
def check_multinomial_nb(model: Any, blocks: Blocks, tol: float) -> Findings:
    """One pass over the data."""
    return _claims(model, blocks, _multinomial, positive=True), _cost(blocks)


@checker()
def check_complement_nb(model: Any, blocks: Blocks, tol: float) -> Findings:
    """One pass over the data."""
    return _claims(model, blocks, _complement, positive=True), _cost(blocks)


@checker()
def check_bernoulli_nb(model: Any, blocks: Blocks, tol: float) -> Findings:
    """One pass over the data."""
    return _claims(model, blocks, _bernoulli, positive=False), _cost(blocks)


Derive = Callable[[Attributes, F64, Counts, F64, int, float], list[Claim]]


def _cost(blocks: Blocks) -> str:
    return f"one pass over the rows, {2.0 * blocks.n_rows * blocks.n_features:.1e} operations per class"


def _claims(model: Any, blocks: Blocks, derive: Derive, positive: bool) -> list[Claim]:
    attrs = Attributes(model, "feature_log_prob_")
    k, d, n = read_classes(attrs, least=1), blocks.n_features, blocks.n_rows
    threshold = None if positive else read_threshold(attrs)
    if k is None or attrs.faults:
        return [bad_attributes(attrs)]
    counts = feature_counts(blocks, k, threshold)
    logs, prior = (
        attrs.array("feature_log_prob_", (k, d), finite=False),
        attrs.array("class_log_prior_", (k,), finite=False),
    )
    classes, features = attrs.array("class_count_", (k,)), attrs.array("feature_count_", (k, d))
    alpha, given = read_alpha(attrs, d), read_numbers(attrs, "class_prior", k)
    if attrs.faults or logs is None or prior is None or classes is None or features is None or alpha is None:
        return [bad_attributes(attrs)]
    if positive and counts.lowest < 0:
        return [failed("data", "X has negative entries: they are not counts.", counts.lowest, 0.0)]
    eps = epsilon(counts.single, np.asarray(model.feature_log_prob_))
    return [
        counts_claim("class_count_", classes, counts.classes, n, eps),
        counts_claim("feature_count_", features, counts.features, n, eps),
        log_prior_claim(attrs, prior, given, counts.classes, n, eps),
        *derive(attrs, logs, counts, alpha, n, eps),
    ]


def read_threshold(attrs: Attributes) -> float | None:
    """binarize: a number, or None for data that are zeros and ones already."""
    given = getattr(attrs.model, "binarize", 0.0)
    if given is None:
        return None
    if np.isfinite(real(given)):
        return real(given)
    attrs.faults.append("binarize is neither None nor a number")
    return None


def normalised(name: str, sums: F64, columns: int, eps: float) -> Claim:
    return at_most(
        name,
        "The probabilities of every class add up to one; largest difference.",
        Grade.EXACT,
        np.abs(sums - 1.0).max(initial=0.0),
        64.0 * typical(columns, eps),
    )


def _multinomial(attrs: Attributes, logs: F64, counts: Counts, alpha: F64, n: int, eps: float) -> list[Claim]:
    """p = (count + α) / Σ(count + α)."""
    smoothed = counts.features + alpha
    truth = np.log(smoothed) - np.log(smoothed.sum(axis=1, keepdims=True))
    sentence = "feature_log_prob_ is log (count + α)/Σ(count + α)"
    d = logs.shape[1]
    return [
        logs_claim("feature_log_prob_", sentence, logs, truth, n + d, eps),
        normalised("normalised", np.exp(logs).sum(axis=1), n + d, eps),
    ]


def bernoulli_logs(counts: F64, classes: F64, alpha: F64) -> F64:
    """log (count + α)/(N + 2α)."""
    return np.log(counts + alpha) - np.log(classes[:, None] + 2.0 * alpha)


def bernoulli_claims(name: str, logs: F64, truth: F64, n: int, eps: float) -> list[Claim]:
    sentence = f"{name} is log (count + α)/(N + 2α)"
    return [
        logs_claim(name, sentence, logs, truth, n, eps),
        at_most(
            "normalised",
            "No column has a probability above one, so that of its opposite is none below zero; largest excess.",
            Grade.EXACT,
            max(0.0, float(np.exp(logs).max(initial=0.0)) - 1.0) if not np.isnan(logs).any() else np.nan,
            64.0 * typical(n, eps),
        ),
    ]


def _bernoulli(attrs: Attributes, logs: F64, counts: Counts, alpha: F64, n: int, eps: float) -> list[Claim]:
    truth = bernoulli_logs(counts.features, counts.classes, alpha)
    return bernoulli_claims("feature_log_prob_", logs, truth, n, eps)


def _outside(features: F64) -> F64:
    """The count in all other classes. The class with most of a column is left out of the sum, not taken from it."""
    rest = features.sum(axis=0) - features
    most, column = features.argmax(axis=0), np.arange(features.shape[1])
    others = features.copy()
    others[most, column] = 0.0
    rest[most, column] = others.sum(axis=0)
    return rest


def _complement(attrs: Attributes, logs: F64, counts: Counts, alpha: F64, n: int, eps: float) -> list[Claim]:
    """q = (count in all other classes + α)/Σ; −log q, or log q divided by its sum with `norm`."""
    total, d = counts.features.sum(axis=0), logs.shape[1]
    rest = _outside(counts.features) + alpha
    q = np.log(rest / rest.sum(axis=1, keepdims=True))
    norm = attrs.flag("norm", False)
    truth = q / q.sum(axis=1, keepdims=True) if norm else -q
    sums = logs.sum(axis=1) if norm else np.exp(-logs).sum(axis=1)
    stated = attrs.array("feature_all_", (d,))
    if stated is None:
        return [bad_attributes(attrs)]
    kind = "log q/Σ log q" if norm else "−log q"
    sentence = f"feature_log_prob_ is {kind}, q = (count in the other classes + α)/Σ"
    return [
        counts_claim("feature_all_", stated, total, n, eps),
        logs_claim("feature_log_prob_", sentence, logs, truth, n + d, eps),
        normalised("normalised", sums, n + d, eps),
    ]
