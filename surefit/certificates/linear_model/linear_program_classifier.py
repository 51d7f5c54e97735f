"""Checker of LinearProgramClassifier: a separating hyperplane with its margin, or the proof that there is none.

Where there is none, the coefficients minimize  Σ ωᵢ max(0, 1 − σᵢ(xᵢ·w + b)) , a linear program with a dual.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from surefit.certificates.attributes import Attributes, bad_attributes
from surefit.certificates.blocks import Blocks
from surefit.certificates.checker import Findings, checker
from surefit.certificates.claim import failed
from surefit.certificates.labels import reads_labels
from surefit.certificates.linear_model.violations import UNDECIDED, not_separable
from surefit.certificates.rounding import epsilon
from surefit.certificates.theorems.linear_program.separation import (
    answers,
    margins,
    read_plane,
    separates,
    stated_margin,
)


@checker("classes_", "coef_", "intercept_", "separable_", "margin_", "farkas_", "decision_function", "predict")
@reads_labels
def check_linear_program_classifier(model: Any, blocks: Blocks, tol: float) -> Findings:
    """Two passes over the rows where the classes are separated; up to ten where they are not."""
    attrs = Attributes(model, "coef_")
    w, b = read_plane(attrs, blocks)
    separable = getattr(model, "separable_", None)
    if not (separable is None or isinstance(separable, (bool, np.bool_))):
        attrs.faults.append("separable_ is neither True, False nor None")
    if separable is None:
        return [failed("separable", UNDECIDED)], "no pass"
    if attrs.faults:
        return [bad_attributes(attrs)], "no pass"
    unit = epsilon(False, np.asarray(model.coef_), np.asarray(model.intercept_)) / 2
    if separable:
        m = margins(blocks, w, b)
        claims = [separates(m, w), *stated_margin(attrs, m, w, tol)]
    else:
        claims = not_separable(attrs, blocks, w, b, tol, unit)
    return [*claims, *answers(model, blocks, w[None], np.array([b]), unit)], "two to ten passes over the rows"
