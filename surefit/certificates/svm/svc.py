"""Checker of SVC: for every two classes the function with the least ½‖f‖² + C Σ ω max(0, 1 − s(f(x) + b)).

With two classes s = 1 for the second; with more, for every pair i < j, s = 1 for class i, as scikit-learn has it.
"""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np

from surefit.certificates.attributes import Attributes, bad_attributes, real
from surefit.certificates.blocks import F64, BadData, Blocks, one_column
from surefit.certificates.checker import Findings, checker
from surefit.certificates.claim import Claim
from surefit.certificates.labels import labels_claim, read_classes, reads_labels
from surefit.certificates.predictions import numbers_claim, sample_rows
from surefit.certificates.svm.kernel_machine import (
    COST,
    Machine,
    answers,
    counted,
    gap_claim,
    read_machine,
    support_claim,
)
from surefit.certificates.svm.no_solution import farkas_claim
from surefit.certificates.theorems.kernel_machine.all_rows import read_data
from surefit.certificates.theorems.kernel_machine.duality import Task
from surefit.certificates.theorems.kernel_machine.positive import shift_of

Pairs = list[tuple[int, int]]  # of classes; the first has s = 1


@checker("classes_", "class_weight_", "support_", "support_vectors_", "n_support_", "dual_coef_", "intercept_",
         "gamma_", "farkas_", "decision_function", "predict")  # fmt: skip
@reads_labels
def check_svc(model: Any, blocks: Blocks, tol: float) -> Findings:
    """Blocks of the Gram matrix of all rows and the support vectors; twice where the fit is not converged."""
    attrs, (X, y, w, single) = Attributes(model, "dual_coef_"), read_data(blocks)
    k, codes = read_classes(attrs) or 0, one_column(y).astype(np.intp)
    if not ((codes >= 0) & (codes < k)).all():
        raise BadData("some labels are not in classes_")
    pairs = [(1, 0)] if k == 2 else list(combinations(range(k), 2))
    m, upper = read_machine(attrs, X, w, single), costs(attrs, w, codes, k)
    m = None if m is None else by_pairs(attrs, m, codes, pairs, k)
    hard = attrs.has("farkas_") and np.isinf(upper).any()
    phi = attrs.array("farkas_", (len(pairs), len(codes))) if hard else np.zeros((len(pairs), 0))
    if attrs.faults or m is None or phi is None:
        return [bad_attributes(attrs)], "one pass"
    labels, shift, claims = np.asarray(model.classes_).tolist(), shift_of(m.kernel, X), []
    for p, (i, j) in enumerate(pairs):
        name = f", of {len(pairs)} pairs the worst, {labels[i]} and {labels[j]}" if k > 2 else ""
        task = Task(np.where(codes == i, 1.0, -1.0), np.where((codes == i) | (codes == j), upper, 0.0), None)
        claims.append(farkas_claim(m, task, phi[p], name) if phi[p].any() else gap_claim(m, p, task, name, shift, tol))
    worst = {claim.name: claim for claim in sorted(claims, key=lambda c: (not c.holds, c.value or 0.0))}
    return [*worst.values(), support_claim(attrs, m), *predictions(attrs, m, sample_rows(blocks), pairs, k)], COST


def costs(attrs: Attributes, w: F64, codes: Any, k: int) -> F64:
    """U = C · class weight · weight of every row. "balanced": the same total for every class, by `counted`."""
    C, given = real(attrs.parameter("C", 1.0)), attrs.parameter("class_weight", {})
    if given == "balanced":
        totals = np.bincount(codes, counted(attrs, w), minlength=k)
        factors = totals.sum() / (k * np.where(totals > 0, totals, 1.0))
    else:
        factors = np.array([real(given.get(c, 1.0)) for c in np.asarray(attrs.model.classes_).tolist()])
    stated: Any = attrs.array("class_weight_", (k,)) if attrs.has("class_weight_") else factors
    if not (C > 0 and (factors >= 0).all()) or not np.allclose(factors, stated, rtol=1e-12, atol=0):
        attrs.faults.append(f"C is {C}, class_weight_ {stated}, recomputed as {factors}: these must be numbers ≥ 0")
    each = factors[codes] * w
    return np.where(each > 0, C * np.where(each > 0, each, 1.0), 0.0)


def by_pairs(attrs: Attributes, m: Machine, codes: Any, pairs: Pairs, k: int) -> Machine | None:
    """One column of coefficients for every pair: row r of dual_coef_ holds those against the r-th other class."""
    codes, counts, coef = codes[m.places], attrs.array("n_support_", (k,)), np.zeros((len(m.places), len(pairs)))
    if counts is None or not np.array_equal(np.repeat(np.arange(k), counts.astype(np.intp)), codes):
        attrs.faults.append("support_ and n_support_ do not name the support vectors class by class")
    if m.coef.shape[1] != k - 1 or m.b.shape != (len(pairs),):
        attrs.faults.append(f"dual_coef_ and intercept_ are not those of {len(pairs)} pairs of classes")
        return None
    for p, (i, j) in enumerate(pairs):
        for own, other in ((i, j), (j, i)):
            coef[codes == own, p] = m.coef[codes == own, other - (other > own)]
    return m._replace(coef=coef)


def predictions(attrs: Attributes, m: Machine, rows: Any, pairs: Pairs, k: int) -> list[Claim]:
    """decision_function and predict on a sample of rows: every pair votes; of equal votes the first class wins.

    The score of a class is its votes + s/(3(|s| + 1)), s the sum of its pairs' values.
    """
    model, side = attrs.model, np.zeros((len(pairs), k))
    for p, (i, j) in enumerate(pairs):
        side[p, [i, j]] = 1.0, -1.0
    f, off = answers(m, rows)
    votes, sums = (np.where(f >= 0, 1.0, -1.0) @ side + k - 1) / 2, f @ side
    undecided = np.where((np.abs(f) <= off).any(axis=1), np.inf, 0.0)  # rounding decides a vote
    scores = votes + sums / (3 * (np.abs(sums) + 1))
    rounding = off @ np.abs(side) + 8 * m.unit * (1 + votes) + undecided[:, None]
    of_pairs = attrs.text("decision_function_shape", "ovr") == "ovo"
    values = (f[:, 0], off[:, 0]) if k == 2 else (f, off) if of_pairs else (scores, rounding)
    ties = k > 2 and attrs.flag("break_ties", False)
    by = (scores, rounding.max(axis=1)) if ties else (votes - 1e-3 * np.arange(k), undecided)
    return [numbers_claim(model, "decision_function", rows, *values), labels_claim(model, rows, *by)]
