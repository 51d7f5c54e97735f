"""A function of rows, run over rows in memory leaf by leaf: each leaf stays in the cache, leaves run on threads.

The size of a leaf depends on the shape of the rows alone, so the bits do not depend on the threads.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp

from surefit._core.threads import threads_for
from surefit.engine.leaves import fold_tree

CACHED = 2**16
"""Numbers of a leaf that stays in the cache while it is worked on."""
SPARSE_ROWS = 4096


def by_leaves(rows: Any, out: np.ndarray, function: Callable[[Any], np.ndarray], *, least_rows: int = 32) -> np.ndarray:
    """out[i] = function(rows)[i], for a function that treats every row by itself.

    `least_rows` of a leaf: more where the function reads something large each time, such as a wide matrix.
    """
    n, d = rows.shape
    step = SPARSE_ROWS if sp.issparse(rows) else max(least_rows, CACHED // max(d, 1))
    if n <= step:
        out[:] = function(rows)
        return out

    def leaf(i: int) -> None:
        out[i * step : (i + 1) * step] = function(rows[i * step : (i + 1) * step])

    fold_tree(-(-n // step), leaf, lambda left, right: None, threads_for(n * d))
    return out
