"""Checker of BatchPerceptron: every margin positive and no more updates than Novikoff's bound, or Farkas' vector.

B is the length of the shortest θ = (w, b) with σ(x·w + b) ≥ 1 everywhere, R the largest ‖(x, 1)‖; updates ≤ (R·B)².
Any separating θ gives B ≤ ‖θ‖ / min σ(x·w + b), any point Σ φᵢσᵢ(xᵢ, 1) of the hull (φ ≥ 0, Σφ = 1) gives 1/B ≤ its
length.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from surefit.certificates.attributes import Attributes, bad_attributes
from surefit.certificates.blocks import F64, Blocks, dense
from surefit.certificates.checker import Findings, checker
from surefit.certificates.claim import Claim, Grade, at_most, failed
from surefit.certificates.labels import reads_labels
from surefit.certificates.linear_model.violations import UNDECIDED, not_separable, violations
from surefit.certificates.rounding import epsilon
from surefit.certificates.search.linear.shortest_separator import shortest_separator
from surefit.certificates.theorems.linear_program.long_rows import LONG, Long, slices
from surefit.certificates.theorems.linear_program.piecewise_linear import NOTHING, measure
from surefit.certificates.theorems.linear_program.separation import (
    Margins,
    answers,
    margins,
    read_plane,
    separates,
    stated_margin,
)

COVERED = ("classes_", "coef_", "intercept_", "separable_", "margin_", "farkas_", "n_updates_", "bound_")
SPARE = LONG(1e-15)  # relative, for the last few roundings of a length and a quotient


@checker(*COVERED, "decision_function", "predict")
@reads_labels
def check_batch_perceptron(model: Any, blocks: Blocks, tol: float) -> Findings:
    """Six passes over the rows, and a search for the shortest separating coefficients with a limit on its work."""
    attrs = Attributes(model, "coef_")
    w, b = read_plane(attrs, blocks)
    separable, updates = getattr(model, "separable_", None), attrs.number("n_updates_")
    if not (separable is None or isinstance(separable, (bool, np.bool_))):
        attrs.faults.append("separable_ is neither True, False nor None")
    if updates is not None and not (updates >= 0 and updates == np.floor(updates)):
        attrs.faults.append("n_updates_ is not a count")
    if separable is None:
        return [failed("separable", UNDECIDED)], "no pass"
    if attrs.faults or updates is None:
        return [bad_attributes(attrs)], "no pass"
    unit = epsilon(False, np.asarray(model.coef_), np.asarray(model.intercept_)) / 2
    if separable:
        m = margins(blocks, w, b)
        claims = [separates(m, w), *stated_margin(attrs, m, w, tol)]
        claims += _updates(attrs, blocks, w, b, m, updates, tol) if claims[0].holds else []
    else:
        claims = not_separable(attrs, blocks, w, b, tol, unit)
    return [*claims, *answers(model, blocks, w[None], np.array([b]), unit)], "six to ten passes over the rows"


def _shortest(blocks: Blocks, intercept: bool, w: F64, b: float, m: Margins) -> tuple[Long, Long]:
    """An interval for B."""
    p = replace(violations(blocks, intercept), center=np.zeros(w.size))
    phi, other = shortest_separator(blocks, intercept, w, b)
    hull = measure(p, w, b, phi.astype(LONG), NOTHING)
    low = hull.give / np.sqrt((hull.missed**2).sum()) * (1 - SPARE) if hull.give > 0 else LONG(0)
    theta = [(w, b, m), (*other, margins(blocks, *other))]
    lengths = [np.sqrt((v.astype(LONG) ** 2).sum() + LONG(c) ** 2) / k.certain for v, c, k in theta if k.certain > 0]
    return low, min(lengths) * (1 + SPARE)


def _radius(blocks: Blocks, intercept: bool) -> Long:
    """R, over the rows with weight."""
    largest = LONG(0)
    for part in slices(blocks):
        sq_norms = (dense(part.X).astype(LONG) ** 2).sum(axis=1)
        largest = np.maximum(largest, sq_norms[part.w > 0].max(initial=LONG(0)))
    return np.sqrt(largest + int(intercept))


def _updates(
    attrs: Attributes, blocks: Blocks, w: F64, b: float, m: Margins, updates: float, tol: float
) -> list[Claim]:
    intercept = attrs.flag("fit_intercept", True)
    low, high = _shortest(blocks, intercept, w, b, m)
    radius = _radius(blocks, intercept)
    least, most = ((radius * end) ** 2 for end in (low, high))
    claims = [
        at_most(
            "updates",
            f"n_updates_ is within Novikoff's bound (R·B)², R = {radius:.6g} and B in [{low:.6g}, {high:.6g}].",
            Grade.BOUNDED,
            updates,
            float(most),
            {"radius": float(radius), "shortest": [float(low), float(high)]},
        )
    ]
    if not attrs.has("bound_"):
        return claims
    bound = attrs.array("bound_", (), (1,), finite=False)
    if bound is None:
        return [*claims, failed("bound", f"{attrs.faults[-1]}.")]
    stated = LONG(float(bound.reshape(())))
    if np.isnan(stated):
        return claims
    claims.append(
        at_most(
            "bound",
            f"bound_ is (R·B)², which lies in [{least:.6g}, {most:.6g}]; relative distance to the interval.",
            Grade.BOUNDED,
            float(max(LONG(0), stated / most - 1, 1 - stated / least if least > 0 else LONG(0))),
            tol,
        )
    )
    return claims
