"""Checker of LogisticRegression: the duality gap, the distance by curvature without a penalty, or a separating ray.

scikit-learn's objective, times C Σω:  f(w, b) = Σ ωᵢ log-loss + (1/C) ((1 − ρ)/2 ‖w‖² + ρ ‖w‖₁), ω with class weights,
b free; with solver="liblinear" b / intercept_scaling is penalised like a coefficient.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np

from surefit.certificates.attributes import Attributes, bad_attributes, real
from surefit.certificates.blocks import F64, Blocks, Rows
from surefit.certificates.checker import Findings, checker
from surefit.certificates.claim import Claim, Grade, at_most, failed
from surefit.certificates.labels import labels_claim, read_classes, reads_labels
from surefit.certificates.predictions import numbers_claim, sample_rows
from surefit.certificates.rounding import epsilon
from surefit.certificates.search.logistic import refine
from surefit.certificates.search.logistic_rays import propose
from surefit.certificates.theorems.log_loss.classes import class_factors, weights_of_classes
from surefit.certificates.theorems.log_loss.log_loss import LogLoss, objective
from surefit.certificates.theorems.log_loss.log_loss_dual import duality_gap
from surefit.certificates.theorems.log_loss.log_loss_free import TIE, Ray, along, distance

LEFT_OUT = 1e-10  # of a column, relative: it depends on the others
ADVICE = "raise max_iter, lower tol or scale the columns"
COVERS = ("classes_", "coef_", "intercept_", "predict", "predict_proba", "predict_log_proba", "decision_function")


@checker(*COVERS, "rel_gap_", "separation_")
@reads_labels
def check_logistic_regression(model: Any, blocks: Blocks, tol: float) -> Findings:
    attrs = Attributes(model, "coef_")
    return findings(attrs, blocks, tol, attrs.parameter("C", 1.0), attrs.parameter("l1_ratio", 0.0))


def findings(attrs: Attributes, blocks: Blocks, tol: float, C: Any, l1_ratio: Any) -> Findings:
    """The claims about the coefficients at this C and l1_ratio."""
    k, d = read_classes(attrs), blocks.n_features
    if k is None:
        return [bad_attributes(attrs)], "no pass"
    intercept, rows, weight = attrs.flag("fit_intercept", True), 1 if k == 2 else k, weights_of_classes(blocks, k)
    coef, b = attrs.array("coef_", (rows, d)), attrs.array("intercept_", (rows,), *([()] if not intercept else []))
    lasso, ridge = penalties(attrs, C, l1_ratio)
    share, factors = intercept_share(attrs), class_factors(attrs, weight)
    if b is not None and not intercept and b.any():
        attrs.faults.append("intercept_ is not zero although fit_intercept is false")
    if attrs.faults or coef is None or b is None or factors is None:
        return [bad_attributes(attrs)], "one pass"
    theta, columns = np.zeros((k, d + 1)), np.ones(d)
    theta[k - rows :] = np.hstack([coef, np.broadcast_to(b.reshape(-1), (rows,))[:, None]])
    shifted = intercept and share == 0 and not any(isinstance(X, Rows) for X, _, _ in blocks)
    shift = np.median(sample_rows(blocks).astype(np.float64), axis=0) if shifted else 0.0 * columns
    strengths = lasso * np.append(columns, share), ridge * np.append(columns, share * share)
    task = LogLoss(blocks, factors, factors * weight, k - rows, intercept, shift, *strengths)
    claims = [_penalized(task, theta, tol, attrs)] if lasso + ridge > 0 else _free(task, theta, tol, attrs)
    cost = f"some twenty passes over the rows, of {8.0 * blocks.n_rows * k * (d + 1):.1e} operations and more"
    return [*claims, *_stated_gap(attrs, claims[-1], tol), *_predictions(attrs.model, blocks, theta, rows)], cost


def penalties(attrs: Attributes, C: Any, l1_ratio: Any) -> tuple[float, float]:
    """λ₁ and λ₂, from C, l1_ratio and the older `penalty`."""
    C, kind = real(C), getattr(attrs.model, "penalty", "deprecated")
    ratio = {"l1": 1.0, "l2": 0.0}.get(str(kind), real(l1_ratio))
    if kind not in ("deprecated", None, "l1", "l2", "elasticnet") or not 1e-100 < C or not 0 <= ratio <= 1:
        attrs.faults.append("C is not a positive number, l1_ratio not one between 0 and 1, or penalty not known")
    strength = 0.0 if kind is None else 1.0 / C
    return strength * ratio, strength * (1.0 - ratio)


def intercept_share(attrs: Attributes) -> float:
    """1/s where the intercept b/s is penalised like a coefficient (liblinear), zero where it is free."""
    if attrs.text("solver", "") != "liblinear" or not attrs.flag("fit_intercept", True):
        return 0.0
    scaling = real(attrs.parameter("intercept_scaling", 1.0))
    if not 1e-50 < scaling < 1e50:
        attrs.faults.append("intercept_scaling is not a positive number")
    return 1.0 / scaling


def _gap_claim(
    name: str, task: LogLoss, theta: F64, near: F64, gaps: tuple[float, float], tol: float, attrs: Attributes, note: str
) -> Claim:
    """(f − inf f)/f at θ, from a bound of f − inf f there, and of that at a point near the infimum.

    Excused is what f loses near its minimum by storing θ: logits move by δ = u(|x||w| + |b|), a row by at most δ²/2, or
    δ²/8 with two classes (⅛ of the squared range of what is added to its logits; one logit alone moves).
    """
    (f, error, squares), (better, off, _) = objective(task, theta), objective(task, near)
    gap = float(np.nanmin([gaps[0], f + error - better + off + gaps[1]]))
    if not 1e-100 < f - error < 1e100:
        return failed(name, "The log-loss is beyond floating point: coefficients of this size fit nothing.")
    unit = epsilon(False, np.asarray(attrs.raw("coef_"))) / 2
    value, lower = min(1.0, gap / (f - error)), max(0.0, 1.0 - (better + off) / (f - error))
    return at_most(
        name,
        f"No coefficients have a log-loss (and penalty) lower by more than a relative {value:.1e}{note}.",
        Grade.NO_SOLUTION if name == "tied" else Grade.OPTIMAL,
        value,
        tol,
        {"objective": f, "gap": gap, "lower_bound": max(0.0, f - error - gap)},
        excuse=(0.125 if task.first else 0.5) * unit * unit * squares / f,
        lower=lower,
        failure=f"The log-loss (and penalty) could be lower by a relative {lower:.2g} to {value:.2g}{note}: {ADVICE}.",
    )


def _penalized(task: LogLoss, theta: F64, tol: float, attrs: Attributes) -> Claim:
    f, error, _ = objective(task, theta)
    near, here = theta, duality_gap(task, theta, f + error)
    there = here
    if not here <= 1e-3 * tol * f:
        near = refine(task, theta)
        there = duality_gap(task, near, sum(objective(task, near)[:2]))
    return _gap_claim("optimal", task, theta, near, (here, there), tol, attrs, "")


def _free(task: LogLoss, theta: F64, tol: float, attrs: Attributes) -> list[Claim]:
    """Either the minimum, or a ray along which there is none and the infimum that the loss tends to along it."""
    stated = _stated_ray(attrs, task) if attrs.has("separation_") else None
    if attrs.faults:
        return [bad_attributes(attrs)]
    near, ray, group, T, P = propose(task, theta, stated)
    found = [along(task, s, theta) for s in (stated, ray) if s is not None]
    claims, (name, note) = [_separated(s) for s in found], ("tied", ", along the ray") if found else ("optimal", "")
    claims = [claim for claim in claims if not claim.holds][:1] or claims[-1:]
    theta = theta if ray is None else theta + ray
    if not all(claim.holds for claim in claims) or objective(task, theta)[0] < 1e-100:
        return claims
    gap, outside = distance(task, near, group, T, P)
    if not (np.isfinite(gap) and outside <= LEFT_OUT and (not found or found[-1].moved <= 0.1 * tol)):
        reason = "Nothing is proved about this fit without a penalty: the curvature is too small to bound the distance."
        return [*claims, failed(name, f"{reason} A penalty, or fewer columns, would make it decidable.")]
    note += f", columns that depend on others to a relative {outside:.0e} left out" if outside else ""
    return [*claims, _gap_claim(name, task, theta, near, (np.inf, gap), tol, attrs, note)]


def _stated_ray(attrs: Attributes, task: LogLoss) -> F64 | None:
    """separation_, but for entries that move no row by more than 10⁻¹³ of what others do: its rounding."""
    k, d = task.factors.size, task.shift.size
    ray = attrs.array("separation_", *[(k - task.first, d + more) for more in range(1 + task.intercept)])
    if ray is None:
        return None
    full, most = np.zeros((k, d + 1)), np.append(np.abs(task.shift), 1.0)
    full[task.first :, : ray.shape[1]] = ray
    most += np.max([np.abs(B).max(axis=0, initial=0.0) for B, _, _ in task.rows()], axis=0)
    moves = np.abs(full) * most
    return np.where(moves > 1e-13 * moves.max(), full, 0.0)


def _separated(ray: Ray) -> Claim:
    """No minimum exists, and the coefficients separate what the ray separates."""
    if not (ray.pairs and ray.loss <= TIE):
        return failed("separated", "separation_ is no ray along which the log-loss falls: rows lose, or none gains.")
    how = "surely" if ray.loss == 0 else f"for data changed by a relative {ray.loss:.1e} at most"
    return at_most(
        "separated",
        f"No minimum exists: no row's own class loses to another along a ray ({how}), on {ray.pairs} pairs of rows and "
        "classes it gains. The coefficients put every row on its own side, of all that the ray separates; pairs where "
        "they do not.",
        Grade.NO_SOLUTION,
        ray.wrong,
        0,
        {"pairs_gaining": ray.pairs},
        lower=ray.surely,
        failure=f"The classes can be separated, and the coefficients put {ray.wrong} pairs of rows and classes on the "
        f"wrong side: {ADVICE}.",
    )


# --- what the model states and answers ------------------------------------------------------------------------------


def _stated_gap(attrs: Attributes, claim: Claim, tol: float) -> list[Claim]:
    """rel_gap_, where it is a number, is no less than the gap, but for what storing the coefficients added."""
    stated, proved = real(getattr(attrs.model, "rel_gap_", np.nan)), claim.value
    if np.isnan(stated) or proved is None:
        return []
    more = max(0.0, proved - stated) if 0 <= stated <= 1 and claim.name == "optimal" else np.inf
    sentence = f"rel_gap_ is {stated:.1e}; by how much the proved gap is larger (where there is a minimum)."
    return [at_most("rel_gap", sentence, Grade.OPTIMAL, more, tol, excuse=claim.excuse, lower=0.0)]


def _predictions(model: Any, blocks: Blocks, theta: F64, rows: int) -> list[Claim]:
    """What the model answers on sampled rows: x·w + b, its softmax, and the label of the largest."""
    X = sample_rows(blocks)
    A = X.astype(np.float64)
    unit = epsilon(X.dtype == np.float32, np.asarray(model.coef_))
    Z = A @ theta[:, :-1].T + theta[:, -1]
    blur = unit * (A.shape[1] + 4) * (np.abs(A) @ np.abs(theta[:, :-1]).max(axis=0) + np.abs(theta[:, -1]).max())
    P = np.exp(Z - Z.max(axis=1, keepdims=True))
    P /= P.sum(axis=1, keepdims=True)
    off = (2.0 * blur + 8 * len(theta) * unit)[:, None]
    logs = SimpleNamespace(predict_log_proba=lambda rows: np.exp(model.predict_log_proba(rows)))
    return [
        numbers_claim(model, "decision_function", X, Z[:, 1] if rows == 1 else Z, blur if rows == 1 else blur[:, None]),
        numbers_claim(model, "predict_proba", X, P, off),
        numbers_claim(logs, "predict_log_proba", X, P, off),
        labels_claim(model, X, Z, blur),
    ]
