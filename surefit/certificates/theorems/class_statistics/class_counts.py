"""What naive Bayes counts: sums of columns over every class, and how often every category occurs in it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.blocks import F64, BadData, Blocks, Rows
from surefit.certificates.theorems.class_statistics.labelled import class_sums, labelled


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
