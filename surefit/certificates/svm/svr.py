"""Checker of SVR: the ε-insensitive fit with the least ½‖f‖² + C Σ ω max(0, |y − f(x) − b| − ε)."""

from __future__ import annotations

from typing import Any

import numpy as np

from surefit.certificates.attributes import Attributes, bad_attributes, real
from surefit.certificates.blocks import Blocks
from surefit.certificates.checker import Findings, checker
from surefit.certificates.predictions import numbers_claim, sample_rows
from surefit.certificates.svm.kernel_machine import (
    answers,
    machine,
    optimal,
    read_machine_kernel,
    read_places,
    support_claims,
)
from surefit.certificates.theorems.kernel_machine.duality import Task
from surefit.certificates.theorems.kernel_machine.expansion import read_data


@checker("support_", "support_vectors_", "n_support_", "dual_coef_", "coef_", "intercept_", "gamma_", "shape_fit_",
         "predict")  # fmt: skip
def check_svr(model: Any, blocks: Blocks, tol: float) -> Findings:
    """Blocks of the Gram matrix of all rows and the support vectors; twice where the fit is not converged."""
    attrs, data = Attributes(model, "dual_coef_"), read_data(blocks)
    kernel, places = read_machine_kernel(attrs, blocks), read_places(attrs, blocks.n_rows)
    C, epsilon = real(attrs.parameter("C", 1.0)), real(attrs.parameter("epsilon", 0.1))
    if not (C > 0 and 0 <= epsilon < np.inf):
        attrs.faults.append("C is not a positive number, or epsilon not a number ≥ 0")
    coef, b = None if places is None else attrs.array("dual_coef_", (1, len(places))), attrs.array("intercept_", (1,))
    if places is not None:
        count = attrs.array("n_support_", (1,))
        if count is not None and count[0] != len(places):
            attrs.faults.append(f"n_support_ is {count[0]:g}, but support_ names {len(places)} rows")
    if attrs.faults or kernel is None or places is None or coef is None or b is None:
        return [bad_attributes(attrs)], "one pass"
    m = machine(attrs, blocks, kernel, data, places, coef.T, b)
    upper = np.where(data.w > 0, C * data.w, 0.0)
    claims = [optimal(m, [Task(data.y, upper, epsilon)], [""], tol), *support_claims(attrs, m)]
    rows = sample_rows(blocks)
    f, rounding = answers(m, rows)
    claims.append(numbers_claim(model, "predict", rows, f[:, 0], rounding[:, 0]))
    return claims, m.cost()
