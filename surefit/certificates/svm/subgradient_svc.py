"""Checker of SubgradientSVC: the theorem about averaged subgradient descent, and the true distance from the minimum.

f(w, b) = λ/2 (‖w‖² + b²) + Σ ω max(0, 1 − s(x·w + b)) / Σ ω. After T steps of the sizes 1/(λ(t + 1)), the mean of the
points passed has f − min f ≤ L²(1 + ln T)/(2λT), where L = 2 max‖(x, 1)‖ bounds every subgradient. f/λ is the objective
of a linear support vector machine with U = ω/(λ Σω), whose dual bounds min f.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from surefit.certificates.attributes import Attributes, bad_attributes, real
from surefit.certificates.blocks import BadData, Blocks, dense
from surefit.certificates.checker import Findings, checker
from surefit.certificates.claim import Claim, Grade, at_most, refuted
from surefit.certificates.labels import read_classes, reads_labels
from surefit.certificates.rounding import epsilon
from surefit.certificates.search.machines.hinge_newton import better_plane
from surefit.certificates.theorems.linear_program.long_rows import slices
from surefit.certificates.theorems.margin.hinge import Plane, Problem, dual, primal
from surefit.certificates.theorems.margin.planes import answers, terms

NEAR = 0.1  # a distance from the least value, relative to f, that says something where the theorem does not


@checker(
    "classes_", "coef_", "intercept_", "lambda_", "n_iter_", "bound_", "objective_", "decision_function", "predict"
)
@reads_labels
def check_subgradient_svc(model: Any, blocks: Blocks, tol: float) -> Findings:
    """Five passes over the rows, and a search in memory for a dual point."""
    attrs, d = Attributes(model, "coef_"), blocks.n_features
    coef, bias = attrs.array("coef_", (1, d)), attrs.array("intercept_", (1,))
    if read_classes(attrs) not in (2, None):
        attrs.faults.append("classes_ does not hold two labels")
    if bias is not None and bias.any() and not attrs.flag("fit_intercept", True):
        attrs.faults.append("intercept_ is not zero although fit_intercept is false")
    lam, T = real(attrs.parameter("lambda_", 0.01)), real(attrs.parameter("n_iter_", np.nan))
    if not (0 < lam < np.inf and 1 <= T < np.inf):
        attrs.faults.append("lambda_ is not a positive number, or n_iter_ not a number of steps")
    if attrs.faults or coef is None or bias is None:
        return [bad_attributes(attrs)], "no pass"
    w, b = coef[0], float(bias[0])
    intercept = 1.0 if attrs.flag("fit_intercept", True) else 0.0
    total, longest = 0.0, 0.0
    for part in slices(blocks):
        if not ((part.y == 0) | (part.y == 1)).all():
            raise BadData("some labels are not in classes_")
        total += float(part.w.sum())
        longest = max(longest, float((dense(part.X) ** 2).sum(axis=1)[part.w > 0].max(initial=0.0)) + intercept)
    p, plane = Problem(blocks, terms(1, 2, 1 / (lam * total), np.ones(2)), False, False, intercept), Plane(w, b)
    unit = epsilon(False, *(a for a in (attrs.raw("coef_"), attrs.raw("intercept_")) if a is not None)) / 2
    theorem = 4 * longest * (1 + np.log(T)) / (2 * lam * T)
    claims = [*_values(p, plane, lam, theorem, tol, unit, attrs)]
    claims += [_stated(attrs, "bound_", theorem, 1e-6, "the theorem's bound L²(1 + ln T)/(2λT)", 0.0)]
    return [*claims, *answers(model, blocks, w[None], np.array([b]), unit)], "five passes over the rows and a search"


def _values(
    p: Problem, plane: Plane, lam: float, theorem: float, tol: float, unit: float, attrs: Attributes
) -> list[Claim]:
    here = primal(p, plane, unit)
    better, a = better_plane(p, plane, here.slopes, tol)
    bound, other = lam * max(0.0, dual(p, here.slopes), dual(p, a)), lam * primal(p, better, unit).high
    f, share = lam * here.high, lam * here.high if here.high > 0 else 1.0
    said = f"f = {f:.10g}, its least value at least {bound:.10g}: f is above it by at most {f - bound:.3g}"
    proves = theorem < f or f - bound <= NEAR * f
    gap = at_most(
        "optimal",
        f"{said}, and the theorem allows {theorem:.3g}{'' if proves else ', which says nothing'}; relative to f.",
        Grade.BOUNDED if proves else Grade.UNPROVED,
        (f - bound) / share,
        theorem / share,
        {"objective": f, "dual": bound, "gap": f - bound, "theorem": theorem},
        lower=max(0.0, (lam * here.low - other) / share),
        failure=f"{said}, more than the theorem's {theorem:.3g}: these are not the averaged steps.",
    )
    return [
        gap,
        _stated(attrs, "objective_", f, tol, "f at the coefficients", unit * here.moved / max(here.high, 1e-300)),
    ]


def _stated(attrs: Attributes, name: str, truth: float, limit: float, what: str, excuse: float) -> Claim:
    stated = attrs.number(name)
    if stated is None:
        return refuted(name.rstrip("_"), f"{attrs.faults[-1]}.")
    return at_most(
        name.rstrip("_"),
        f"{name} is {what}, recomputed as {truth:.10g}; relative difference.",
        Grade.EXACT,
        abs(stated - truth) / truth if truth > 0 else abs(stated),
        limit,
        error=1e-12,
        excuse=4 * excuse,
    )
