"""Checker of SVR: the ε-insensitive fit with the least ½‖f‖² + C Σ ω max(0, |y − f(x) − b| − ε)."""

from __future__ import annotations

from typing import Any

import numpy as np

from surefit.certificates.attributes import Attributes, bad_attributes, real
from surefit.certificates.blocks import Blocks, one_column
from surefit.certificates.checker import Findings, checker
from surefit.certificates.predictions import numbers_claim, sample_rows
from surefit.certificates.svm.kernel_machine import COST, answers, gap_claim, read_machine, support_claim
from surefit.certificates.theorems.kernel_machine.all_rows import read_data
from surefit.certificates.theorems.kernel_machine.duality import Task
from surefit.certificates.theorems.kernel_machine.positive import shift_of


@checker("support_", "support_vectors_", "n_support_", "dual_coef_", "intercept_", "gamma_", "predict")
def check_svr(model: Any, blocks: Blocks, tol: float) -> Findings:
    """Blocks of the Gram matrix of all rows and the support vectors; twice where the fit is not converged."""
    attrs, (X, y, w, single) = Attributes(model, "dual_coef_"), read_data(blocks)
    m = read_machine(attrs, X, w, single)
    C, epsilon, count = real(attrs.parameter("C", 1.0)), real(attrs.parameter("epsilon", 0.1)), attrs.raw("n_support_")
    if not (C > 0 and 0 <= epsilon < np.inf):
        attrs.faults.append("C is not a positive number, or epsilon not a number ≥ 0")
    if m is not None and (m.coef.shape[1:] != (1,) or m.b.shape != (1,) or count != [len(m.places)]):
        attrs.faults.append("dual_coef_ and intercept_ are not those of one function, with n_support_ coefficients")
    if attrs.faults or m is None:
        return [bad_attributes(attrs)], "one pass"
    task = Task(one_column(y), np.where(w > 0, C * w, 0.0), epsilon)
    rows = sample_rows(blocks)
    f, rounding = answers(m, rows)
    predicted = numbers_claim(model, "predict", rows, f[:, 0], rounding[:, 0])
    return [gap_claim(m, 0, task, "", shift_of(m.kernel, X), tol), support_claim(attrs, m), predicted], COST
