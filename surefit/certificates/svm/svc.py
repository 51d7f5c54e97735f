"""Checker of SVC: for every two classes the function with the least ½‖f‖² + C Σ ω max(0, 1 − s(f(x) + b)).

With two classes s = 1 for the second; with more, for every pair i < j, s = 1 for class i, as scikit-learn has it.
"""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np

from surefit.certificates.attributes import Attributes, bad_attributes, real
from surefit.certificates.blocks import F64, BadData, Blocks
from surefit.certificates.checker import Findings, checker
from surefit.certificates.claim import Claim, Grade, at_most, refuted
from surefit.certificates.labels import labels_claim, places, read_classes, reads_labels
from surefit.certificates.predictions import answer_of, numbers_claim, sample_rows
from surefit.certificates.svm.kernel_machine import (
    Machine,
    answers,
    counted,
    optimal,
    read_machine,
    read_machine_kernel,
    support_claims,
)
from surefit.certificates.svm.no_solution import farkas_claim
from surefit.certificates.theorems.kernel_machine.duality import Task
from surefit.certificates.theorems.kernel_machine.expansion import Data, read_data

Pairs = list[tuple[int, int]]  # of classes; the first has s = 1


@checker("classes_", "class_weight_", "support_", "support_vectors_", "n_support_", "dual_coef_", "coef_", "intercept_",
         "gamma_", "farkas_", "shape_fit_", "decision_function", "predict")  # fmt: skip
@reads_labels
def check_svc(model: Any, blocks: Blocks, tol: float) -> Findings:
    """Blocks of the Gram matrix of all rows and the support vectors; twice where the fit is not converged."""
    attrs, data = Attributes(model, "dual_coef_"), read_data(blocks)
    k = read_classes(attrs) or 0
    if not ((data.y >= 0) & (data.y < k)).all():
        raise BadData("some labels are not in classes_")
    pairs = [(1, 0)] if k == 2 else list(combinations(range(k), 2))
    counts = counted(attrs, data)
    upper = read_upper(attrs, data, counts, k)
    m = read_machine(attrs, blocks, data, read_machine_kernel(attrs, blocks, counts))
    m = None if m is None else by_pairs(attrs, m, data.y.astype(np.intp), pairs, k)
    if attrs.faults or m is None:
        return [bad_attributes(attrs)], "one pass"
    tasks = [Task(np.where(data.y == i, 1.0, -1.0), np.where(np.isin(data.y, (i, j)), upper, 0.0), None)
             for i, j in pairs]  # fmt: skip
    labels = np.asarray(model.classes_).tolist()
    names = [""] if k == 2 else [f", of {len(pairs)} pairs the worst, {labels[i]} and {labels[j]}" for i, j in pairs]
    none = no_solution(attrs, m, tasks, names)
    open_ = [p for p in range(len(tasks)) if p not in none]
    claims = list(none.values())
    if open_:
        part = m._replace(coef=m.coef[:, open_], b=m.b[open_])
        claims.append(optimal(part, [tasks[p] for p in open_], [names[p] for p in open_], tol))
    claims += [*support_claims(attrs, m), *predictions(attrs, m, pairs, k), *probabilities(attrs, m, k)]
    return claims, m.cost()


def no_solution(attrs: Attributes, m: Machine, tasks: list[Task], names: list[str]) -> dict[int, Claim]:
    """The pairs that no function separates although C is infinite, by the weights of farkas_."""
    if not attrs.has("farkas_") or np.isfinite(real(attrs.parameter("C", 1.0))):
        return {}
    phi = attrs.array("farkas_", (len(tasks), m.blocks.n_rows))
    if phi is None:
        return {0: refuted("farkas", f"{attrs.faults[-1]}.")}
    return {p: farkas_claim(m, tasks[p], phi[p], names[p]) for p in range(len(tasks)) if phi[p].any()}


