"""How often each category occurs in each class."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.blocks import F64, BadData, Blocks
from surefit.certificates.theorems.class_statistics.labelled import labelled

MAX_CATEGORIES = 1 << 24  # counts held at once, over all columns and classes


class Categories(NamedTuple):
    classes: F64
    counts: list[F64]  # (K, number of categories) for every column, as long as the data need
    weighted: NDArray[np.intp]  # number of categories in rows with a weight


def category_counts(blocks: Blocks, n_classes: int, columns: NDArray[np.intp] | None = None) -> Categories:
    """Two passes: the number of categories (largest code plus one), and Σω of every class, column and category.

    Entries are cut to whole numbers.
    """
    columns = np.arange(blocks.n_features) if columns is None else columns
    most, heavy, classes = np.zeros(len(columns)), np.zeros(len(columns)), np.zeros(n_classes)
    for block in labelled(blocks, n_classes):
        classes += np.bincount(block.code, weights=block.omega, minlength=n_classes)
        for A, _, omega in block.slices():
            A = np.trunc(A[:, columns])
            if A.size and A.min() < 0:
                raise BadData("categories are negative")
            most = np.maximum(most, A.max(axis=0, initial=-1) + 1)
            heavy = np.maximum(heavy, A[omega > 0].max(axis=0, initial=-1) + 1)
    if most.sum() * n_classes > MAX_CATEGORIES:
        raise BadData("there are too many categories to count")
    counts = [np.zeros((n_classes, int(m))) for m in most]
    for block in labelled(blocks, n_classes):
        for A, code, omega in block.slices():
            for j, table in zip(columns, counts, strict=True):
                np.add.at(table, (code, A[:, j].astype(np.intp)), omega)
    return Categories(classes, counts, heavy.astype(np.intp))
