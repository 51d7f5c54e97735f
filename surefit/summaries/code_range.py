"""Codes of categories in columns that are read block by block: the largest, and the first that is no whole number."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from surefit.engine.sources.block import Block
from surefit.engine.step import Step


class CodeRangeStep(Step):
    """in: numbers of columns.  out: (the largest value of each, one that is not whole or NaN); below 0: missing."""

    def map(self, state: np.ndarray, block: Block, n_threads: int) -> tuple[np.ndarray, np.ndarray]:
        values = block.X[:, state]
        values = (values.toarray() if sp.issparse(values) else values).astype(np.float64)
        values[~(values >= 0)] = np.nan
        broken = np.where(values == np.floor(values), np.nan, values)
        return np.fmax.reduce(values, axis=0), np.fmax.reduce(broken, axis=0)

    def combine(self, left: Any, right: Any) -> Any:
        return np.fmax(left[0], right[0]), np.fmax(left[1], right[1])