def read_upper(attrs: Attributes, data: Data, counts: F64, k: int) -> F64:
    """U = C · class weight · weight of every row. "balanced": the same total for every class, by `counts`."""
    C, given, codes, factors = (
        real(attrs.parameter("C", 1.0)),
        getattr(attrs.model, "class_weight", None),
        data.y.astype(np.intp),
        np.ones(k),
    )
    if isinstance(given, str) and given == "balanced":
        totals = np.bincount(codes, counts, minlength=k)
        factors = totals.sum() / (k * np.where(totals > 0, totals, 1.0))
    elif isinstance(given, dict):
        factors = np.array([real(given.get(c, 1.0)) for c in np.asarray(attrs.model.classes_).tolist()])
    elif given is not None:
        factors = np.full(k, np.nan)
    if not (C > 0 and np.isfinite(factors).all() and (factors >= 0).all()):
        attrs.faults.append("C is not a positive number, or class_weight not None, 'balanced' or a dictionary")
    stated = attrs.array("class_weight_", (k,)) if attrs.has("class_weight_") else factors
    if stated is not None and not np.allclose(stated, factors, rtol=1e-12, atol=0):
        attrs.faults.append(f"class_weight_ is {stated}, recomputed as {factors}")
    each = factors[codes] * data.w
    return np.where(each > 0, C * np.where(each > 0, each, 1.0), 0.0)


def by_pairs(attrs: Attributes, m: Machine, codes: Any, pairs: Pairs, k: int) -> Machine | None:
    """One column of coefficients for every pair: row r of dual_coef_ holds those against the r-th other class."""
    codes, counts = codes[m.places], attrs.array("n_support_", (k,))
    if counts is not None and not np.array_equal(np.repeat(np.arange(k), counts.astype(np.intp)), codes):
        attrs.faults.append("support_ and n_support_ do not name the support vectors class by class")
    if m.coef.shape[1] != k - 1 or m.b.shape != (len(pairs),):
        attrs.faults.append(f"dual_coef_ and intercept_ are not those of {len(pairs)} pairs of classes")
        return None
    coef = np.zeros((len(m.places), len(pairs)))
    for p, (i, j) in enumerate(pairs):
        first, second = (0, 0) if k == 2 else (j - 1, i)
        coef[codes == i, p], coef[codes == j, p] = m.coef[codes == i, first], m.coef[codes == j, second]
    return m._replace(coef=coef)


def predictions(attrs: Attributes, m: Machine, pairs: Pairs, k: int) -> list[Claim]:
    """decision_function and predict on a sample of rows: every pair votes; of equal votes the first class wins.

    The score of a class is its votes + s/(3(|s| + 1)), s the sum of its pairs' values.
    """
    model, rows, side = attrs.model, sample_rows(m.blocks), np.zeros((len(pairs), k))
    for p, (i, j) in enumerate(pairs):
        side[p, [i, j]] = 1.0, -1.0
    f, off = answers(m, rows)
    votes, sums = (np.where(f >= 0, 1.0, -1.0) @ side + k - 1) / 2, f @ side
    undecided = np.where((np.abs(f) <= off).any(axis=1), np.inf, 0.0)  # rounding decides a vote
    scores = votes + sums / (3 * (np.abs(sums) + 1))
    rounding = off @ np.abs(side) + 8 * m.unit * (1 + votes) + undecided[:, None]
    if k == 2:
        claim = numbers_claim(model, "decision_function", rows, f[:, 0], off[:, 0])
    elif attrs.text("decision_function_shape", "ovr") == "ovo":
        claim = numbers_claim(model, "decision_function", rows, f, off)
    else:
        claim = numbers_claim(model, "decision_function", rows, scores, rounding)
    if k > 2 and attrs.flag("break_ties", False):
        return [claim, labels_claim(model, rows, scores, rounding.max(axis=1))]
    return [claim, labels_claim(model, rows, votes - 1e-3 * np.arange(k), undecided)]


def probabilities(attrs: Attributes, m: Machine, k: int) -> list[Claim]:
    """Where there is a predict_proba: its rows add up to one, and its most probable class is that of predict."""
    if not hasattr(attrs.model, "predict_proba"):
        return []
    rows = sample_rows(m.blocks)
    P, labels = answer_of(attrs.model, "predict_proba", rows, (len(rows), k)), attrs.model.predict(rows)
    if isinstance(P, Claim):
        return [P]
    if not (np.abs(P.sum(axis=1) - 1) <= 1e-6).all() or (P < 0).any():
        return [refuted("probabilities", "predict_proba does not give a probability of every class, adding up to one.")]
    wrong = int(np.count_nonzero(~(P[np.arange(len(rows)), places(attrs.model, labels)] >= P.max(axis=1) - 1e-6)))
    said = f"Probabilities add up to one, the largest is that of predict; rows of {len(rows)} where it is not."
    failure = f"predict_proba and predict name different classes on {wrong} of {len(rows)} rows."
    return [at_most("probabilities", said, Grade.EXACT, wrong, 0, failure=failure)]
