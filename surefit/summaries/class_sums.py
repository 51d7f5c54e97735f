"""Sums of the features in every class, Σ ω x, or of what exceeds a threshold, Σ ω [x > t]: multinomial and Bernoulli.

Leaves are summed apart and merged in the fixed tree. Sums of whole numbers are exact.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from surefit import _native
from surefit.engine.sources.block import Block
from surefit.engine.step import Step


class ClassSums(NamedTuple):
    weights: np.ndarray
    """(C,): Σ ω."""
    sums: np.ndarray
    """(C, d)"""
    negative: bool
    """Whether an x below zero was seen; not looked for with a threshold in dense rows."""
    not_finite: bool


class ClassSumsStep(Step):
    """The sums of a block whose y holds codes 0 … C−1."""

    def __init__(self, n_classes: int, threshold: float | None = None) -> None:
        self.n_classes = n_classes
        self.threshold = None if threshold is None else float(threshold)

    def map(self, state: None, block: Block, n_threads: int) -> ClassSums:
        codes = block.codes
        rest = (codes, self.n_classes, block.w, self.threshold, block.leaf_rows, n_threads)
        if sp.issparse(block.X):
            csr = block.X
            indptr = csr.indptr if csr.indptr.dtype == csr.indices.dtype else csr.indptr.astype(csr.indices.dtype)
            return ClassSums(*_native.class_sums_csr(csr.data, csr.indices, indptr, csr.shape[1], *rest))
        return ClassSums(*_native.class_sums(np.ascontiguousarray(block.X), *rest))

    def combine(self, left: ClassSums, right: ClassSums) -> ClassSums:
        return ClassSums(
            left.weights + right.weights,
            left.sums + right.sums,
            left.negative or right.negative,
            left.not_finite or right.not_finite,
        )

    def typed(self, statistic: Any) -> ClassSums:
        """A statistic that was kept as a plain tuple."""
        return ClassSums(*statistic)
