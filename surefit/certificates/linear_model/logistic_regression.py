"""Checker of LogisticRegression: the duality gap, the distance by curvature without a penalty, or a separating ray.

scikit-learn's objective, times C Σω:  f(w, b) = Σ ωᵢ log-loss + (1/C) ((1 − ρ)/2 ‖w‖² + ρ ‖w‖₁), ω with class weights,
b free; with solver="liblinear" b / intercept_scaling is penalised like a coefficient.
"""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np

from surefit.certificates.attributes import Attributes, bad_attributes, real
from surefit.certificates.blocks import F64, Blocks, Rows
from surefit.certificates.checker import Findings, checker
from surefit.certificates.claim import Claim, Grade, at_most, failed, refuted
from surefit.certificates.labels import labels_claim, read_classes, reads_labels
from surefit.certificates.predictions import numbers_claim, sample_rows
from surefit.certificates.search.linear.logistic import refine
from surefit.certificates.search.linear.logistic_rays import coordinates, groups_of, separating_rays, without_noise
from surefit.certificates.theorems.log_loss.classes import class_factors, weights_of_classes
from surefit.certificates.theorems.log_loss.log_loss import TIE, LogLoss, objective
from surefit.certificates.theorems.log_loss.log_loss_dual import least_value
from surefit.certificates.theorems.log_loss.log_loss_free import along, distance
from surefit.certificates.theorems.row_products import magnitude, matmul

ROUNDINGS = 2.0  # times what storing the coefficients costs
LEFT_OUT = 1e-10  # of a column, relative: it depends on the others
ADVICE = "raise max_iter, lower tol or scale the columns"
COVERS = (
    "classes_", "coef_", "intercept_", "predict", "predict_proba", "predict_log_proba", "decision_function",
)  # fmt: skip


@checker(*COVERS, "rel_gap_", "separation_")
@reads_labels
def check_logistic_regression(model: Any, blocks: Blocks, tol: float) -> Findings:
    attrs = Attributes(model, "coef_")
    return findings(attrs, blocks, tol, attrs.parameter("C", 1.0), attrs.parameter("l1_ratio", 0.0))


def findings(attrs: Attributes, blocks: Blocks, tol: float, C: Any, l1_ratio: Any) -> Findings:
    """The claims about the coefficients at this C and l1_ratio."""
    model, k, d = attrs.model, read_classes(attrs), blocks.n_features
    if k is None:
        return [bad_attributes(attrs)], "no pass"
    intercept, rows = attrs.flag("fit_intercept", True), 1 if k == 2 else k
    weight = weights_of_classes(blocks, k)
    coef, b = attrs.array("coef_", (rows, d)), attrs.array("intercept_", (rows,), *([()] if not intercept else []))
    strengths, share, factors = penalties(attrs, C, l1_ratio), intercept_share(attrs), class_factors(attrs, weight)
    if b is not None and not intercept and b.any():
        attrs.faults.append("intercept_ is not zero although fit_intercept is false")
    if attrs.faults or coef is None or b is None or strengths is None or factors is None:
        return [bad_attributes(attrs)], "one pass"
    theta = np.zeros((k, d + 1))
    theta[k - rows :] = np.hstack([coef, np.broadcast_to(b.reshape(-1), (rows,))[:, None]])
    task = _task(blocks, factors, factors * weight > 0, *strengths, share, intercept, k - rows)
    cost = f"some twenty passes over the rows, of {8.0 * blocks.n_rows * k * (d + 1):.1e} operations and more"
    if task.penalized.any():
        claims = [_penalized(task, theta, tol, _excuse(task, theta, attrs))]
    else:
        claims = _free(task, theta, tol, _excuse(task, theta, attrs), attrs)
    claims += _stated_gap(attrs, claims, tol)
    return claims + _predictions(model, blocks, theta, rows), cost


def penalties(attrs: Attributes, C: Any, l1_ratio: Any) -> tuple[float, float] | None:
    """λ₁ and λ₂, from C, l1_ratio and the older `penalty`; None with the fault noted."""
    C, ratio, kind = real(C), real(l1_ratio), getattr(attrs.model, "penalty", "deprecated")
    kind = "none" if kind is None else kind if isinstance(kind, str) else "unknown"
    if kind not in ("deprecated", "none", "l1", "l2", "elasticnet") or not 1e-100 < C or not 0 <= ratio <= 1:
        attrs.faults.append("C is not a positive number, l1_ratio not one between 0 and 1, or penalty not known")
        return None
    ratio = {"l1": 1.0, "l2": 0.0}.get(kind, ratio)
    strength = 0.0 if kind == "none" else 1.0 / C
    return strength * ratio, strength * (1.0 - ratio)


