"""Certificates of a fitted model of any build: a pipeline is certified step by step, each on the matrix it saw."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.compose import TransformedTargetRegressor

from surefit.certificates import Certificate
from surefit.engine.certify import certify
from surefit.engine.parts import has_checker, parts_of


def certify_steps(model: Any, X: Any, y: Any = None, sample_weight: Any = None) -> dict[str, Certificate]:
    """One certificate for each part of `model` that has a checker, by the name of its class.

    A pipeline's steps are checked on what the steps before them give; a search is checked through its best estimator, a
    regression of transformed targets on those. The result is empty when nothing in the model can be certified.
    """
    return {
        type(part).__name__: certify(part, seen, target, sample_weight)
        for part, seen, target in _parts_and_targets(model, X, y)
        if has_checker(part)
    }


def _parts_and_targets(model: Any, X: Any, y: Any) -> Iterator[tuple[Any, Any, Any]]:
    """The models that `model` consists of, with the matrix and the target that each was fitted to."""
    for _, part, seen in parts_of(model, X):
        if isinstance(part, TransformedTargetRegressor):
            Z = part.transformer_.transform(np.asarray(y, dtype=np.float64).reshape(len(y), -1))
            yield from _parts_and_targets(part.regressor_, seen, Z[:, 0] if Z.shape[1] == 1 else Z)
        else:
            yield part, seen, y
