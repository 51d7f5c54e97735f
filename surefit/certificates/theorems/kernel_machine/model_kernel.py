"""The kernel of a model, read from its parameters."""

from __future__ import annotations

from typing import Any

import numpy as np

from surefit.certificates.attributes import Attributes, real
from surefit.certificates.blocks import F64
from surefit.certificates.theorems.kernel_machine.kernels import BY_DISTANCE, BY_PRODUCT, COLUMNS, Kernel

NAMES = {"polynomial": "poly", "gaussian": "rbf"}


def read_kernel(attrs: Attributes, X: F64, *, gamma: Any, coef0: float, counts: F64 | None = None) -> Kernel:
    """The kernel of the model's parameters, with the faults noted.

    gamma   what the class takes where its `gamma` is None; `gamma_`, where the model has it, must be that number
    counts  for SVC and SVR, how often a row counts for gamma="scale"; their functions take matrices, others two rows
    """
    given: Any = attrs.parameter("kernel", "rbf")
    name = "callable" if callable(given) else NAMES.get(str(given), str(given))
    formula = name in BY_DISTANCE | BY_PRODUCT | COLUMNS.keys()
    asked = attrs.parameter("gamma", 1.0 if name == "chi2" else gamma)
    width = real(asked if counts is None else width_of(asked, X, counts)) if formula else 1.0
    degree, c = real(attrs.parameter("degree", 3)), real(attrs.parameter("coef0", coef0))
    stated = real(attrs.parameter("gamma_", width)) if formula else width
    if not (formula or callable(given) or (name == "precomputed" and len(X) == X.shape[1])):
        attrs.faults.append("kernel is not known, or precomputed and not square")
    if not (np.isfinite([width, degree, c]).all() and degree >= 0 and abs(stated - width) <= 1e-9 * abs(width)):
        attrs.faults.append(f"gamma_ is {stated}, recomputed as {width}, or degree or coef0 are no numbers it can have")
    call = given if callable(given) else None
    if call and counts is None and not hasattr(given, "positive_definite"):
        settings = attrs.parameter("kernel_params", {})
        call = lambda A, B: [[given(a, b, **settings) for b in B] for a in A]  # noqa: E731
    return Kernel(name, stated, degree, c, call)


def width_of(asked: Any, X: F64, counts: F64) -> Any:
    """ "scale" is 1 / (d · variance of all entries), "auto" 1/d."""
    if asked != "scale":
        return 1 / X.shape[1] if asked == "auto" else asked
    entries = counts.sum() * X.shape[1]
    variance = (counts @ (X - (counts @ X).sum() / entries) ** 2).sum() / entries
    return 1 / (X.shape[1] * variance) if variance > 0 else 1.0