def intercept_share(attrs: Attributes) -> float:
    """1/s where the intercept b/s is penalised like a coefficient (liblinear), zero where it is free."""
    if attrs.text("solver", "") != "liblinear" or not attrs.flag("fit_intercept", True):
        return 0.0
    scaling = real(attrs.parameter("intercept_scaling", 1.0))
    if not 1e-50 < scaling < 1e50:
        attrs.faults.append("intercept_scaling is not a positive number")
    return 1.0 / scaling if scaling else 0.0


def _task(
    blocks: Blocks, factors: F64, present: Any, lasso: float, ridge: float, share: float, intercept: bool, first: int
) -> LogLoss:
    columns = np.ones(blocks.n_features)
    lasso_, ridge_ = lasso * np.append(columns, share), ridge * np.append(columns, share * share)
    shifted = intercept and share == 0 and not any(isinstance(X, Rows) for X, _, _ in blocks)
    shift = np.median(sample_rows(blocks).astype(np.float64), axis=0) if shifted else 0.0 * columns
    return LogLoss(blocks, factors, present, first, intercept, shift, lasso_, ridge_)


def _excuse(task: LogLoss, theta: F64, attrs: Attributes) -> float:
    """Twice what f loses near its minimum by storing θ: logits move by δ = u(|x||w| + |b|), a row by at most δ²/2.

    (⅛ of the squared range of what is added to its logits; with two classes one logit alone moves.)
    """
    raw = attrs.raw("coef_")
    unit = float(np.finfo(np.float32 if raw is not None and raw.dtype == np.float32 else np.float64).eps) / 2
    total, largest = 0.0, np.abs(theta).max(axis=0)
    for X, _, omega in replace(task, shift=np.zeros_like(task.shift)).rows():
        moved = unit * (matmul(magnitude(X), largest[:-1]) + largest[-1])
        total += float(omega @ (moved * moved))
    return ROUNDINGS * total * (0.125 if task.first else 0.5)


def _gap_claim(f: float, error: float, low: float, better: float, tol: float, excuse: float, note: str) -> Claim:
    """(f − min f)/f, from f ± error, a lower bound of min f and a value that is reached."""
    top = f + error
    if not 1e-100 < top < 1e100:
        return failed("optimal", "The log-loss is beyond floating point: coefficients of this size fit nothing.")
    value = (top - max(low, 0.0)) / top if top > low else 0.0
    lower = max(0.0, 1.0 - better / (f - error)) if error < f else 0.0
    amount = "{:.1%}".format if lower > 0.01 else "a relative {:.1e}".format
    between = f"{amount(lower)} to {amount(value)}" if lower > 0 else f"up to {amount(value)}"
    return at_most(
        "optimal",
        f"No coefficients have a log-loss (and penalty) lower by more than a relative {value:.1e}{note}.",
        Grade.OPTIMAL,
        value,
        tol,
        {"objective": f, "gap": top - low, "lower_bound": max(0.0, low)},
        excuse=excuse / top,
        lower=lower,
        failure=f"The log-loss (and penalty) could be lower by {between}{note}: {ADVICE}.",
    )


def _penalized(task: LogLoss, theta: F64, tol: float, excuse: float) -> Claim:
    f, error = objective(task, theta)
    low, better = least_value(task, theta), f + error
    if not f + error - low <= 1e-3 * tol * f:
        near = refine(task, theta)[0]
        low = np.nanmax([low, least_value(task, near)])
        better = np.nanmin([better, sum(objective(task, near))])
    return _gap_claim(f, error, float(low), float(better), tol, excuse, "")


# --- no penalty ---------------------------------------------------------------------------------------------------


def _free(task: LogLoss, theta: F64, tol: float, excuse: float, attrs: Attributes) -> list[Claim]:
    """Either the minimum, or rays along which there is none and what they leave tied at its least."""
    claims: list[Claim] = []
    if attrs.has("separation_"):
        stated = _stated_ray(attrs, task)
        if stated is None:
            return [failed("separated", f"{'; '.join(attrs.faults)}.")]
        nearest = _next_ray(task, [stated, without_noise(task, stated)], theta)
        rays = [stated if nearest is None else nearest]
        claims = _ray_claims(task, rays[0], theta)
    else:
        rays = [theta] if not along(task, theta, theta).tied.any() else []
        claims = _ray_claims(task, theta, theta) if rays else []
    while all(claim.holds for claim in claims):
        rest = replace(task, rays=tuple(rays))
        tied = along(rest, 0.0 * theta, theta).tied
        if not tied.any():
            break
        near, going = refine(rest, theta)
        claim, proved = _by_curvature(rest, theta, near, tol, excuse, tied)
        ray = None if proved else _next_ray(rest, separating_rays(rest, theta, near, going), theta)
        if ray is None:
            return [*claims, claim]
        claims, rays = [*claims, *_ray_claims(rest, ray, theta)], [*rays, ray]
    return claims


