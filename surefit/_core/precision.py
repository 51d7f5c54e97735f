"""Single precision only where it holds what was learnt."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp


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
    """rows · coefᵀ + intercept, (n, m); in float64 where single precision does not hold it."""
    with np.errstate(over="ignore", invalid="ignore"):
        scores = _products(rows, coef.T) + intercept
        if scores.dtype == np.float32 and not np.isfinite(scores).all():
            scores = _products(rows.astype(np.float64), coef.T) + intercept
    return scores


def _products(rows: Any, coef: Any) -> np.ndarray:
    product = rows @ coef
    return product.toarray() if sp.issparse(product) else np.asarray(product)
