"""Certificates of a fitted model of any build: a pipeline is certified step by step, each on the matrix it saw."""

from __future__ import annotations

from typing import Any

from sklearn.pipeline import Pipeline

from surefit.certificates import Certificate
from surefit.certificates.registry import checker_for
from surefit.engine.certify import certify


def has_checker(model: Any) -> bool:
    """Is there a checker for this model's class?"""
    try:
        checker_for(model)
    except TypeError:
        return False
    return True


def certify_steps(model: Any, X: Any, y: Any = None, sample_weight: Any = None) -> dict[str, Certificate]:
    """One certificate for each part of `model` that has a checker, by the name of its class.

    A pipeline's steps are checked on what the steps before them give; a search is checked through its best estimator.
    The result is empty when nothing in the model can be certified.
    """
    model = getattr(model, "best_estimator_", model)
    if not isinstance(model, Pipeline):
        return {type(model).__name__: certify(model, X, y, sample_weight)} if has_checker(model) else {}
    found: dict[str, Certificate] = {}
    last = len(model.steps) - 1
    for position, (_, step) in enumerate(model.steps):
        if step is None or step == "passthrough":
            continue
        if has_checker(step):
            found[type(step).__name__] = certify(step, X, y, sample_weight)
        if position < last:
            X = step.transform(X)
    return found