def _next_ray(task: LogLoss, proposals: list[F64], theta: F64) -> F64 | None:
    found = [along(task, ray, theta) for ray in proposals]
    return next((ray for ray, f in zip(proposals, found, strict=True) if f.pairs and f.loss <= TIE), None)


def _by_curvature(task: LogLoss, theta: F64, near: F64, tol: float, excuse: float, tied: Any) -> tuple[Claim, bool]:
    """The claim, and whether a minimum is proved to exist."""
    f, error = objective(task, theta)
    better, off = objective(task, near)
    above, outside, name = 0.0, 0.0, "tied" if task.rays else "optimal"
    number = groups_of(tied)
    if not (number[:, None] == number)[tied].all():
        return failed(name, "Classes that are tied are not in one group."), False
    for group in [np.flatnonzero(number == v) for v in np.unique(number[tied.any(axis=0) | tied.any(axis=1)])]:
        proposal = coordinates(task, near, group)
        part, missed = (np.inf, 0.0) if proposal is None else distance(task, near, group, proposal)
        above, outside = above + part, max(outside, missed)
    if not (np.isfinite(above) and outside <= LEFT_OUT):
        reason = "Nothing is proved about this fit without a penalty: the curvature is too small to bound the distance."
        return failed(name, f"{reason} A penalty, or fewer columns, would make it decidable."), False
    note = ", of what the rays leave tied" if task.rays else ""
    note += f", columns that depend on others to a relative {outside:.0e} left out" if outside else ""
    low = min(better - off - above, f - error)
    claim = _gap_claim(f, error, low, better + off, tol, excuse, note)
    grade = Grade.NO_SOLUTION if task.rays and claim.holds else claim.grade
    return replace(claim, name=name, grade=grade), True


def _stated_ray(attrs: Attributes, task: LogLoss) -> F64 | None:
    k, d = task.factors.size, task.shift.size
    rows = k - task.first
    ray = attrs.array("separation_", *([(rows, d)] if not task.intercept else [(rows, d + 1), (rows, d)]))
    if ray is None:
        return None
    full = np.zeros((k, d + 1))
    full[task.first :, : ray.shape[1]] = ray
    return full


def _ray_claims(task: LogLoss, ray: F64, theta: F64) -> list[Claim]:
    """No minimum exists, and the coefficients separate what the ray separates."""
    found = along(task, ray, theta)
    how = "surely" if found.loss == 0 else f"for data changed by a relative {found.loss:.1e} at most"
    separated = at_most(
        "separated",
        f"No minimum exists: no row's own class loses to another along a ray ({how}), and {found.rows} rows gain on "
        "all. Largest loss, relative to the size of a row's terms.",
        Grade.NO_SOLUTION,
        found.loss,
        TIE,
        {"rows_gaining": found.rows},
        lower=found.least,
        failure="separation_ is no ray along which the log-loss falls: some row's own class loses to another.",
    )
    if not found.pairs:
        return [refuted("separated", "separation_ is no ray along which the log-loss falls: no row gains.")]
    if not separated.holds:
        return [separated]
    sides = at_most(
        "sides",
        "The coefficients put every row on its own side, of all that the ray separates; pairs of rows and classes "
        "where they do not.",
        Grade.NO_SOLUTION,
        found.wrong,
        0,
        lower=found.surely,
        failure=f"The classes can be separated, and the coefficients put {found.wrong} pairs of rows and classes on "
        f"the wrong side: {ADVICE}.",
    )
    return [separated, sides]


# --- what the model states and answers ------------------------------------------------------------------------------


def _stated_gap(attrs: Attributes, claims: list[Claim], tol: float) -> list[Claim]:
    """rel_gap_, where it is a number, is no less than the gap, but for what storing the coefficients added."""
    stated = real(getattr(attrs.model, "rel_gap_", np.nan))
    proved = claims[0].value
    if not np.isnan(stated) and claims[0].name == "separated":
        return [refuted("rel_gap", f"rel_gap_ is {stated:.1e}, and there is no minimum to be near to.")]
    if np.isnan(stated) or proved is None:
        return []
    return [
        at_most(
            "rel_gap",
            f"rel_gap_ is {stated:.1e}; by how much the proved gap is larger.",
            Grade.OPTIMAL,
            max(0.0, proved - stated) if 0 <= stated <= 1 else np.inf,
            tol,
            excuse=claims[0].excuse,
            lower=0.0,
            failure=f"rel_gap_ is {stated:.1e}, and the gap that can be proved {proved:.1e}.",
        )
    ]


def _predictions(model: Any, blocks: Blocks, theta: F64, rows: int) -> list[Claim]:
    """What the model answers on sampled rows: x·w + b, its softmax, and the label of the largest."""
    X = sample_rows(blocks)
    A = X.astype(np.float64)
    single = X.dtype == np.float32 or getattr(getattr(model, "coef_", None), "dtype", None) == np.float32
    unit = float(np.finfo(np.float32 if single else np.float64).eps)
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
