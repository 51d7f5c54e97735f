"""Checker of LogisticRegression: the duality gap, the distance by curvature without a penalty, or a separating ray.

scikit-learn's objective, times C Σω:  f(w, b) = Σ ωᵢ log-loss + (1/C) ((1 − ρ)/2 ‖w‖² + ρ ‖w‖₁), ω with class weights,
b free. liblinear penalises b / intercept_scaling like a coefficient: such a fit is accepted for what it is, and named.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from surefit.certificates.attributes import Attributes, bad_attributes, real
from surefit.certificates.blocks import F64, Blocks
from surefit.certificates.checker import Findings, checker
from surefit.certificates.claim import Claim, Grade, at_most, failed
from surefit.certificates.rounding import epsilon, gamma
from surefit.certificates.theorems.classes import Labels, class_factors, label_pass, read_classes
from surefit.certificates.theorems.log_loss import LogLoss, derivatives, polish, polish_intercept
from surefit.certificates.theorems.log_loss_dual import dual_bound
from surefit.certificates.theorems.log_loss_free import free_bound, gains

GAP = {False: 1e-6, True: 1e-5}  # relative gap accepted, in float64 and in float32
ROUNDINGS = 64.0
MOST = 10.0  # times the limit: more than that is not excused by rounding
RAY = 1e-12  # what rows may lose along a ray, relative: it is the ray of data changed by so much
SEPARATED = 64.0  # likewise, in roundings of the ray


@checker()
def check_logistic_regression(model: Any, blocks: Blocks, tol: float) -> Findings:
    """Passes: about ten where Hessians of all coefficients fit, four and one per step on the intercepts beyond."""
    attrs = Attributes(model, "coef_")
    k = read_classes(attrs)
    if k is None:
        return [bad_attributes(attrs)], "no pass"
    labels = label_pass(blocks, k)
    d, intercept = blocks.n_features, attrs.flag("fit_intercept", True)
    rows = 1 if k == 2 else k
    coef = attrs.array("coef_", (rows, d))
    b = attrs.array("intercept_", (rows,), *([()] if not intercept else []))
    strengths = penalties(attrs)
    factors = class_factors(attrs, labels)
    if b is not None and not intercept and b.any():
        attrs.faults.append("intercept_ is not zero although fit_intercept is false")
    if attrs.faults or coef is None or b is None or strengths is None or factors is None:
        return [bad_attributes(attrs)], "one pass"
    lasso, ridge = strengths
    eps = epsilon(labels.single, np.asarray(model.coef_))
    theta = np.hstack([coef, np.broadcast_to(b.reshape(-1), (rows,))[:, None]])
    task = _task(blocks, labels, factors, lasso, ridge, intercept, first=k - rows)
    if lasso == 0 and ridge == 0:
        return _free_claims(attrs, task, theta, eps)
    if intercept and attrs.text("solver", "") == "liblinear":
        scaling = real(attrs.parameter("intercept_scaling", 1.0))
        scaling = scaling if 1e-100 < scaling < 1e100 else 1.0
        other = _penalised_intercept(task, scaling)
        claim = _penalised(other, theta, eps, note=", the intercept penalised as liblinear does")
        if claim.holds:
            return [claim, _gradient(other, theta, labels)], _cost(task)
    theta = _shifted(task, theta)
    return [_penalised(task, theta, eps), _gradient(task, theta, labels)], _cost(task)


def penalties(attrs: Attributes) -> tuple[float, float] | None:
    """λ₁ and λ₂, from C, l1_ratio and the older `penalty`; None with the fault noted."""
    C, ratio = real(attrs.parameter("C", 1.0)), real(attrs.parameter("l1_ratio", 0.0))
    kind = attrs.text("penalty", "")
    if not C > 1e-300 or not 0 <= ratio <= 1:
        attrs.faults.append("C is not a positive number, or l1_ratio not one between 0 and 1")
        return None
    ratio = {"l1": 1.0, "l2": 0.0}.get(kind, ratio)
    strength = 0.0 if kind == "none" or getattr(attrs.model, "penalty", "") is None else 1.0 / C
    return strength * ratio, strength * (1.0 - ratio)


def _task(
    blocks: Blocks, labels: Labels, factors: F64, lasso: float, ridge: float, intercept: bool, first: int
) -> LogLoss:
    d = blocks.n_features
    shift = labels.x_mean if intercept else np.zeros(d)
    columns = np.append(np.ones(d), 0.0)
    return LogLoss(blocks, factors, first, intercept, shift, lasso * columns, ridge * columns)


def _penalised_intercept(task: LogLoss, scaling: float) -> LogLoss:
    """|b/s| and (b/s)² join the penalties; rows are then not shifted."""
    lasso, ridge = task.lasso.copy(), task.ridge.copy()
    lasso[-1], ridge[-1] = lasso[0] / scaling, ridge[0] / scaling**2
    return replace(task, shift=np.zeros_like(task.shift), lasso=lasso, ridge=ridge)


def _shifted(task: LogLoss, theta: F64) -> F64:
    theta = theta.copy()
    theta[:, -1] += theta[:, :-1] @ task.shift
    return theta


def _penalised(task: LogLoss, theta: F64, eps: float, note: str = "") -> Claim:
    limit = GAP[eps > 1e-10]
    bound = dual_bound(task, theta, theta)
    # a better dual point makes the bound tighter; it cannot make it wrong
    if np.isfinite(bound.f) and bound.gap > 1e-3 * limit * bound.f:
        near = theta
        if task.small():
            near = polish(task, theta)
        elif task.free_intercept:
            near = polish_intercept(task, theta)
        better = dual_bound(task, theta, near)
        bound = better if better.gap < bound.gap or not np.isfinite(bound.gap) else bound
    return _gap_claim(bound.f, bound.gap, bound.sizes, eps, note)


def _gap_claim(f: float, gap: float, sizes: float, eps: float, note: str = "") -> Claim:
    limit = GAP[eps > 1e-10]
    if not (np.isfinite(f) and np.isfinite(gap) and np.isfinite(sizes)):
        return failed("optimal", "The log-loss overflows: coefficients of this size fit nothing.")
    # coefficients rounded by ε move a logit by ε s, and f near its optimum by at most ⅛ Σ ω (ε s)²
    floor = min(0.125 * (ROUNDINGS * eps) ** 2 * sizes, MOST * limit * f)
    relative = gap / (f + floor / limit) if f + floor > 0 else 0.0
    return at_most(
        "optimal",
        f"No coefficients have a log-loss (and penalty) lower by more than a relative {relative:.1e}{note}.",
        Grade.OPTIMAL,
        relative,
        limit,
        {"objective": f, "gap": gap, "lower_bound": max(0.0, f - gap)},
    )


def _gradient(task: LogLoss, theta: F64, labels: Labels) -> Claim:
    """What stopping rules look at: the largest entry of the gradient of the mean loss."""
    here = derivatives(task, theta, False)
    scale = float(task.factors @ labels.weight)
    theta_ = theta[:, : here.gradient.shape[1]]
    slope = np.abs(here.gradient)
    if task.lasso.any():
        at_zero = np.maximum(slope - task.lasso, 0.0)
        slope = np.where(theta_ == 0, at_zero, np.abs(here.gradient + task.lasso * np.sign(theta_)))
    return Claim(
        "gradient",
        "Largest entry of the gradient of the mean loss, the number that a solver's tol is compared with.",
        Grade.STATIONARY,
        float(slope.max() / scale),
        None,
        bool(np.isfinite(slope).all()),
    )


# --- no penalty ---------------------------------------------------------------------------------------------------


def _free_claims(attrs: Attributes, task: LogLoss, theta: F64, eps: float) -> tuple[list[Claim], str]:
    if attrs.has("separation_"):
        return _separation(attrs, task), "two passes over the rows"
    # one class of a softmax is the reference: only differences of coefficients matter
    if task.first == 0:
        task, theta = replace(task, first=1), theta[1:] - theta[0]
    theta = _shifted(task, theta)
    if not task.small():
        return [failed("optimal", "Without a penalty, and with this many coefficients, nothing is proved.")], "one pass"
    bound = free_bound(task, theta, theta)
    limit = GAP[eps > 1e-10]
    near = theta
    if not bound.gap <= 1e-3 * limit * bound.f:
        near = polish(task, theta)
        better = free_bound(task, theta, near)
        bound = better if better.gap < bound.gap or not np.isfinite(bound.gap) else bound
    if np.isfinite(bound.gap):
        note = f", columns that depend on others to a relative {bound.outside:.0e} left out" if bound.outside else ""
        return [_gap_claim(bound.f, bound.gap, bound.sizes, eps, note)], _cost(task)
    for ray in (near, theta):
        if gains(task, ray).surely:
            reason = (
                f"The classes are separated, so there is no minimum: the log-loss of {bound.f:.3g} falls to zero along "
                "a ray, and these coefficients are only where the solver stopped."
            )
            return [failed("optimal", reason, bound.f, 0.0)], _cost(task)
    return [failed("optimal", f"Nothing is proved about this fit without a penalty: {bound.why}.")], _cost(task)


def _separation(attrs: Attributes, task: LogLoss) -> list[Claim]:
    """Along the ray every row's own class gains on every other, or keeps up, and somewhere it gains."""
    rows, d = task.n_classes - task.first, task.ridge.size - 1
    shapes = [(rows, d)] if not task.intercept else [(rows, d + 1), (rows, d)]
    ray = attrs.array("separation_", *shapes)
    if ray is None:
        return [failed("separated", f"{'; '.join(attrs.faults)}.")]
    ray = np.hstack([ray, np.zeros((rows, 1))]) if ray.shape[1] == d else ray
    plain = replace(task, shift=np.zeros(d))
    along = gains(plain, ray)
    limit = max(RAY, SEPARATED * epsilon(False, np.asarray(attrs.model.separation_)))
    loss = float(np.maximum(along.loss, 0.0))
    how = "exactly" if along.surely else f"for data changed by a relative {loss + gamma(d + 3):.1e} at most"
    return [
        at_most(
            "separated",
            f"No minimum exists: along separation_ no row's own class loses to another ({how}); largest loss, relative "
            "to what a change of all of separation_ by its own size would do to the row.",
            Grade.NO_SOLUTION,
            loss,
            limit,
            {"rows_gaining": along.rows},
        ),
        at_most(
            "falls_for_ever",
            f"Some row's own class gains on another along separation_, by a relative {along.gain:.1e}, so the "
            "log-loss falls along the whole ray; one where no row gains beyond rounding.",
            Grade.NO_SOLUTION,
            0 if along.gain > 1e3 * limit else 1,
            0,
            {"best_gain": along.gain},
        ),
    ]


def _cost(task: LogLoss) -> str:
    n, d = task.blocks.n_rows, task.ridge.size - 1
    p = (task.n_classes - task.first) * (d + 1)
    if task.small():
        return (
            f"about ten passes over the rows where a better dual point is needed, {2.0 * n * p * p:.1e} operations each"
        )
    return f"a few passes over the rows, {8.0 * n * p:.1e} operations each; too many coefficients for a Hessian"
