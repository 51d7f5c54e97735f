"""Checker of BatchPerceptron: every margin positive and no more updates than Novikoff's bound, or Farkas' vector.

B is the length of the shortest θ = (w, b) with σ(x·w + b) ≥ 1 everywhere, R the largest ‖(x, 1)‖; updates ≤ (R·B)².
Any separating θ gives B ≤ ‖θ‖ / min σ(x·w + b), any point Σ φᵢσᵢ(xᵢ, 1) of the hull (φ ≥ 0, Σφ = 1) gives 1/B ≤ its
length.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from surefit.certificates.attributes import Attributes, real
from surefit.certificates.blocks import Blocks, dense
from surefit.certificates.checker import Findings, checker
from surefit.certificates.claim import Claim, Grade, at_most, refuted
from surefit.certificates.labels import reads_labels
from surefit.certificates.linear_model.hyperplane import hyperplane_claims
from surefit.certificates.search.linear.shortest_separator import shortest_separator
from surefit.certificates.theorems.linear_program.long_rows import LONG, Long, gamma, slices
from surefit.certificates.theorems.linear_program.separation import Plane, margins, read_plane, signs

COVERED = ("classes_", "coef_", "intercept_", "separable_", "margin_", "farkas_", "n_updates_", "bound_")


@checker(*COVERED, "decision_function", "predict")
@reads_labels
def check_batch_perceptron(model: Any, blocks: Blocks, tol: float) -> Findings:
    """Six passes over the rows, and a search for the shortest separating coefficients with a limit on its work."""
    attrs = Attributes(model, "coef_")
    plane, updates = read_plane(attrs, blocks), attrs.number("n_updates_")
    if updates is not None and not (updates >= 0 and updates == np.floor(updates)):
        attrs.faults.append("n_updates_ is not a count")
    claims = hyperplane_claims(attrs, blocks, plane, tol)
    if plane is not None and updates is not None and claims[0].name == "separates" and claims[0].holds:
        claims[1:1] = _updates(attrs, blocks, plane, updates, tol)
    elif claims[0].name == "farkas_weights":
        reason = "n_updates_ is not checked: without a separating hyperplane updates have no end."
        claims.append(Claim("updates", reason, Grade.UNPROVED, None, None, True))
        if not np.isnan(real(getattr(model, "bound_", None))):
            claims.append(refuted("bound", "bound_ is given, although updates have no end."))
    return claims, "six to ten passes over the rows"


class Lengths(NamedTuple):
    radius: Long  # R
    least: Long  # B is at least this,
    most: Long  # and at most this


def _lengths(blocks: Blocks, plane: Plane) -> Lengths:
    phi, other = shortest_separator(blocks, plane.intercept, plane.w, plane.b)
    share, sq_radius, total = np.maximum(phi, 0.0).astype(LONG), LONG(0), LONG(0)
    p: Long = np.zeros(plane.w.size + 1, dtype=LONG)
    size = 0 * p
    for part in slices(blocks):
        used, f = part.w > 0, share[part.first : part.first + part.w.size] * (part.w > 0)
        A = np.hstack([dense(part.X).astype(LONG), np.full((f.size, 1), LONG(plane.intercept))])
        sq_radius = np.maximum(sq_radius, (A[used] ** 2).sum(axis=1).max(initial=LONG(0)))
        p, size, total = p + (f * signs(part)) @ A, size + f @ np.abs(A), total + f.sum()
    spare = gamma(blocks.n_rows + 2 * plane.w.size + 16)
    longest = np.sqrt(((np.abs(p) + spare * size) ** 2).sum())
    lengths = [np.sqrt((w.astype(LONG) ** 2).sum() + LONG(b) ** 2) for w, b in ((plane.w, plane.b), other)]
    sides = [margins(blocks, w, b).certain for w, b in ((plane.w, plane.b), other)]
    most = min(length / side for length, side in zip(lengths, sides, strict=True) if side > 0)
    return Lengths(np.sqrt(sq_radius), total / longest * (1 - spare), most * (1 + spare))


def _updates(attrs: Attributes, blocks: Blocks, plane: Plane, updates: float, tol: float) -> list[Claim]:
    radius, least, most = _lengths(blocks, plane)
    low, high = (radius * least) ** 2, (radius * most) ** 2
    sentence = f"n_updates_ is within Novikoff's bound (R·B)², R = {radius:.6g} and B in [{least:.6g}, {most:.6g}]."
    detail = {"radius": float(radius), "shortest": [float(least), float(most)]}
    claims = [at_most("updates", sentence, Grade.BOUNDED, updates, float(high), detail)]
    stated = getattr(attrs.model, "bound_", None)
    if stated is None or (isinstance(stated, float) and np.isnan(stated)):
        return claims
    off = float(np.max([0.0, real(stated) / high - 1, 1 - real(stated) / low]))
    sentence = f"bound_ is (R·B)², which lies in [{low:.6g}, {high:.6g}]; relative distance to the interval."
    return [*claims, at_most("bound", sentence, Grade.BOUNDED, off, tol)]
