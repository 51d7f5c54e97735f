"""Checker of SVC: for every two classes the function with the least ½‖f‖² + C Σ ω max(0, 1 − s(f(x) + b)).

With two classes s = 1 for the second; with more, for every pair i < j, s = 1 for class i, as scikit-learn has it.
"""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.attributes import Attributes, bad_attributes, real
from surefit.certificates.blocks import F64, BadData, Blocks
from surefit.certificates.checker import Findings, checker
from surefit.certificates.claim import Claim, Grade, at_most, refuted
from surefit.certificates.labels import labels_claim, places, read_classes, reads_labels
from surefit.certificates.predictions import answer_of, numbers_claim, sample_rows
from surefit.certificates.svm.kernel_machine import (
    Machine,
    answers,
    machine,
    optimal,
    read_machine_kernel,
    read_places,
    support_claims,
)
from surefit.certificates.svm.no_solution import farkas_claim
from surefit.certificates.theorems.kernel_machine.duality import Task
from surefit.certificates.theorems.kernel_machine.expansion import Data, read_data


@checker("classes_", "class_weight_", "support_", "support_vectors_", "n_support_", "dual_coef_", "coef_", "intercept_",
         "gamma_", "farkas_", "shape_fit_", "decision_function", "predict")  # fmt: skip
@reads_labels
def check_svc(model: Any, blocks: Blocks, tol: float) -> Findings:
    """Blocks of the Gram matrix of all rows and the support vectors; twice where the fit is not converged."""
    attrs, data = Attributes(model, "dual_coef_"), read_data(blocks)
    k = read_classes(attrs) or 0
    if not ((data.y >= 0) & (data.y < k)).all():
        raise BadData("some labels are not in classes_")
    pairs = [(1, 0)] if k == 2 else list(combinations(range(k), 2))  # the first has s = 1
    kernel, support = read_machine_kernel(attrs, blocks), read_places(attrs, blocks.n_rows)
    upper, b = read_upper(attrs, data, k), attrs.array("intercept_", (len(pairs),))
    coef = None if support is None or k < 2 else read_coef(attrs, data, support, pairs, k)
    if attrs.faults or kernel is None or support is None or coef is None or b is None or upper is None:
        return [bad_attributes(attrs)], "one pass"
    m = machine(attrs, blocks, kernel, data, support, coef, b)
    tasks = [_task(data, upper, i, j) for i, j in pairs]
    labels = np.asarray(model.classes_).tolist()
    names = [""] if k == 2 else [f", of {len(pairs)} pairs the worst, {labels[i]} and {labels[j]}" for i, j in pairs]
    none = no_solution(attrs, m, tasks, names)
    open_ = [p for p in range(len(tasks)) if p not in none]
    claims = list(none.values())
    if open_:
        part = m._replace(coef=coef[:, open_], b=b[open_])
        claims.append(optimal(part, [tasks[p] for p in open_], [names[p] for p in open_], tol))
    claims += [*support_claims(attrs, m), *predictions(attrs, m, k), *probabilities(attrs, m, k)]
    return claims, m.cost()


def no_solution(attrs: Attributes, m: Machine, tasks: list[Task], names: list[str]) -> dict[int, Claim]:
    """The pairs that no function separates although C is infinite, by the weights of farkas_."""
    if not attrs.has("farkas_") or np.isfinite(real(attrs.parameter("C", 1.0))):
        return {}
    phi = attrs.array("farkas_", (len(tasks), m.blocks.n_rows))
    if phi is None:
        return {0: refuted("farkas", f"{attrs.faults[-1]}.")}
    return {p: farkas_claim(m, tasks[p], phi[p], names[p]) for p in range(len(tasks)) if phi[p].any()}


def _task(data: Data, upper: F64, i: int, j: int) -> Task:
    inside = (data.y == i) | (data.y == j)
    return Task(np.where(data.y == i, 1.0, -1.0), np.where(inside, upper, 0.0), None)


