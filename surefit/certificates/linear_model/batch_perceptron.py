"""Checker of BatchPerceptron: every margin positive and no more updates than Novikoff's bound, or Farkas' vector.

B is the length of the shortest (w, b) with y(x·w + b) ≥ 1 everywhere, R the largest ‖(x, 1)‖; updates ≤ (R·B)². B is
found again, as an interval; any separating (w, b) gives B ≤ ‖(w, b)‖ / min y(x·w + b).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from surefit.certificates.attributes import Attributes, bad_attributes
from surefit.certificates.blocks import F64, Blocks
from surefit.certificates.checker import Findings, checker
from surefit.certificates.claim import Claim, Grade, at_most, failed
from surefit.certificates.rounding import epsilon
from surefit.certificates.search.shortest_separator import shortest_separator
from surefit.certificates.theorems.classes import label_pass, read_classes
from surefit.certificates.theorems.separation import (
    Margins,
    farkas_claims,
    margins_of,
    read_binary,
    read_separable,
    separates,
    stated_margin,
    two_classes,
)

ROOM = 1e-6  # relative, for a bound computed in other ways


@checker()
def check_batch_perceptron(model: Any, blocks: Blocks, tol: float) -> Findings:
    """Two passes over the rows, and one for every step of Wolfe's method, at most 400."""
    return _claims(
        model, blocks
    ), "two passes over the rows, and one for every step towards the shortest separating coefficients"


def _claims(model: Any, blocks: Blocks) -> list[Claim]:
    attrs = Attributes(model, "coef_")
    intercept = attrs.flag("fit_intercept", True)
    if not two_classes(read_classes(attrs), attrs):
        return [bad_attributes(attrs)]
    labels = label_pass(blocks, 2)
    w, b = read_binary(attrs, blocks.n_features, intercept)
    separable = read_separable(attrs)
    updates = attrs.number("n_updates_")
    if updates is not None and not (updates >= 0 and updates == np.floor(updates)):
        attrs.faults.append("n_updates_ is not a count")
    if attrs.faults or w is None or separable is None or updates is None:
        return [bad_attributes(attrs)]
    eps = epsilon(labels.single, np.asarray(model.coef_))
    if not separable:
        return farkas_claims(attrs, blocks, labels, intercept, eps)
    m = margins_of(blocks, w, b, intercept)
    claims = [separates(m), *stated_margin(attrs, m, eps)]
    theta = np.append(w, b) if intercept else w
    return claims if not claims[0].holds else claims + _updates(attrs, blocks, theta, m, updates)


def _updates(attrs: Attributes, blocks: Blocks, theta: F64, m: Margins, updates: float) -> list[Claim]:
    low, high = shortest_separator(blocks, attrs.flag("fit_intercept", True), theta)
    high = min(high, m.full_norm / m.certain)
    least, most = m.radius * low * m.radius * low, m.radius * high * m.radius * high
    claims = [
        at_most(
            "updates",
            f"n_updates_ is within Novikoff's bound (R·B)², with R = {m.radius:.6g} and B in [{low:.6g}, {high:.6g}].",
            Grade.BOUNDED,
            updates,
            most,
            {"radius": m.radius, "shortest": [low, high]},
        )
    ]
    if attrs.has("bound_"):
        bound = attrs.array("bound_", (), (1,), finite=False)
        if bound is None:
            return [*claims, failed("bound", f"{attrs.faults[-1]}.")]
        stated = float(bound.reshape(()))
        if not np.isnan(stated):
            claims.append(
                at_most(
                    "bound",
                    f"bound_ is (R·B)², which lies in [{least:.6g}, {most:.6g}]; relative distance to the interval.",
                    Grade.BOUNDED,
                    float(np.max([0.0, stated / most - 1.0, 1.0 - stated / least if least > 0 else 0.0])),
                    ROOM,
                )
            )
    return claims
