"""Certificates of a fitted model of any build: a pipeline is certified step by step, each on the matrix it saw."""

from __future__ import annotations

from typing import Any

from surefit.certificates import Certificate
from surefit.engine.certify import certify
from surefit.engine.parts import has_checker, parts_of


def certify_steps(model: Any, X: Any, y: Any = None, sample_weight: Any = None) -> dict[str, Certificate]:
    """One certificate for each part of `model` that has a checker, by the name of its class.

    A pipeline's steps are checked on what the steps before them give; a search is checked through its best estimator.
    The result is empty when nothing in the model can be certified.
    """
    parts = [part for part in parts_of(model, X) if has_checker(part.model)]
    return {type(part.model).__name__: certify(part.model, part.X, y, sample_weight) for part in parts}
