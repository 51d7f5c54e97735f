"""Rows with the code 0 … K−1 of their class and their weight, and sums of columns over every class."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.blocks import F64, BadData, Block, Blocks, looked_over, one_column

SLICE_ROWS = 256


def labelled(blocks: Blocks, n_classes: int, missing: bool = False) -> Iterator[tuple[Block, NDArray[np.intp], F64]]:
    """Few rows at a time. BadData for infinities, NaN (unless `missing`), bad weights and labels not in classes_."""
    for X, y, omega in looked_over(blocks, needs_y=True, missing=missing):
        code = one_column(y).astype(np.intp)
        if not ((code >= 0) & (code < n_classes)).all():
            raise BadData("some labels are not in classes_")
        for lo in range(0, len(code), SLICE_ROWS):
            rows = slice(lo, lo + SLICE_ROWS)
            yield X[rows], code[rows], omega[rows]


def class_sums(X: F64, code: NDArray[np.intp], omega: F64, n_classes: int) -> F64:
    """Σ ω x over the rows of every class, (K, d): at most n additions in a row, whatever their order."""
    out = np.zeros((n_classes, X.shape[1]))
    for k in np.unique(code):
        out[k] = omega[code == k] @ X[code == k]
    return out
