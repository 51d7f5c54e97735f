"""First parameters that a user gives, checked."""

from __future__ import annotations

from typing import Any

import numpy as np

from surefit._core.errors import InvalidParameter
from surefit.solvers.mixture.gaussians import CovarianceType


def given_weights(weights: Any, K: int) -> np.ndarray:
    w = given_array(weights, "weights", (K,))
    if (w < 0).any() or (w > 1).any():
        raise InvalidParameter(
            f"The parameter 'weights' should be in the range [0, 1], but got max value {np.min(w):.5f}, min value "
            f"{np.max(w):.5f}"
        )
    if not abs(1 - w.sum()) <= 1e-6:
        raise InvalidParameter(f"The parameter 'weights' should be normalized, but got sum(weights) = {w.sum():.5f}")
    return w


def given_means(means: Any, K: int, d: int) -> np.ndarray:
    return given_array(means, "means", (K, d))


def given_precisions(precisions: Any, kind: CovarianceType, K: int, d: int) -> np.ndarray:
    """The covariances they belong to."""
    shape: dict[str, tuple[int, ...]] = {"full": (K, d, d), "tied": (d, d), "diag": (K, d), "spherical": (K,)}
    P = given_array(precisions, f"{kind} precision", shape[kind])
    if kind in ("diag", "spherical"):
        if not (P > 0).all():
            raise InvalidParameter(f"'{kind} precision' should be positive")
        return 1.0 / P
    if not np.allclose(P, np.swapaxes(P, -1, -2)) or not (np.linalg.eigvalsh(P) > 0).all():
        raise InvalidParameter(f"'{kind} precision' should be symmetric, positive-definite")
    return np.linalg.inv(P)


def given_array(value: Any, name: str, shape: tuple[int, ...]) -> np.ndarray:
    try:
        array = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InvalidParameter(f"The parameter '{name}' should be an array of numbers, but got {value!r}") from error
    if array.shape != shape:
        raise InvalidParameter(f"The parameter '{name}' should have the shape of {shape}, but got {array.shape}")
    if not np.isfinite(array).all():
        raise InvalidParameter(f"The parameter '{name}' holds NaN or infinity")
    return array
