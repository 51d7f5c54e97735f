"""How often each category occurs in each class."""

from __future__ import annotations

import numpy as np

from surefit.certificates.blocks import F64, BadData, Blocks, dense
from surefit.certificates.theorems.class_statistics.labelled import labelled


def category_counts(blocks: Blocks, n_classes: int, widths: list[int]) -> tuple[F64, list[F64], F64]:
    """One pass: Σω of every class, and of its categories below the widths; the largest. Entries are cut to wholes."""
    classes, largest = np.zeros(n_classes), np.full(blocks.n_features, -1.0)
    counts = [np.zeros((n_classes, width)) for width in widths]
    for X, code, omega in labelled(blocks, n_classes):
        classes += np.bincount(code, weights=omega, minlength=n_classes)
        A = np.trunc(dense(X))
        if A.min(initial=0.0) < 0:
            raise BadData("categories are negative")
        largest = np.maximum(largest, A.max(axis=0, initial=-1.0))
        for j, table in enumerate(counts):
            inside = A[:, j] < table.shape[1]
            np.add.at(table, (code[inside], A[inside, j].astype(np.intp)), omega[inside])
    return classes, counts, largest
