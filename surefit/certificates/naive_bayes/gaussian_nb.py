"""Checker of GaussianNB: means, variances, smoothing and priors of every class, recounted from the rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from surefit.certificates.attributes import Attributes, bad_attributes, real
from surefit.certificates.blocks import F64, Blocks
from surefit.certificates.checker import Findings, checker
from surefit.certificates.claim import Claim, Grade, at_most
from surefit.certificates.rounding import epsilon, typical
from surefit.certificates.theorems.class_claims import counts_claim, prior_options, priors_claim, read_numbers
from surefit.certificates.theorems.class_counts import Moments, gaussian_moments
from surefit.certificates.theorems.classes import read_classes


@checker()
def check_gaussian_nb(model: Any, blocks: Blocks, tol: float) -> Findings:
    """Two passes over the data."""
    return _claims(
        model, blocks
    ), f"two passes over the rows, {8.0 * blocks.n_rows * blocks.n_features:.1e} operations per class"


def _claims(model: Any, blocks: Blocks) -> list[Claim]:
    attrs = Attributes(model, "theta_")
    k, d, n = read_classes(attrs, least=1), blocks.n_features, blocks.n_rows
    if k is None:
        return [bad_attributes(attrs)]
    ignore = getattr(model, "missing", "error")
    data = gaussian_moments(blocks, k, missing=isinstance(ignore, str) and ignore == "ignore")
    theta, var = attrs.array("theta_", (k, d), finite=False), attrs.array("var_", (k, d), finite=False)
    count, prior = attrs.array("class_count_", (k,)), attrs.array("class_prior_", (k,))
    given, smoothing, eps_ = read_numbers(attrs, "priors", k), read_smoothing(attrs), attrs.number("epsilon_")
    if attrs.faults or theta is None or var is None or count is None or prior is None or eps_ is None:
        return [bad_attributes(attrs)]
    eps = epsilon(data.single, np.asarray(model.theta_), np.asarray(model.var_))
    share = data.classes / data.classes.sum()
    return [
        counts_claim("class_count_", count, data.classes, n, eps),
        priors_claim("class_prior_", prior, prior_options(given, share, normalise=False), n, eps),
        *gaussian_claims(theta, var, eps_, smoothing, data, n, eps),
    ]


def read_smoothing(attrs: Attributes) -> float:
    given = attrs.parameter("var_smoothing", 1e-9)
    if 0 <= real(given) < np.inf:
        return real(given)
    attrs.faults.append("var_smoothing is not a number from 0 up")
    return 0.0


def gaussian_claims(
    theta: F64, var: F64, added: float | None, smoothing: float, data: Moments, n: int, eps: float
) -> list[Claim]:
    """Means and variances; `added` is what the model says was added to the variances, None if it does not say."""
    limit, rounding = 64.0 * typical(n, eps), (8.0 * eps * data.size) ** 2
    options = [smoothing * widest for widest in data.widest]
    claims = []
    if added is not None:
        scale = max(options) + smoothing * float(rounding.max(initial=0.0)) / limit
        claims.append(
            at_most(
                "epsilon_",
                "epsilon_ is var_smoothing times the largest variance of a column; relative error.",
                Grade.EXACT,
                min(abs(added - option) for option in options) / (scale if scale > 0 else 1.0),
                limit,
            )
        )
        options = [added]
    claims.append(_means(theta, data, n, eps))
    claims.append(_variances(var, options, data, limit, rounding))
    return claims


def _means(theta: F64, data: Moments, n: int, eps: float) -> Claim:
    """An entry without rows has no mean: zero or NaN stands there."""
    counted = data.weight > 0
    off = np.abs(theta - data.mean) / np.where(data.size > 0, data.size, 1.0)
    off = np.where(counted, off, np.where(np.isnan(theta), 0.0, np.abs(theta)))
    return at_most(
        "theta_",
        "theta_ are the means of every class and column; largest error relative to the column's size.",
        Grade.EXACT,
        off.max(initial=0.0),
        32.0 * typical(n, eps),
    )


def _variances(var: F64, options: list[float], data: Moments, limit: float, rounding: F64) -> Claim:
    counted = data.weight > 0
    worst = np.inf
    for added in options:
        truth = np.where(counted, data.variance, 0.0) + added
        scale = truth + rounding / limit
        off = np.abs(var - truth) / np.where(scale > 0, scale, 1.0)
        off = np.where(~counted & np.isnan(var), 0.0, off)
        worst = min(worst, float(off.max(initial=0.0)) if not np.isnan(off).any() else np.inf)
    return at_most(
        "var_",
        "var_ are the variances of every class and column, plus epsilon_; largest relative error.",
        Grade.EXACT,
        worst,
        limit,
        {"entries_without_rows": int(np.count_nonzero(~counted))},
    )
