"""Targets of one or several outputs, as trees take them: (rows, outputs), numbers or class codes."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import check_array
from sklearn.utils.class_weight import compute_sample_weight

from surefit._core.data.faults import squarable
from surefit._core.data.intake import take_targets
from surefit._core.errors import InvalidData, InvalidParameter
from surefit.engine.labels import check_labels, label_dimensions, memory_codes


def take_labels(estimator: Any, y: Any, n_rows: int) -> tuple[list[np.ndarray], np.ndarray]:
    """(classes, codes): the classes of each output, and the places of the labels among them, (rows, outputs)."""
    if label_dimensions(y) == 2:
        y = check_array(y, dtype=None, ensure_all_finite=False, ensure_min_samples=0, input_name="y")
        y = y[:, 0] if y.shape[1] == 1 else y
    if label_dimensions(y) != 2:
        classes, codes = memory_codes(estimator, y, n_rows, None)
        return [classes], codes.reshape(-1, 1)
    if len(y) != n_rows:
        raise InvalidData(f"Number of labels={len(y)} does not match number of samples={n_rows}")
    check_labels(y)
    found = [np.unique(column, return_inverse=True) for column in y.T]
    return [classes for classes, _ in found], np.column_stack([codes for _, codes in found]).astype(np.float64)


def take_numbers(estimator: Any, y: Any, n_rows: int, criterion: str) -> np.ndarray:
    """Numbers, float64 (rows, outputs); with squares in range, for Poisson's deviance not negative."""
    targets = np.ascontiguousarray(take_targets(estimator, y, n_rows), dtype=np.float64).reshape(n_rows, -1)
    if criterion in ("squared_error", "friedman_mse"):
        squarable(targets)
    if criterion == "poisson":
        if (targets < 0).any():
            raise InvalidData("Some value(s) of y are negative which is not allowed for Poisson regression.")
        if not (targets.sum(axis=0) > 0).all():
            raise InvalidData("Sum of y is not positive which is necessary for Poisson regression.")
    return targets


def class_weights(class_weight: Any, y: Any, codes: np.ndarray, w: np.ndarray | None) -> np.ndarray | None:
    """The weights of the rows times those of their classes (several outputs: the product).

    "balanced" is n / (classes · n_c) with weights counted as repetitions: W / (classes · W_c).
    """
    if class_weight is None:
        return w
    if class_weight != "balanced":
        factors = given_factors(class_weight, y)
    else:
        factors = np.ones(len(codes))
        for column in codes.astype(np.intp).T:
            mass = np.bincount(column, weights=w)
            factors *= (mass.sum() / (len(mass) * np.where(mass > 0, mass, 1.0)))[column]
    return factors if w is None else w * factors


def given_factors(class_weight: Any, y: Any) -> np.ndarray:
    """The factor of each row by dictionaries {label: factor}."""
    factors = np.asarray(compute_sample_weight(class_weight, y), dtype=np.float64)
    if not (np.isfinite(factors) & (factors >= 0)).all() or not factors.any():
        raise InvalidParameter(f"class_weight must hold finite numbers ≥ 0, not all of them zero; got {class_weight}")
    return factors
