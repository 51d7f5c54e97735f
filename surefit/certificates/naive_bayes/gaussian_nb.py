"""Checker of GaussianNB: means, variances, smoothing and priors of every class, recounted from the rows.

In scikit-learn epsilon_ counts every row once, whatever its weight, and its partial_fit takes the rows of the last call
alone: there epsilon_ is only held to what it adds to a variance.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from surefit.certificates.attributes import Attributes, bad_attributes
from surefit.certificates.blocks import BlockOf, Blocks
from surefit.certificates.checker import Findings, checker
from surefit.certificates.labels import read_classes, reads_labels
from surefit.certificates.predictions import sample_rows
from surefit.certificates.rounding import gamma
from surefit.certificates.theorems.class_statistics.class_claims import (
    counts_claim,
    posterior_claims,
    priors_claim,
    read_numbers,
    unit,
)
from surefit.certificates.theorems.class_statistics.class_spread import class_spread
from surefit.certificates.theorems.class_statistics.gaussian import gaussian_claims, gaussian_scores


class Unweighted:
    """The same rows, each counted once."""

    def __init__(self, blocks: Blocks) -> None:
        self.blocks, self.n_rows, self.n_features = blocks, blocks.n_rows, blocks.n_features

    def __iter__(self) -> Iterator[BlockOf]:
        for X, y, _ in self.blocks:
            yield BlockOf(X, y, None)


@checker(
    *("classes_", "theta_", "var_", "epsilon_", "class_count_", "class_prior_"),
    *("predict", "predict_proba", "predict_log_proba", "predict_joint_log_proba"),
)
@reads_labels
def check_gaussian_nb(model: Any, blocks: Blocks, tol: float) -> Findings:
    """Four passes over the data."""
    attrs = Attributes(model, "theta_")
    k, d, n = read_classes(attrs, least=1), blocks.n_features, blocks.n_rows
    if k is None:
        return [bad_attributes(attrs)], "no pass"
    ignore = attrs.text("missing", "error") == "ignore"
    theirs = any(c.__name__ == "GaussianNB" and c.__module__.startswith("sklearn.") for c in type(model).__mro__)
    data = class_spread(blocks, k, ignore)
    every = class_spread(Unweighted(blocks) if theirs else blocks, k, ignore, together=True)
    count, prior = attrs.array("class_count_", (k,)), attrs.array("class_prior_", (k,))
    given, claims = read_numbers(attrs, "priors", k), gaussian_claims(attrs, data, every, tol, loose=theirs)
    if attrs.faults or count is None or prior is None:
        return [bad_attributes(attrs)], "two passes"
    truth = data.classes / data.classes.sum() if given is None else given
    claims += [
        counts_claim(attrs, "class_count_", count, data.classes, tol, n),
        priors_claim(attrs, "class_prior_", np.log(prior), truth, tol, n),
    ]
    if all(claim.holds for claim in claims):
        X = sample_rows(blocks)
        u, (score, size) = unit(X, model.theta_, model.var_), gaussian_scores(X, model)
        claims += posterior_claims(model, X, score, np.log(prior), gamma(2 * d + 16, u) * size, u)
    return claims, f"four passes over the rows, {16.0 * n * d:.1e} operations"
