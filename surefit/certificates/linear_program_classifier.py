"""Checker of LinearProgramClassifier: a separating hyperplane with its margin, or the proof that there is none.

Where there is none, the coefficients minimise  Σ ωᵢ max(0, 1 − yᵢ(xᵢ·w + b)) , a linear programme with a dual.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from .attributes import Attributes, bad_attributes
from .blocks import F64, Blocks, Rows, dense
from .checker import Findings, checker
from .claim import Claim, Grade, at_most, failed
from .classes import Labels, label_pass, read_classes, signs, weights_of
from .piecewise_linear import Part, Problem, constructed, gap_of, value
from .rounding import epsilon
from .separation import (
    farkas_claims,
    margins_of,
    read_binary,
    read_separable,
    separates,
    stated_margin,
    two_classes,
)

GAP = {False: 1e-7, True: 1e-4}
FAR = 100.0  # the least sum is sought among coefficients up to this many times larger
ROUNDINGS = 1000.0


@checker
def check_linear_program_classifier(model: Any, blocks: Blocks) -> Findings:
    """Two passes where the classes are separated; up to ten where they are not."""
    attrs = Attributes(model, "coef_")
    intercept = attrs.flag("fit_intercept", True)
    if not two_classes(read_classes(attrs), attrs):
        return [bad_attributes(attrs)], "no pass"
    labels = label_pass(blocks, 2)
    w, b = read_binary(attrs, blocks.n_features, intercept)
    separable = read_separable(attrs)
    if attrs.faults or w is None or separable is None:
        return [bad_attributes(attrs)], "one pass"
    eps = epsilon(labels.single, np.asarray(model.coef_))
    if separable:
        m = margins_of(blocks, w, b, intercept)
        return [separates(m), *stated_margin(attrs, m, eps)], "two passes over the rows"
    claims = farkas_claims(attrs, blocks, labels, intercept, eps)
    claims.append(_least_violations(blocks, labels, w, b, intercept, eps))
    return claims, "up to ten passes over the rows"


def _least_violations(blocks: Blocks, labels: Labels, w: F64, b: float, intercept: bool, eps: float) -> Claim:
    problem = _problem(blocks, labels, intercept)
    shift = labels.x_mean if intercept and not _sparse(blocks) else np.zeros(w.size)
    theta = np.append(w, b + shift @ w) if intercept else w
    at = value(problem, theta)
    if not np.isfinite(at.scale):
        return failed("optimal", "The margins overflow: coefficients of this size separate nothing.")
    # as far as FAR times the largest term of a margin, in every column
    size = np.where(at.columns > 0, at.columns, np.inf) / labels.total
    reach = FAR * (1.0 + float((np.abs(theta) * np.where(np.isfinite(size), size, 0.0)).max())) / size
    bounds = [gap_of(problem, theta, at, deltas).within(reach) for deltas in constructed(problem, theta, at)]
    if not bounds:
        return failed("optimal", "Too many rows lie exactly at a margin of one: no lower bound was found.")
    limit = GAP[eps > 1e-10]
    bound = float(np.min(bounds))
    relative = bound / (at.objective + ROUNDINGS * eps * at.scale / limit)
    return at_most(
        "optimal",
        "No hyperplane has a sum of violations Σ max(0, 1 − y(x·w + b)) lower by more than a relative "
        f"{relative:.1e}, among those with coefficients up to {FAR:.0f} times as large.",
        Grade.OPTIMAL,
        relative,
        limit,
        {"objective": at.objective, "gap": bound, "lower_bound": max(0.0, at.objective - bound)},
    )


def _sparse(blocks: Blocks) -> bool:
    return any(isinstance(X, Rows) for X, _, _ in blocks)


def _problem(blocks: Blocks, labels: Labels, intercept: bool) -> Problem:
    """Rows of arrays are shifted to their mean, which no hyperplane notices and rounding does."""

    def parts() -> Iterator[Part]:
        sparse = _sparse(blocks)
        for X, y, w in blocks:
            s, omega = signs(np.asarray(y)), weights_of(X, w)
            A = dense(X) - labels.x_mean if intercept and not sparse else X
            yield Part(A, s, np.ones(s.size), np.zeros(s.size), omega)

    d = blocks.n_features
    return Problem(parts, blocks.n_rows, d, intercept, np.zeros(d + int(intercept)))
