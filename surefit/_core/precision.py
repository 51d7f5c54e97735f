"""Single precision only where it holds what was learnt."""

from __future__ import annotations

import numpy as np


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
