"""What naive Bayes counts: sums of columns over every class, and how often every category occurs in it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.attributes import Attributes
from surefit.certificates.blocks import F64, BadData, Blocks, Rows
from surefit.certificates.theorems.class_statistics.labelled import class_sums, labelled

MAX_CATEGORIES = 1 << 24  # counts held at once, over all columns and classes
LEAST_ALPHA = 1e-10


@dataclass
class Counts:
    classes: F64  # Σω of every class
    features: F64  # Σω x of every class and column
    lowest: float  # the least entry of X


def feature_counts(
    blocks: Blocks, n_classes: int, threshold: float | None = None, columns: NDArray[np.intp] | None = None
) -> Counts:
    """Σω and Σω x per class, of some columns or all; with a threshold x becomes one above it and zero elsewhere."""
    chosen = np.arange(blocks.n_features) if columns is None else columns
    classes, features, lowest = np.zeros(n_classes), np.zeros((n_classes, len(chosen))), np.inf
    for block in labelled(blocks, n_classes):
        X, code, omega = block
        classes += np.bincount(code, weights=omega, minlength=n_classes)
        if isinstance(X, Rows) and threshold is None and columns is None:
            lowest = min(lowest, float(X.data.min(initial=0.0)))
            features += class_sums(X, code, omega, n_classes)
            continue
        for A, own, weight in block.slices():
            A = A[:, chosen]
            lowest = min(lowest, float(A.min(initial=np.inf)))
            A = A if threshold is None else (A > threshold).astype(np.float64)
            features += class_sums(A, own, weight, n_classes)
    if not np.isfinite(features).all():
        raise BadData("sums over the data overflow")
    return Counts(classes, features, lowest)


def read_alpha(attrs: Attributes, n: int | None) -> F64 | None:
    """The smoothing, one number (or n of them where n is given), raised to 1e-10 unless `force_alpha`."""
    try:
        alpha = np.asarray(attrs.parameter("alpha", 1.0))
    except (TypeError, ValueError):  # ragged lists
        alpha = np.asarray("")
    shapes = [()] if n is None else [(), (n,)]
    if alpha.dtype.kind not in "biuf" or alpha.shape not in shapes or not (np.isfinite(alpha) & (alpha >= 0)).all():
        attrs.faults.append("alpha is not a number from 0 up, or one per column")
        return None
    alpha = alpha.astype(np.float64)
    return alpha if attrs.flag("force_alpha", True) else np.maximum(alpha, LEAST_ALPHA)


@dataclass
class Categories:
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
            place = A[:, columns].astype(np.intp)
            for j, table in enumerate(counts):
                flat = code * table.shape[1] + place[:, j]
                table += np.bincount(flat, weights=omega, minlength=table.size).reshape(table.shape)
    return Categories(classes, counts, heavy.astype(np.intp))
