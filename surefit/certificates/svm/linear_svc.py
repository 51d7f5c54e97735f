"""Checker of LinearSVC: for every class (or the second of two) the hyperplane of least penalty and violations.

liblinear's objective: ½‖w̃‖² or ‖w̃‖₁, plus Σ U max(0, v) or Σ U max(0, v)², v = 1 − s(x·w + b), with
w̃ = (w, b / intercept_scaling).
U = C · weight · class weight; with more than two classes, only the rows of the class itself have its class weight.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from surefit.certificates.attributes import Attributes, bad_attributes, real
from surefit.certificates.blocks import F64, BadData, Blocks
from surefit.certificates.checker import Findings, checker
from surefit.certificates.claim import Claim, Grade, at_most, failed
from surefit.certificates.labels import read_classes, reads_labels
from surefit.certificates.rounding import epsilon
from surefit.certificates.search.machines.hinge_newton import better_plane
from surefit.certificates.theorems.linear_program.long_rows import slices
from surefit.certificates.theorems.margin.hinge import Plane, Problem, dual, primal
from surefit.certificates.theorems.margin.planes import answers, terms

ROUNDINGS = 4.0  # times what storing every coefficient rounded once costs
MOST_EXCUSED = 0.1
ADVICE = "Lower tol, raise max_iter or scale the columns."


@checker("classes_", "coef_", "intercept_", "decision_function", "predict")
@reads_labels
def check_linear_svc(model: Any, blocks: Blocks, tol: float) -> Findings:
    """Two passes over the rows in long double for each hyperplane; four and a search where it is not converged."""
    attrs = Attributes(model, "coef_")
    k = read_classes(attrs) or 0
    planes = 1 if k == 2 else k
    W, b = attrs.array("coef_", (planes, blocks.n_features)), attrs.array("intercept_", (planes,), ())
    weights, kind = read_weights(attrs, blocks, k), read_kind(attrs)
    intercept = attrs.flag("fit_intercept", True)
    if b is not None and not intercept and b.any():
        attrs.faults.append("intercept_ is not zero although fit_intercept is false")
    if attrs.faults or W is None or b is None or weights is None or kind is None:
        return [bad_attributes(attrs)], "one pass"
    b, single = np.broadcast_to(b, (planes,)), any(X.dtype == np.float32 for X, _, _ in blocks)
    unit = epsilon(single, *(a for a in (attrs.raw("coef_"), attrs.raw("intercept_")) if a is not None)) / 2
    if attrs.text("multi_class", "ovr") == "crammer_singer":
        claims = [failed("optimal", "The objective of multi_class='crammer_singer' is not checked: use 'ovr'.")]
    else:
        column = real(attrs.parameter("intercept_scaling", 1.0)) if intercept else 0.0
        problems = [Problem(blocks, terms(j, k, *weights), *kind, column) for j in range(planes)]
        labels = np.asarray(model.classes_).tolist()
        names = [""] if planes == 1 else [f", of {k} classes the worst, {label}" for label in labels]
        claims = [optimal(problems, [Plane(*row) for row in zip(W, b, strict=True)], names, tol, unit)]
    return [*claims, *answers(model, blocks, W, b, unit)], f"{2 * planes} to {4 * planes} passes over the rows"


def read_kind(attrs: Attributes) -> tuple[bool, bool] | None:
    """Whether the loss is squared, and the penalty ‖w̃‖₁."""
    loss, penalty = attrs.text("loss", "squared_hinge"), attrs.text("penalty", "l2")
    scaling = real(attrs.parameter("intercept_scaling", 1.0))
    if loss not in ("hinge", "squared_hinge") or penalty not in ("l1", "l2") or not 0 < scaling < np.inf:
        attrs.faults.append("loss, penalty or intercept_scaling are none that is known")
    elif (loss, penalty) != ("hinge", "l1"):
        return loss == "squared_hinge", penalty == "l1"
    return None


def read_weights(attrs: Attributes, blocks: Blocks, k: int) -> tuple[float, F64] | None:
    """C and the weight of every class ("balanced": Σω / (k Σω of the class)); None with the fault noted."""
    C, given, totals = real(attrs.parameter("C", 1.0)), getattr(attrs.model, "class_weight", None), np.zeros(max(k, 1))
    for part in slices(blocks):
        if not ((part.y >= 0) & (part.y < k)).all():
            raise BadData("some labels are not in classes_")
        totals += np.bincount(part.y.astype(np.intp), part.w, minlength=k)
    factors = np.full(max(k, 1), np.nan)
    if given is None:
        factors = np.ones(k)
    elif isinstance(given, str) and given == "balanced":
        factors = totals.sum() / (k * np.where(totals > 0, totals, np.inf))
    elif isinstance(given, dict):
        factors = np.array([real(given.get(c, 1.0)) for c in np.asarray(attrs.model.classes_).tolist()])
    if not (k >= 2 and 0 < C < np.inf and np.isfinite(factors).all() and (factors >= 0).all()):
        attrs.faults.append(
            "C is not a positive number, class_weight not None, 'balanced' or a dictionary, or one class"
        )
        return None
    return C, factors


def optimal(problems: list[Problem], planes: list[Plane], names: list[str], tol: float, unit: float) -> Claim:
    """The worst hyperplane's gap; a better dual point is searched for where the natural one is not good enough."""
    claims = []
    for p, plane, name in zip(problems, planes, names, strict=True):
        here = primal(p, plane, unit)
        bound, other = max(0.0, dual(p, here.slopes)), here.high
        if not here.high - bound <= tol * here.high:
            better, a = better_plane(p, plane, here.slopes, tol)
            bound, other = max(bound, dual(p, a)), min(other, primal(p, better, unit).high)
        value = (here.high - bound) / here.high if here.high > 0 else 0.0
        numbers = f"primal value {here.high:.10g}, dual value {bound:.10g}, gap {here.high - bound:.3g}"
        claims.append(
            at_most(
                "optimal",
                f"No hyperplane has an objective lower by more than this share{name}: {numbers}.",
                Grade.OPTIMAL,
                value,
                tol,
                {"primal": here.high, "dual": bound, "gap": here.high - bound},
                excuse=min(MOST_EXCUSED, ROUNDINGS * here.rounding / here.high) if here.high > 0 else 0.0,
                lower=max(0.0, 1 - other / here.low) if here.low > 0 else 0.0,
                failure=f"The objective could be lower by up to {value:.3g} of itself{name}: {numbers}. {ADVICE}",
            )
        )
    return max(claims, key=lambda c: (not c.holds, c.value or 0.0))
