"""Checker of LinearProgramClassifier: a separating hyperplane with its margin, or the proof that there is none.

Where there is none, the coefficients minimize  Σ ωᵢ max(0, 1 − σᵢ(xᵢ·w + b)) , a linear program with a dual.
"""

from __future__ import annotations

from typing import Any

from surefit.certificates.attributes import Attributes
from surefit.certificates.blocks import Blocks
from surefit.certificates.checker import Findings, checker
from surefit.certificates.labels import reads_labels
from surefit.certificates.linear_model.hyperplane import hyperplane_claims
from surefit.certificates.theorems.linear_program.separation import read_plane


@checker("classes_", "coef_", "intercept_", "separable_", "margin_", "farkas_", "decision_function", "predict")
@reads_labels
def check_linear_program_classifier(model: Any, blocks: Blocks, tol: float) -> Findings:
    """Two passes over the rows where the classes are separated; up to ten where they are not."""
    attrs = Attributes(model, "coef_")
    return hyperplane_claims(attrs, blocks, read_plane(attrs, blocks), tol), "two to ten passes over the rows"
