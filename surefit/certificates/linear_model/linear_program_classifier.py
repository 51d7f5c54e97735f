"""Checker of LinearProgramClassifier: a separating hyperplane with its margin, or the proof that there is none.

Where there is none, the coefficients minimise  Σ ωᵢ max(0, 1 − yᵢ(xᵢ·w + b)) , a linear programme with a dual.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from surefit.certificates.attributes import Attributes, bad_attributes
from surefit.certificates.blocks import F64, Blocks, Rows, dense
from surefit.certificates.checker import Findings, checker
from surefit.certificates.claim import Claim, Grade, at_most, failed
from surefit.certificates.rounding import epsilon, gamma, power_of_two, typical
from surefit.certificates.theorems.classes import Labels, label_pass, read_classes, signs, weights_of
from surefit.certificates.theorems.least_squares import affordable, column_norms, fold_qr
from surefit.certificates.theorems.piecewise_linear import (
    Part,
    Problem,
    Value,
    constructed,
    directions,
    gap_of,
    given,
    times,
    value,
)
from surefit.certificates.theorems.separation import (
    farkas_claims,
    margins_of,
    read_binary,
    read_separable,
    separates,
    stated_margin,
    two_classes,
)
from surefit.certificates.theorems.twofold import dot

GAP = {False: 1e-7, True: 1e-4}
FAR = 100.0  # with too many columns for a factor, the least sum is sought among coefficients up to so many times larger
ROUNDINGS = 1000.0

Deltas = Callable[[int, Part, F64], F64]


@checker()
def check_linear_program_classifier(model: Any, blocks: Blocks, tol: float) -> Findings:
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
    farkas = attrs.array("farkas_", (blocks.n_rows,))
    claims.append(_least_violations(blocks, labels, w, b, intercept, eps, farkas))
    return claims, "up to a dozen passes over the rows, and a factor"


def _least_violations(
    blocks: Blocks, labels: Labels, w: F64, b: float, intercept: bool, eps: float, farkas: F64 | None
) -> Claim:
    unit = power_of_two(labels.total)  # of the weights, whose products may underflow
    problem = _problem(blocks, labels, unit, intercept)
    theta = w
    if intercept:  # rounded once: the shifted coefficients are those of the model, not of a neighbour
        theta = np.append(w, b if problem.shift is None else dot(problem.shift, w, b))
    at = value(problem, theta)
    if not np.isfinite(at.scale):
        return failed("optimal", "The margins overflow: coefficients of this size separate nothing.")
    limit = GAP[eps > 1e-10]
    allowed = limit * at.objective + ROUNDINGS * eps * at.scale + problem.rounding * float(at.raw @ np.abs(theta))
    bound, tried = np.inf, False
    for deltas in _dual_points(problem, theta, at, farkas):
        tried = True
        bound = float(np.fmin(bound, _gap(problem, theta, at, deltas, labels.total / unit)))
        if bound <= allowed:
            break
    if not tried:
        return failed("optimal", "Too many rows lie exactly at a margin of one: no lower bound was found.")
    if not (np.isfinite(bound) and at.objective > 0):
        return failed("optimal", "No lower bound of the sum of violations was found.")
    relative = bound / at.objective
    all_of_them = affordable(problem.n_rows, problem.columns())
    among = "" if all_of_them else f", among those with coefficients up to {FAR:.0f} times as large"
    return at_most(
        "optimal",
        "No hyperplane has a sum of violations Σ max(0, 1 − y(x·w + b)) lower by more than a relative "
        f"{relative:.1e}, or by more than its own margins lose in rounding{among}.",
        Grade.OPTIMAL,
        relative,
        allowed / at.objective,
        {
            "objective": unit * at.objective,
            "gap": unit * bound,
            "lower_bound": unit * max(0.0, at.objective - bound),
        },
    )


def _dual_points(problem: Problem, theta: F64, at: Value, farkas: F64 | None) -> Iterator[Deltas]:
    """farkas_ made as large as the weights allow, then those that the coefficients suggest."""
    if farkas is not None and (farkas >= 0).all() and farkas.any():
        most, row = np.inf, 0
        for part in problem.parts():
            lam = farkas[row : row + part.t.size]
            most = min(most, float((part.hi[lam > 0] / lam[lam > 0]).min(initial=np.inf)))
            row += lam.size
        if 0 < most < np.inf:
            yield given(farkas * most)
    yield from constructed(problem, theta, at)


def _gap(problem: Problem, theta: F64, at: Value, deltas: Deltas, total: float) -> float:
    """P(θ) − P(θ′) for every θ′ that is at least as good as θ, from one dual point δ.

    With r = Σ δᵢaᵢ, u = aᵢ·θ′ and δ ≤ ω:  Σ δ|u| = r·θ′ + 2 Σ δ max(0, −u) ≤ r·θ′ + 2P, for −u ≤ 1 − u. Let R be the
    factor of the rows δᵢaᵢ, whose span r is in, and ε = ‖R⁻ᵀr‖. Then r·θ′ ≤ ε‖Rθ′‖ and ‖Rθ′‖ ≤ Σ δ|u|, so
    ‖Rθ′‖ ≤ 2P/(1 − ε), for θ too, and r·(θ′ − θ) ≤ 4Pε/(1 − ε).
    """
    gap = gap_of(problem, theta, at, deltas, precise=True)
    if not affordable(problem.n_rows, problem.columns()):
        # as far as FAR times the largest term of a margin, in every column
        size = np.where(at.columns > 0, at.columns, np.inf) / total
        return gap.within(FAR * (1.0 + float((np.abs(theta) * at.columns).max()) / total) / size)
    R, row = np.zeros((0, problem.columns())), 0
    for part in problem.parts():
        delta = np.clip(deltas(row, part, part.t - times(problem, part, theta)), part.lo, part.hi)
        row += delta.size
        on = np.flatnonzero(delta > 0)
        block = dense(part.X)[on]
        block = np.hstack([block, np.ones((on.size, 1))]) if problem.intercept else block
        R = fold_qr(R, delta[on, None] * block)
    if not np.isfinite(R).all():
        return np.inf
    norms = column_norms(R)
    norms = np.where(norms > 0, norms, 1.0)
    inverse, null, _ = directions(R / norms, norms)
    room = float(np.linalg.norm(np.abs(inverse) @ gap.room))
    worst = at.objective + gamma(problem.columns() + 3) * at.scale
    # r as it is; or less what margins lose, at the price of what those of θ lose
    plain, short = (gap.length(r, inverse, null) + room for r in (gap.left, gap.chosen(inverse, null)))
    price = problem.rounding * float(at.raw @ np.abs(theta))
    return min(gap.slack - price + _times(worst, plain), gap.slack + _times(worst, short))


def _times(worst: float, miss: float) -> float:
    """4Pε/(1 − ε), for ε well below one."""
    return 4.0 * worst * miss / (1.0 - miss) if miss < 0.5 else np.inf


def _sparse(blocks: Blocks) -> bool:
    return any(isinstance(X, Rows) for X, _, _ in blocks)


def _problem(blocks: Blocks, labels: Labels, unit: float, intercept: bool) -> Problem:
    """Rows of arrays are shifted to their mean, which no hyperplane notices and rounding does."""

    def parts() -> Iterator[Part]:
        for X, y, w in blocks:
            s, omega = signs(np.asarray(y)), weights_of(X, w) / unit
            A = dense(X) - labels.x_mean if shift is not None else X
            yield Part(A, s, np.ones(s.size), np.zeros(s.size), omega, X)

    d = blocks.n_features
    shift = labels.x_mean if intercept and not _sparse(blocks) else None
    columns = d + int(intercept)
    return Problem(parts, blocks.n_rows, d, intercept, np.zeros(columns), shift, typical(columns))
