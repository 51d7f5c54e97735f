"""The claims about one hyperplane: that it separates, or that none does and it violates the margin least."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from surefit.certificates.attributes import Attributes, bad_attributes
from surefit.certificates.blocks import F64, Blocks
from surefit.certificates.claim import Claim, Grade, at_most, failed, refuted
from surefit.certificates.search.linear.balancing import Balancing
from surefit.certificates.theorems.linear_program.balanced_rows import Balance, balance
from surefit.certificates.theorems.linear_program.long_rows import LONG, Long, gamma, scores, slices
from surefit.certificates.theorems.linear_program.separation import (
    Plane,
    answers,
    margins,
    separates,
    signs,
    stated_margin,
)

BALANCED = 1e-9  # ν that still counts as none
EXCUSED = 2.0  # roundings of the coefficients in their own precision
MOST_EXCUSED = 0.1  # beyond, the precision does not suit the data


def hyperplane_claims(attrs: Attributes, blocks: Blocks, plane: Plane | None, tol: float) -> list[Claim]:
    """By what the model says in `separable_`. None of that is claimed where it says nothing."""
    if plane is None or attrs.faults:
        return [bad_attributes(attrs)]
    if not attrs.has("separable_"):
        reason = "The fit does not say whether the classes are separable: rounding hid it, or it was stopped too early."
        return [failed("separable", reason)]
    if attrs.model.separable_:
        m = margins(blocks, plane.w, plane.b)
        claims = [separates(m, plane.w), *stated_margin(attrs, m, plane.w, tol)]
    else:
        claims = not_separable(attrs, blocks, plane, tol)
    other = "farkas_" if attrs.model.separable_ else "margin_"
    if attrs.has(other):
        claims.append(refuted(other, f"{other} is given, although separable_ is {attrs.model.separable_}."))
    return [*claims, *answers(attrs.model, blocks, plane)]


def not_separable(attrs: Attributes, blocks: Blocks, plane: Plane, tol: float) -> list[Claim]:
    """farkas_ proves that no hyperplane separates, and the coefficients have the least sum of violations."""
    phi = attrs.array("farkas_", (blocks.n_rows,))
    if phi is None:
        return [failed("farkas", f"The classes are said not to be separable, without a proof: {attrs.faults[-1]}.")]
    search, omega = Balancing(blocks, plane.intercept), np.concatenate([part.w for part in slices(blocks)]).astype(LONG)
    off = max(0.0, -float(phi.min()), abs(float(phi.sum()) - 1.0), float(np.abs(phi[omega == 0]).max(initial=0.0)))
    sentence = "farkas_ holds weights that are not negative and add up to one; largest violation."
    weights = at_most("farkas_weights", sentence, Grade.EXACT, off, BALANCED)
    given = np.where((omega > 0) & (phi > 1e-12 * phi.max()), phi, 0.0).astype(LONG)  # smaller ones may be rounding
    found = balance(blocks, plane.intercept, given, search.coordinates(given))
    duals = search.duals(plane.w, plane.b, given, omega, 0.1 * tol)
    return [weights, farkas_claim(found), least_violations(blocks, plane, omega, duals, search, tol)]


def farkas_claim(found: Balance) -> Claim:
    sentence = (
        f"No hyperplane has every row on its side by more than {found.nu:.1e} of the size of its scores: with weights "
        "next to those of farkas_ the signed rows add up to zero, where a separating one would make the sum positive. "
        "Share of a column that this leaves out."
    )
    proved, failure = found.total > 0, "With the weights of farkas_ the signed rows do not add up to zero: no proof."
    value, grade = found.nu if proved else np.inf, Grade.NO_SOLUTION if found.rounded else Grade.BOUNDED
    detail = {"exact": bool(proved and found.nu == 0)}
    return at_most("farkas", sentence, grade, value, BALANCED, detail, lower=0.0, failure=failure)


def violations(blocks: Blocks, w: F64, b: Long) -> tuple[Long, Long, Long]:
    """Σ ω max(0, 1 − σ(x·w + b)), a bound of its rounding, and Σ ω(|x||w| + |b|)."""
    total, error, stored = LONG(0), LONG(0), LONG(0)
    for part in slices(blocks):
        z, size, off = scores(part.X, w, b)
        total = total + part.w @ np.maximum(1 - signs(part) * z, 0)
        error, stored = error + part.w @ off, stored + part.w @ size
    return total, 1.01 * (error + gamma(blocks.n_rows + 8) * total), stored


def least_violations(
    blocks: Blocks, plane: Plane, omega: Long, duals: Iterator[Long], search: Balancing, tol: float
) -> Claim:
    """How far the sum of violations is above the least, relative to that; `duals` are proposals for φ."""
    (total, error, stored), low, nu = violations(blocks, plane.w, plane.b), LONG(0), 0.0
    for delta in duals:
        phi = np.clip(delta, 0, omega)
        found = balance(blocks, plane.intercept, phi, search.coordinates(phi))
        if found.rounded and found.total > low:
            low, nu = found.total, found.nu
        if total + error - low <= tol * low:
            break
    best, off, smaller = violations(blocks, *search.better)  # large coefficients that cancel are not unavoidable
    lower = float((total - error) / (best + off) - 1) if best < total else 0.0
    value, stored = float((total + error) / low - 1) if low > 0 else np.inf, min(stored, smaller)
    note = f", columns that depend on others to a relative {nu:.0e} left out" if nu else ""
    what, detail = "sum of violations Σ ω max(0, 1 − σ(x·w + b))", {"objective": float(total / omega.sum())}
    return at_most(
        "optimal",
        f"No coefficients have a {what} lower by more than a relative {value:.1e}{note}.",
        Grade.OPTIMAL,
        max(0.0, value),
        tol,
        detail | {"gap": float((total + error - low) / omega.sum()), "lower_bound": float(low / omega.sum())},
        excuse=min(MOST_EXCUSED, float(EXCUSED * plane.unit * stored / low)) if low > 0 else 0.0,
        lower=max(0.0, lower) if low > 0 else 0.0,
        failure=f"The {what} could be lower by a relative {lower:.1e} to {value:.1e}{note}: fit again with a smaller "
        "tolerance, or bring the columns to a common scale.",
    )
