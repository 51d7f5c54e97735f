"""Checker of MixedNB: every column is Gaussian, Bernoulli or categorical, and is checked as that."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.attributes import Attributes, bad_attributes
from surefit.certificates.blocks import Blocks
from surefit.certificates.checker import Findings, checker
from surefit.certificates.claim import Claim
from surefit.certificates.naive_bayes.categorical_nb import fitted_to, number_claim, read_least, table_claims, tables
from surefit.certificates.naive_bayes.discrete_nb import bernoulli_claims, bernoulli_logs, read_threshold
from surefit.certificates.naive_bayes.gaussian_nb import gaussian_claims, read_smoothing
from surefit.certificates.rounding import epsilon
from surefit.certificates.theorems.class_claims import (
    counts_claim,
    log_prior_claim,
    priors_claim,
    read_alpha,
    read_numbers,
)
from surefit.certificates.theorems.class_counts import category_counts, feature_counts, gaussian_moments
from surefit.certificates.theorems.classes import read_classes

KINDS = ("gaussian", "bernoulli", "categorical")
Columns = dict[str, NDArray[np.intp]]


@dataclass
class Sizes:
    k: int  # classes
    n: int  # rows
    eps: float


@checker()
def check_mixed_nb(model: Any, blocks: Blocks, tol: float) -> Findings:
    """One pass for the labels and Bernoulli columns, two for Gaussian and two for categorical ones."""
    return _claims(
        model, blocks
    ), f"up to five passes over the rows, {10.0 * blocks.n_rows * blocks.n_features:.1e} operations per class"


def _claims(model: Any, blocks: Blocks) -> list[Claim]:
    attrs = Attributes(model, "parts_")
    k, parts = read_classes(attrs, least=1), read_parts(attrs, blocks.n_features)
    threshold = read_threshold(attrs)
    if k is None or parts is None or attrs.faults:
        return [bad_attributes(attrs)]
    counts = feature_counts(blocks, k, threshold)
    size = Sizes(k, blocks.n_rows, epsilon(counts.single))
    claims = _priors(attrs, counts.classes, size)
    if len(parts["gaussian"]):
        claims += _gaussian(attrs, blocks, parts["gaussian"], size)
    if len(parts["bernoulli"]):
        columns, alpha = parts["bernoulli"], read_alpha(attrs, None)
        logs = attrs.array("feature_log_prob_bernoulli_", (k, len(columns)), finite=False)
        if logs is not None and alpha is not None:
            truth = bernoulli_logs(counts.features[:, columns], counts.classes, alpha)
            claims += bernoulli_claims("feature_log_prob_bernoulli_", logs, truth, size.n, size.eps)
    if len(parts["categorical"]):
        claims += _categorical(attrs, blocks, parts["categorical"], size)
    return [bad_attributes(attrs)] if attrs.faults else claims


def read_parts(attrs: Attributes, d: int) -> Columns | None:
    """The columns of every kind, or None with the fault noted: every column has one kind."""
    parts: Columns = {kind: np.zeros(0, dtype=np.intp) for kind in KINDS}
    taken: list[int] = []
    try:
        for kind, columns in attrs.model.parts_:
            array = np.asarray(columns)
            if array.dtype.kind not in "iu" or array.ndim != 1 or len(parts[kind]):
                raise ValueError(kind)
            parts[kind] = array.astype(np.intp)
            taken += array.tolist()
    except (TypeError, ValueError, KeyError):  # not pairs, not columns, no such kind, or one kind twice
        taken = [-1]
    if sorted(taken) != list(range(d)):
        attrs.faults.append(f"parts_ does not give each of the {d} columns one kind, of {', '.join(KINDS)}")
        return None
    return parts


def _priors(attrs: Attributes, classes: NDArray, size: Sizes) -> list[Claim]:
    k, n, eps = size.k, size.n, size.eps
    count, logs = attrs.array("class_count_", (k,)), attrs.array("class_log_prior_", (k,), finite=False)
    given, prior = read_numbers(attrs, "class_prior", k), attrs.array("class_prior_", (k,))
    if count is None or logs is None or prior is None:
        return []
    if given is not None:
        truth = given
    else:
        truth = classes / classes.sum() if attrs.flag("fit_prior", True) else np.full(k, 1.0 / k)
    return [
        counts_claim("class_count_", count, classes, n, eps),
        priors_claim("class_prior_", prior, [truth], n, eps),
        log_prior_claim(attrs, logs, given, classes, n, eps),
    ]


def _gaussian(attrs: Attributes, blocks: Blocks, columns: NDArray[np.intp], size: Sizes) -> list[Claim]:
    shape = (size.k, len(columns))
    theta, var = attrs.array("theta_", shape, finite=False), attrs.array("var_", shape, finite=False)
    smoothing = read_smoothing(attrs)
    added = attrs.number("epsilon_") if attrs.has("epsilon_") else None
    if theta is None or var is None or attrs.faults:
        return []
    data = gaussian_moments(blocks, size.k, columns=columns)
    return gaussian_claims(theta, var, added, smoothing, data, size.n, size.eps)


def _categorical(attrs: Attributes, blocks: Blocks, columns: NDArray[np.intp], size: Sizes) -> list[Claim]:
    d, name = len(columns), "feature_log_prob_categorical_"
    logs, alpha, least = tables(attrs, name, size.k, d), read_alpha(attrs, None), read_least(attrs, d)
    if logs is None or alpha is None or least is None:
        return []
    data = category_counts(blocks, size.k, columns)
    widths = np.array([table.shape[1] for table in logs])
    number = number_claim("categories", widths.astype(np.float64), data, least)
    if not number.holds:
        return [number]
    if attrs.has("n_categories_"):
        stated = attrs.array("n_categories_", (d,))
        if stated is not None and (stated != widths).any():
            attrs.faults.append("n_categories_ is not the number of columns of the tables")
    truth = [fitted_to(table, width) for table, width in zip(data.counts, widths, strict=True)]
    claims = table_claims(attrs, name, logs, truth, alpha, size.n, size.eps)
    if len(claims) > 1:
        claims[1] = Claim(**{**vars(claims[1]), "name": "normalised_categories"})
    return [number, *claims]
