"""How often each category occurs in each class."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.blocks import F64, BadData, Blocks
from surefit.certificates.theorems.class_statistics.labelled import labelled


class Categories(NamedTuple):
    classes: F64
    counts: list[F64]  # (K, width) for every column
    most: NDArray[np.intp]  # number of categories: the largest code plus one
    weighted: NDArray[np.intp]  # the same in rows with a weight


def category_counts(blocks: Blocks, n_classes: int, widths: list[int]) -> Categories:
    """One pass: Σω of every class, column and category below the column's width. Entries are cut to whole numbers."""
    d, classes, counts = blocks.n_features, np.zeros(n_classes), [np.zeros((n_classes, width)) for width in widths]
    most, heavy = np.zeros(d), np.zeros(d)
    for block in labelled(blocks, n_classes):
        classes += np.bincount(block.code, weights=block.omega, minlength=n_classes)
        for A, code, omega in block.slices():
            A = np.trunc(A)
            if A.size and A.min() < 0:
                raise BadData("categories are negative")
            most = np.maximum(most, A.max(axis=0, initial=-1) + 1)
            heavy = np.maximum(heavy, A[omega > 0].max(axis=0, initial=-1) + 1)
            for j, table in enumerate(counts):
                inside = A[:, j] < table.shape[1]
                np.add.at(table, (code[inside], A[inside, j].astype(np.intp)), omega[inside])
    return Categories(classes, counts, most.astype(np.intp), heavy.astype(np.intp))
