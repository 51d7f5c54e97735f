"""Checker of MixedNB: every column is Gaussian, Bernoulli or categorical, and is checked as that.

A Bernoulli column is one of two categories: entries that are not above zero, and those that are.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.attributes import Attributes, bad_attributes
from surefit.certificates.blocks import F64, Block, BlockOf, Blocks, dense, looked_over
from surefit.certificates.checker import Findings, checker
from surefit.certificates.claim import Claim
from surefit.certificates.labels import labels_claim, read_classes, reads_labels
from surefit.certificates.predictions import numbers_claim, sample_rows
from surefit.certificates.rounding import UNIT, gamma
from surefit.certificates.theorems.class_statistics.categorical import (
    categorical_claims,
    categorical_scores,
    smoothed_logs,
    tables,
)
from surefit.certificates.theorems.class_statistics.category_counts import Categories, category_counts
from surefit.certificates.theorems.class_statistics.class_claims import (
    class_count_claims,
    logs_claim,
    priors_claim,
    unit,
)
from surefit.certificates.theorems.class_statistics.class_counts import read_alpha
from surefit.certificates.theorems.class_statistics.class_spread import class_spread
from surefit.certificates.theorems.class_statistics.gaussian import gaussian_claims, gaussian_scores

KINDS = ("gaussian", "bernoulli", "categorical")
FLAGS, CATEGORIES = "feature_log_prob_bernoulli_", "feature_log_prob_categorical_"


class Columns:
    """Some columns of the blocks, the first of them as flags: one for what is above zero."""

    def __init__(self, blocks: Blocks, columns: NDArray[np.intp], flags: int = 0) -> None:
        self.blocks, self.columns, self.flags = blocks, columns, flags
        self.n_rows, self.n_features = blocks.n_rows, len(columns)

    def of(self, X: Block) -> F64:
        A = dense(X)[:, self.columns]
        return np.hstack([A[:, : self.flags] > 0, A[:, self.flags :]])

    def __iter__(self) -> Iterator[BlockOf]:
        for X, y, w in looked_over(self.blocks, needs_y=True):
            yield BlockOf(self.of(X), y, w)


@checker(
    *("classes_", "class_count_", "class_prior_", "class_log_prior_", "parts_", "theta_", "var_", "epsilon_"),
    *(FLAGS, CATEGORIES, "n_categories_", "predict", "predict_proba", "predict_log_proba"),
)
@reads_labels
def check_mixed_nb(model: Any, blocks: Blocks, tol: float) -> Findings:
    """One pass for categorical columns, Bernoulli columns among them, and four for Gaussian ones."""
    attrs, n = Attributes(model, "parts_"), blocks.n_rows
    k, parts, alpha = read_classes(attrs, least=1), read_parts(attrs, blocks.n_features), read_alpha(attrs)
    if k is None or parts is None or alpha is None:
        return [bad_attributes(attrs)], "no pass"
    gaussian, flags, others = parts
    logs = attrs.array(FLAGS, (k, flags.size), finite=False) if flags.size else np.zeros((k, 0))
    held = tables(attrs, CATEGORIES, k, others.size) if others.size else []
    prior = attrs.array("class_prior_", (k,))
    if logs is None or held is None or prior is None:
        return [bad_attributes(attrs)], "no pass"
    numbers, places = Columns(blocks, gaussian), Columns(blocks, np.append(flags, others), flags.size)
    data = category_counts(places, k, [2] * flags.size + [table.shape[1] for table in held])
    claims = class_count_claims(attrs, data.classes, n, tol)
    if claims:
        truth = np.exp(np.asarray(model.class_log_prior_, dtype=np.float64))
        claims.append(priors_claim(attrs, "class_prior_", np.log(prior), truth, tol, n))
    if flags.size:
        truth = np.stack([both[:, 1] for both in smoothed_logs(data, alpha)[: flags.size]], axis=1)
        claims.append(logs_claim(attrs, FLAGS, f"{FLAGS} is log p, p = (count + α)/(N + 2α)", logs, truth, tol, n))
    if held:
        f = flags.size
        rest = Categories(data.classes, data.counts[f:], data.most[f:], data.weighted[f:])
        claims += categorical_claims(attrs, CATEGORIES, rest, held, n, tol)
    if gaussian.size:
        claims += gaussian_claims(attrs, numbers, class_spread(numbers, k), tol)
    if attrs.faults:
        return [bad_attributes(attrs)], "several passes"
    if all(claim.holds for claim in claims) and hasattr(model, "predict"):
        claims += _answers(model, numbers, places, logs, held)
    return claims, f"up to five passes over the rows, {20.0 * n * blocks.n_features:.1e} operations"


def read_parts(attrs: Attributes, d: int) -> list[NDArray[np.intp]] | None:
    """The columns of every kind, or None with the fault noted: every column has one kind, the one asked for.

    `bernoulli` and `categorical` may name columns, by number or by feature_names_in_; "auto" goes by the types of a
    dataframe, which rows of numbers do not show.
    """
    names = [str(name) for name in np.asarray(getattr(attrs.model, "feature_names_in_", ())).ravel()]
    try:
        parts = {kind: [int(j) for j in columns] for kind, columns in attrs.model.parts_}
        for kind in KINDS[1:]:
            given = getattr(attrs.model, kind, "auto")
            given = parts.get(kind, []) if isinstance(given, str) else () if given is None else given
            asked = {names.index(c) if isinstance(c, str) else int(c) % d for c in given}
            if sorted(asked) != sorted(parts.get(kind, [])):
                raise ValueError(kind)
        if not set(parts) <= set(KINDS) or sorted(j for columns in parts.values() for j in columns) != list(range(d)):
            raise ValueError(f"each of {d} columns has one kind of {', '.join(KINDS)}")
    except (TypeError, ValueError, OverflowError) as fault:  # not pairs, not columns, no such kind
        attrs.faults.append(f"parts_ does not say what was asked for ({fault})")
        return None
    return [np.array(parts.get(kind, []), dtype=np.intp) for kind in KINDS]


def _answers(model: Any, numbers: Columns, places: Columns, logs: F64, held: list[F64]) -> list[Claim]:
    """Log likelihoods of all columns and log priors, added up: posteriors are known to 2r if these are known to r.

    Stored logarithms of p give 1 − p with a relative error of u/(1 − p).
    """
    X, prior, rest = sample_rows(numbers.blocks), np.asarray(model.class_log_prior_, dtype=np.float64), -np.expm1(logs)
    u, flags = unit(X), [np.stack(both, axis=1) for both in zip(np.log(rest).T, logs.T, strict=True)]
    score, size = categorical_scores(places.of(X), flags + held)
    likely, more = gaussian_scores(numbers.of(X), model) if numbers.n_features else (0.0, 0.0)
    score, size = score + likely + prior, size + more + np.abs(np.where(np.isfinite(prior), prior, 0.0))
    r = (gamma(2 * X.shape[1] + 20, u) * size + 8 * UNIT * (1 / rest).sum(axis=1)).max(axis=1)
    kept = np.isfinite(score.max(axis=1)) & np.isfinite(r)  # a count that no class allows is left out
    X, score, r = X[kept], score[kept], r[kept, None]
    above = score - score.max(axis=1, keepdims=True)
    p, wide = np.exp(above), 2 * r + (len(prior) + 8) * u
    p, above = p / p.sum(axis=1, keepdims=True), above - np.log(p.sum(axis=1, keepdims=True))
    return [
        labels_claim(model, X, score, r[:, 0]),
        numbers_claim(model, "predict_proba", X, p, np.expm1(np.minimum(wide, 50.0)) * p + u * u),
        numbers_claim(model, "predict_log_proba", X, above, wide + 4 * u * np.abs(above)),
    ]
