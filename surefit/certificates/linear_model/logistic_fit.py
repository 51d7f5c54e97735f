"""What is claimed of a fit of logistic regression: its distance from the least value, and what it answers.

scikit-learn's objective, times C Σω:  f(w, b) = Σ ωᵢ log-loss + (1/C) ((1 − ρ)/2 ‖w‖² + ρ ‖w‖₁), ω with class weights,
b free; with solver="liblinear" b / intercept_scaling is penalised like a coefficient.
"""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

from surefit.certificates.attributes import Attributes, real
from surefit.certificates.blocks import F64, Blocks
from surefit.certificates.claim import Claim, Grade, at_most, failed
from surefit.certificates.labels import labels_claim, read_classes
from surefit.certificates.predictions import numbers_claim, sample_rows
from surefit.certificates.rounding import epsilon
from surefit.certificates.search.linear.logistic import refine
from surefit.certificates.theorems.log_loss.classes import read_weights
from surefit.certificates.theorems.log_loss.log_loss import LogLoss, objective, probabilities

MOST_EXCUSED = 0.1  # beyond, the precision does not suit the data
ADVICE = "raise max_iter, lower tol or scale the columns"
COVERED = ("classes_", "coef_", "intercept_", "predict", "predict_proba", "predict_log_proba", "decision_function")
Least = Callable[[LogLoss, F64], tuple[float, float]]  # a lower bound of f from a point, and what it leaves out


class Fit(NamedTuple):
    task: LogLoss
    theta: F64
    unit: float  # of the precision that the coefficients are stored in


def read_fit(attrs: Attributes, blocks: Blocks, C: Any, l1_ratio: Any) -> Fit | None:
    """The problem that the parameters define and the coefficients, or None with the faults noted."""
    k, d, intercept = read_classes(attrs), blocks.n_features, attrs.flag("fit_intercept", True)
    if k is None:
        return None
    rows, (weight, factors) = (1 if k == 2 else k), read_weights(attrs, blocks, k)
    coef, b = attrs.array("coef_", (rows, d)), attrs.array("intercept_", (rows,))
    kind, liblinear = getattr(attrs.model, "penalty", "deprecated"), getattr(attrs.model, "solver", "") == "liblinear"
    ratio, strength = {"l1": 1.0, "l2": 0.0}.get(str(kind), real(l1_ratio)), 0.0 if kind is None else 1.0 / real(C)
    share = 1.0 / real(getattr(attrs.model, "intercept_scaling", 1.0)) if liblinear and intercept else 0.0
    known = kind in ("deprecated", None, "l1", "l2", "elasticnet")
    if not (known and 0 <= strength < 1e100 and 0 <= ratio <= 1 and 0 <= share < 1e50):
        attrs.faults.append("C, l1_ratio, penalty or intercept_scaling is not what it may be")
    if b is not None and not intercept and b.any():
        attrs.faults.append("intercept_ is not zero although fit_intercept is false")
    if attrs.faults or coef is None or b is None:
        return None
    shift = np.median(sample_rows(blocks).astype(np.float64), axis=0) if intercept and share == 0 else np.zeros(d)
    size = np.append(np.ones(d), share)
    lasso, ridge = strength * ratio * size, strength * (1.0 - ratio) * size**2
    task = LogLoss(blocks, factors, factors * weight, k - rows, intercept, shift, lasso, ridge)
    theta = np.pad(np.hstack([coef, b[:, None]]), ((k - rows, 0), (0, 0)))
    return Fit(task, theta, epsilon(False, np.asarray(attrs.raw("coef_"))) / 2)


def optimal(fit: Fit, tol: float, least: Least, name: str = "optimal", certain: bool = True) -> Claim:
    """(f − min f)/f, from lower bounds of min f by duality at θ and at a better point that is searched for.

    Storing θ in its precision moves logits by up to δ = u(|x||w| + |b|), which costs at the minimum at most δ²/2 per
    row, and a quarter of that with two classes, where one logit alone moves. A better point proves nothing where f is
    not `certain`: it leaves out what rounding alone separates.
    """
    task, theta, unit = fit
    f, error, stored = objective(task, theta)
    top = better = f + error
    low, outside = least(task, theta)
    if not top - low <= 1e-3 * tol * f:
        near = refine(task, theta)[0]
        better, (low, outside) = min(top, sum(objective(task, near)[:2])), max((low, outside), least(task, near))
    if not 1e-100 < top < 1e100:
        return failed(name, "The log-loss is beyond floating point: coefficients of this size fit nothing.")
    value = max(0.0, top - low) / top
    lower = max(0.0, 1.0 - better / (f - error)) if certain and error < f and low > 0 else 0.0
    excuse = min(MOST_EXCUSED, unit**2 * stored * (0.125 if task.first else 0.5) / top)
    grade, note = (Grade.OPTIMAL, "") if task.ray is None else (Grade.NO_SOLUTION, ", of what the ray leaves tied")
    note += f", columns that depend on others to a relative {outside:.0e} left out" if outside else ""
    sentence = f"No coefficients have a log-loss (and penalty) lower by more than a relative {value:.1e}{note}."
    failure = f"The log-loss (and penalty) could be lower by a relative {lower:.2g} to {value:.2g}{note}: {ADVICE}."
    detail = {"objective": f, "gap": top - low, "lower_bound": low}
    return at_most(name, sentence, grade, value, tol, detail, excuse=excuse, lower=lower, failure=failure)


def answers(model: Any, fit: Fit) -> list[Claim]:
    """What the model answers on sampled rows: x·w + b, its softmax, and the label of the largest."""
    X, theta = sample_rows(fit.task.blocks), fit.theta
    A = np.hstack([X, np.ones((len(X), 1))]).astype(np.float64)
    unit = epsilon(X.dtype == np.float32, np.asarray(model.coef_))
    Z, blur = A @ theta.T, unit * (A.shape[1] + 3) * (np.abs(A) @ np.abs(theta).max(axis=0))
    P, off = probabilities(Z), (2.0 * blur + 8 * len(theta) * unit)[:, None]
    logs = SimpleNamespace(predict_log_proba=lambda rows: np.exp(model.predict_log_proba(rows)))
    decision, room = (Z[:, 1], blur) if fit.task.first else (Z, blur[:, None])
    return [
        numbers_claim(model, "decision_function", X, decision, room),
        numbers_claim(model, "predict_proba", X, P, off),
        numbers_claim(logs, "predict_log_proba", X, P, off),
        labels_claim(model, X, Z, blur),
    ]