def read_upper(attrs: Attributes, data: Data, k: int) -> F64 | None:
    """U = C · class weight · weight of every row; None with the fault noted."""
    C, given, codes = (
        real(attrs.parameter("C", 1.0)),
        getattr(attrs.model, "class_weight", None),
        data.y.astype(np.intp),
    )
    factors = np.ones(k)
    if isinstance(given, str) and given == "balanced":  # scikit-learn counts rows; weights count as repeated rows
        counts = [np.bincount(codes, minlength=k), np.bincount(codes, data.w, minlength=k)]
        readings = [c.sum() / (k * np.maximum(c, np.finfo(float).tiny)) for c in counts]
        stated = attrs.array("class_weight_", (k,))
        factors = readings[0]
        if stated is not None and np.allclose(stated, readings[1], rtol=1e-12, atol=0):
            factors = readings[1]
    elif isinstance(given, dict):
        factors = np.array([real(given.get(c, 1.0)) for c in np.asarray(attrs.model.classes_).tolist()])
    elif given is not None:
        factors = np.full(k, np.nan)
    if not (C > 0 and np.isfinite(factors).all() and (factors >= 0).all()):
        attrs.faults.append("C is not a positive number, or class_weight not None, 'balanced' or a dictionary")
        return None
    stated = attrs.array("class_weight_", (k,)) if attrs.has("class_weight_") else factors
    if stated is not None and not np.allclose(stated, factors, rtol=1e-12, atol=0):
        attrs.faults.append(f"class_weight_ is {stated}, recomputed as {factors}")
    each = factors[codes] * data.w
    return np.where(each > 0, C * np.where(each > 0, each, 1.0), 0.0)


def read_coef(attrs: Attributes, data: Data, places: NDArray, pairs: list[tuple[int, int]], k: int) -> F64 | None:
    """The coefficients of every pair: row r of dual_coef_ holds those against the r-th other class."""
    codes, counts = data.y[places].astype(np.intp), attrs.array("n_support_", (k,))
    coef = attrs.array("dual_coef_", (k - 1, len(places)))
    if counts is not None and not np.array_equal(np.repeat(np.arange(k), counts.astype(np.intp)), codes):
        attrs.faults.append("support_ and n_support_ do not name the support vectors class by class")
        return None
    if coef is None:
        return None
    out = np.zeros((len(places), len(pairs)))
    for p, (i, j) in enumerate(pairs):
        if k == 2:
            out[:, p] = coef[0]
        else:
            out[codes == i, p], out[codes == j, p] = coef[j - 1, codes == i], coef[i, codes == j]
    return out


def predictions(attrs: Attributes, m: Machine, k: int) -> list[Claim]:
    """decision_function and predict on a sample of rows, from the functions of all pairs."""
    model, rows = attrs.model, sample_rows(m.blocks)
    f, off = answers(m, rows)
    if k == 2:
        return [
            numbers_claim(model, "decision_function", rows, f[:, 0], off[:, 0]),
            labels_claim(model, rows, np.hstack([-f, f]), off[:, 0]),
        ]
    votes, sums, doubt = np.zeros((len(rows), k)), np.zeros((len(rows), k)), np.zeros((len(rows), k))
    for p, (i, j) in enumerate(combinations(range(k), 2)):
        votes[:, i] += f[:, p] >= 0
        votes[:, j] += f[:, p] < 0
        sums[:, i] += f[:, p]
        sums[:, j] -= f[:, p]
        doubt[:, [i, j]] += off[:, p, None]
    open_ = (np.abs(f) <= off).any(axis=1)  # rounding decides a vote
    scores = votes + sums / (3 * (np.abs(sums) + 1))
    rounding = doubt + 8 * m.unit * (1 + votes) + np.where(open_, np.inf, 0.0)[:, None]
    if attrs.text("decision_function_shape", "ovr") == "ovo":
        claims = [numbers_claim(model, "decision_function", rows, f, off)]
    else:
        claims = [numbers_claim(model, "decision_function", rows, scores, rounding)]
    if attrs.flag("break_ties", False):
        return [*claims, labels_claim(model, rows, scores, rounding.max(axis=1))]
    first = votes - 1e-3 * np.arange(k)  # of equal votes the first class wins
    return [*claims, labels_claim(model, rows, first, np.where(open_, np.inf, 0.0))]


def probabilities(attrs: Attributes, m: Machine, k: int) -> list[Claim]:
    """Where there is a predict_proba: its rows add up to one, and its most probable class is that of predict."""
    if not hasattr(attrs.model, "predict_proba"):
        return []
    rows = sample_rows(m.blocks)
    P, labels = answer_of(attrs.model, "predict_proba", rows), answer_of(attrs.model, "predict", rows)
    if isinstance(P, Claim) or isinstance(labels, Claim):
        return [P if isinstance(P, Claim) else labels]
    if P.shape != (len(rows), k) or not (np.abs(P.sum(axis=1) - 1) <= 1e-6).all() or (P < 0).any():
        return [refuted("probabilities", "predict_proba does not give a probability of every class, adding up to one.")]
    own = P[np.arange(len(rows)), places(attrs.model, labels)]
    wrong = int(np.count_nonzero(own < P.max(axis=1) - 1e-6))
    said = f"Probabilities add up to one, the largest is that of predict; rows of {len(rows)} where it is not."
    failure = f"predict_proba and predict name different classes on {wrong} of {len(rows)} rows."
    return [at_most("probabilities", said, Grade.EXACT, wrong, 0, failure=failure)]
