"""Rows with the code 0 … K−1 of their class and their weight, and sums of columns over every class."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.blocks import F64, BadData, Block, Blocks, Rows, dense, looked_over, one_column

SLICE_ROWS = 256


class Labelled(NamedTuple):
    X: Block
    code: NDArray[np.intp]
    omega: F64

    def slices(self) -> Iterator[tuple[F64, NDArray[np.intp], F64]]:
        """Dense rows, few at a time."""
        for lo in range(0, len(self.code), SLICE_ROWS):
            rows = slice(lo, lo + SLICE_ROWS)
            yield dense(self.X[rows]), self.code[rows], self.omega[rows]


def labelled(blocks: Blocks, n_classes: int, missing: bool = False) -> Iterator[Labelled]:
    """The blocks, checked: BadData for infinities, NaN (unless `missing`), bad weights and labels not in classes_."""
    for X, y, omega in looked_over(blocks, needs_y=True, missing=missing):
        code = one_column(y).astype(np.intp)
        if not ((code >= 0) & (code < n_classes)).all():
            raise BadData("some labels are not in classes_")
        yield Labelled(X, code, omega)


def class_sums(X: Block, code: NDArray[np.intp], omega: F64, n_classes: int) -> F64:
    """Σ ω x over the rows of every class, (K, d): at most n additions in a row, whatever their order."""
    out = np.zeros((n_classes, X.shape[1]))
    if isinstance(X, Rows):
        row = X.owner()
        np.add.at(out, (code[row], X.indices), X.data * omega[row])
        return out
    for k in np.unique(code):
        out[k] = omega[code == k] @ X[code == k]
    return out
