"""Checker of MixedNB: every column is Gaussian, Bernoulli or categorical, and is checked as that.

A Bernoulli column is one of two categories: entries that are not above `binarize`, and those that are.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.attributes import Attributes, bad_attributes, real
from surefit.certificates.blocks import F64, Block, BlockOf, Blocks, dense, looked_over
from surefit.certificates.checker import Findings, checker
from surefit.certificates.labels import read_classes, reads_labels
from surefit.certificates.predictions import sample_rows
from surefit.certificates.rounding import UNIT, gamma
from surefit.certificates.theorems.class_statistics.categorical import (
    categorical_claims,
    categorical_scores,
    smoothed_logs,
    tables,
)
from surefit.certificates.theorems.class_statistics.category_counts import category_counts
from surefit.certificates.theorems.class_statistics.class_claims import (
    class_count_claims,
    logs_claim,
    posterior_claims,
    unit,
)
from surefit.certificates.theorems.class_statistics.class_counts import read_alpha
from surefit.certificates.theorems.class_statistics.class_spread import class_spread
from surefit.certificates.theorems.class_statistics.gaussian import gaussian_claims, gaussian_scores

KINDS = ("gaussian", "bernoulli", "categorical")
FLAGS, CATEGORIES = "feature_log_prob_bernoulli_", "feature_log_prob_categorical_"


class Columns:
    """Some columns of the blocks; as flags with a threshold, one for what is above it."""

    def __init__(self, blocks: Blocks, columns: NDArray[np.intp], threshold: float | None = None) -> None:
        self.blocks, self.columns, self.threshold = blocks, columns, threshold
        self.n_rows, self.n_features = blocks.n_rows, len(columns)

    def of(self, X: Block) -> F64:
        A = dense(X)[:, self.columns]
        return A if self.threshold is None else (A > self.threshold).astype(np.float64)

    def __iter__(self) -> Iterator[BlockOf]:
        for X, y, w in looked_over(self.blocks, needs_y=True):
            yield BlockOf(self.of(X), y, w)


@checker(
    *("classes_", "class_count_", "class_prior_", "class_log_prior_", "parts_", "theta_", "var_", "epsilon_"),
    *(FLAGS, CATEGORIES, "n_categories_", "predict", "predict_proba", "predict_log_proba", "predict_joint_log_proba"),
)
@reads_labels
def check_mixed_nb(model: Any, blocks: Blocks, tol: float) -> Findings:
    """One pass for Bernoulli columns, one for categorical ones, and four for Gaussian ones."""
    attrs, n = Attributes(model, "parts_"), blocks.n_rows
    k, parts, alpha = read_classes(attrs, least=1) or 0, read_parts(attrs, blocks.n_features), read_alpha(attrs)
    numbers, others = Columns(blocks, parts["gaussian"]), Columns(blocks, parts["categorical"])
    flags = Columns(blocks, parts["bernoulli"], real(attrs.parameter("binarize", 0.0)))
    logs = attrs.array(FLAGS, (k, flags.n_features), finite=False) if flags.n_features else np.zeros((k, 0))
    held = tables(attrs, CATEGORIES, k, others.n_features) if others.n_features else []
    if attrs.faults or alpha is None or logs is None or held is None:
        return [bad_attributes(attrs)], "no pass"
    classes, counts, _ = category_counts(flags, k, [2] * flags.n_features)
    claims = class_count_claims(attrs, classes, n, tol)
    if counts:
        truth = np.stack([both[:, 1] for both in smoothed_logs(counts, alpha)], axis=1)
        claims.append(logs_claim(attrs, FLAGS, f"{FLAGS} is log p, p = (count + α)/(N + 2α)", logs, truth, tol, n))
    if held:
        _, counts, largest = category_counts(others, k, [table.shape[1] for table in held])
        claims += categorical_claims(attrs, CATEGORIES, counts, largest, held, n, tol)
    if numbers.n_features:
        claims += gaussian_claims(attrs, class_spread(numbers, k), class_spread(numbers, k, together=True), tol)
    if attrs.faults:
        return [bad_attributes(attrs)], "several passes"
    if all(claim.holds for claim in claims):
        X = sample_rows(blocks)
        u, rest = unit(X), np.where(logs < 0, np.log(-np.expm1(logs)), np.nan)  # log(1 − p), known to u/(1 − p)
        both = [np.stack(pair, axis=1) for pair in zip(rest.T, logs.T, strict=True)]
        score, size = categorical_scores(np.hstack([flags.of(X), others.of(X)]), both + held)
        likely, more = gaussian_scores(numbers.of(X), model) if numbers.n_features else (0.0, 0.0)
        rounding = gamma(2 * X.shape[1] + 20, u) * (size + more) + 8 * UNIT * np.nansum(np.exp(-rest), axis=1)
        claims += posterior_claims(model, X, score + likely, np.asarray(model.class_log_prior_), rounding, u)
    return claims, f"up to six passes over the rows, {20.0 * n * blocks.n_features:.1e} operations"


def read_parts(attrs: Attributes, d: int) -> dict[str, NDArray[np.intp]]:
    """The columns of every kind, or none with the fault noted: every column has one kind, the one asked for.

    `bernoulli` and `categorical` may name columns, by number or by feature_names_in_; "auto" goes by the types of a
    dataframe, which rows of numbers do not show.
    """
    names = np.asarray(getattr(attrs.model, "feature_names_in_", ())).tolist()
    try:
        parts = {kind: [int(j) for j in columns] for kind, columns in attrs.model.parts_}
        right = set(parts) <= set(KINDS) and sorted(j for columns in parts.values() for j in columns) == list(range(d))
        for kind in KINDS[1:]:
            asked = getattr(attrs.model, kind, "auto")
            if not isinstance(asked, str):
                listed = [] if asked is None else asked
                numbers = {names.index(c) if isinstance(c, str) else int(c) % d for c in listed}
                right = right and numbers == set(parts.get(kind, []))
    except (TypeError, ValueError, OverflowError):  # not pairs, not columns
        parts, right = {}, False
    if not right:
        attrs.faults.append(f"parts_ does not give each of {d} columns one kind, and that which was asked for")
    return {kind: np.array(parts.get(kind, []), dtype=np.intp) for kind in KINDS}
