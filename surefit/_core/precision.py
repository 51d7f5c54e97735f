"""Single precision only where it holds what was learnt."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from surefit._core.arithmetic import power_of_two


def narrowed(values: np.ndarray, dtype: np.dtype, *, each: bool = False) -> np.ndarray:
    """`values` in `dtype`; in float64 where that would make one infinite, or lose the largest of them to underflow.

    `each`: none may be lost to underflow, for numbers that others are divided by.
    """
    values = np.asarray(values)
    if dtype == np.float64 or not values.size:
        return values.astype(dtype)
    sizes = np.abs(values[values != 0])
    if sizes.size:
        kind = np.finfo(dtype)
        least = sizes.min() if each else sizes.max()
        if sizes.max() > float(kind.max) or least < float(kind.tiny):
            return values.astype(np.float64)
    return values.astype(dtype)


def linear_scores(rows: Any, coef: Any, intercept: np.ndarray) -> np.ndarray:
    """rows · coefᵀ + intercept, (n, m); in float64 where single precision does not hold it.

    A score beyond float64 is infinite, and has its sign.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        scores = _products(rows, coef.T) + intercept
        if np.isfinite(scores).all():
            return scores
        if scores.dtype == np.float32:
            return linear_scores(rows.astype(np.float64), coef, intercept)
        largest = max(float(abs(coef).max()), float(np.abs(intercept).max(initial=0.0)))
        unit = power_of_two(largest)
        return (_products(rows, coef.T / unit) + np.asarray(intercept) / unit) * unit


def _products(rows: Any, coef: Any) -> np.ndarray:
    product = rows @ coef
    return product.toarray() if sp.issparse(product) else np.asarray(product)
