"""Checker of CategoricalNB: how often every category occurs in every class, recounted, smoothed and normalised."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.attributes import Attributes, bad_attributes
from surefit.certificates.blocks import F64, Blocks
from surefit.certificates.checker import Findings, checker
from surefit.certificates.claim import Claim, Grade, at_most
from surefit.certificates.naive_bayes.discrete_nb import normalised
from surefit.certificates.rounding import epsilon
from surefit.certificates.theorems.class_claims import (
    counts_claim,
    log_prior_claim,
    logs_claim,
    read_alpha,
    read_numbers,
)
from surefit.certificates.theorems.class_counts import Categories, category_counts
from surefit.certificates.theorems.classes import read_classes


@checker()
def check_categorical_nb(model: Any, blocks: Blocks, tol: float) -> Findings:
    """Two passes over the data."""
    cost = f"two passes over the rows, {4.0 * blocks.n_rows * blocks.n_features:.1e} operations"
    return _claims(model, blocks), cost


def _claims(model: Any, blocks: Blocks) -> list[Claim]:
    attrs = Attributes(model, "feature_log_prob_")
    k, d, n = read_classes(attrs, least=1), blocks.n_features, blocks.n_rows
    if k is None:
        return [bad_attributes(attrs)]
    data = category_counts(blocks, k)
    logs, counts = tables(attrs, "feature_log_prob_", k, d), tables(attrs, "category_count_", k, d)
    prior, classes = attrs.array("class_log_prior_", (k,), finite=False), attrs.array("class_count_", (k,))
    stated = attrs.array("n_categories_", (d,))
    alpha, given, least = read_alpha(attrs, None), read_numbers(attrs, "class_prior", k), read_least(attrs, d)
    if attrs.faults or logs is None or counts is None or prior is None or classes is None or stated is None:
        return [bad_attributes(attrs)]
    if alpha is None or least is None:
        return [bad_attributes(attrs)]
    eps = epsilon(data.single, logs[0] if logs else prior)
    claims = [
        counts_claim("class_count_", classes, data.classes, n, eps),
        log_prior_claim(attrs, prior, given, data.classes, n, eps),
        number_claim("n_categories_", stated, data, least),
    ]
    if not claims[-1].holds:
        return claims
    sizes = stated.astype(np.intp)
    if [t.shape[1] for t in counts] != sizes.tolist():
        attrs.faults.append("category_count_ has tables of other widths than n_categories_")
        return [*claims, bad_attributes(attrs)]
    truth = [fitted_to(table, size) for table, size in zip(data.counts, sizes, strict=True)]
    claims.append(counts_claim("category_count_", _flat(counts), _flat(truth), n, eps))
    return claims + table_claims(attrs, "feature_log_prob_", logs, truth, alpha, n, eps)


def tables(attrs: Attributes, name: str, k: int, d: int) -> list[F64] | None:
    """A list of d tables with k rows each, or None with the fault noted."""
    value = getattr(attrs.model, name, None)
    many = isinstance(value, (list, tuple)) or (isinstance(value, np.ndarray) and value.ndim == 3)
    given = list(value) if many and value is not None else []
    out: list[F64] = []
    for table in given:
        try:
            array = np.asarray(table)
        except (TypeError, ValueError):  # ragged lists
            break
        if array.dtype.kind not in "biuf" or array.ndim != 2 or array.shape[0] != k:
            break
        out.append(array.astype(np.float64))
    if len(out) != d or len(given) != d:
        attrs.faults.append(f"{name} is not a list of {d} tables of numbers with {k} rows")
        return None
    return out


def read_least(attrs: Attributes, d: int) -> NDArray[np.intp] | None:
    """min_categories: None, a number, or one per column."""
    given = getattr(attrs.model, "min_categories", None)
    try:
        array = np.asarray(0 if given is None else given)
    except (TypeError, ValueError):  # ragged lists
        array = np.asarray("")
    if array.dtype.kind not in "iu" or array.shape not in ((), (d,)):
        attrs.faults.append("min_categories is neither None nor a whole number, or one per column")
        return None
    return np.broadcast_to(array, (d,)).astype(np.intp)


def number_claim(name: str, stated: F64, data: Categories, least: NDArray[np.intp]) -> Claim:
    """The largest category plus one, or min_categories if more; rows of weight zero may count or not."""
    every = np.maximum([table.shape[1] for table in data.counts], least)
    heavy = np.maximum(data.weighted, least)
    wrong = (stated != every) & (stated != heavy)
    return at_most(
        name,
        f"{name} is the largest category of every column plus one, or min_categories; columns where it is not.",
        Grade.EXACT,
        int(np.count_nonzero(wrong)),
        0,
    )


def fitted_to(table: F64, size: int) -> F64:
    """The table with more or fewer columns: those cut away hold rows of weight zero only."""
    return np.pad(table, [(0, 0), (0, max(0, size - table.shape[1]))])[:, :size]


def table_claims(
    attrs: Attributes, name: str, logs: list[F64], counts: list[F64], alpha: F64, n: int, eps: float
) -> list[Claim]:
    """log (count + α)/Σ(count + α), for every column and class."""
    if [t.shape for t in logs] != [t.shape for t in counts]:
        attrs.faults.append(f"{name} has tables of other widths than there are categories")
        return [bad_attributes(attrs)]
    truth = [np.log(t + alpha) - np.log((t + alpha).sum(axis=1, keepdims=True)) for t in counts]
    sums = np.stack([np.exp(t).sum(axis=1) for t in logs]) if logs else np.ones(1)
    sentence = f"{name} is log (count + α)/Σ(count + α) for every column"
    widest = max((t.shape[1] for t in counts), default=1)
    return [
        logs_claim(name, sentence, _flat(logs), _flat(truth), n + widest, eps),
        normalised("normalised", sums, n + widest, eps),
    ]


def _flat(tables: list[F64]) -> F64:
    return np.concatenate([t.ravel() for t in tables]) if tables else np.zeros(0)
