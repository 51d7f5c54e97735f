"""What naive Bayes counts: sums of columns over every class, and the number that is added to every count."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from surefit.certificates.attributes import Attributes
from surefit.certificates.blocks import F64, BadData, Blocks, Rows
from surefit.certificates.theorems.class_statistics.labelled import class_sums, labelled

LEAST_ALPHA = 1e-10


class Counts(NamedTuple):
    classes: F64  # Σω of every class
    features: F64  # Σω x of every class and column


def feature_counts(blocks: Blocks, n_classes: int, threshold: float | None = None) -> Counts:
    """Σω and Σω x per class; with a threshold x becomes one above it and zero elsewhere."""
    counts = Counts(np.zeros(n_classes), np.zeros((n_classes, blocks.n_features)))
    for block in labelled(blocks, n_classes):
        counts.classes[:] += np.bincount(block.code, weights=block.omega, minlength=n_classes)
        as_it_is = isinstance(block.X, Rows) and threshold is None
        for X, code, omega in [block] if as_it_is else block.slices():
            if not isinstance(X, Rows):
                X = X if threshold is None else (X > threshold).astype(np.float64)
            if (X.data if isinstance(X, Rows) else X).min(initial=0.0) < 0:
                raise BadData("X has negative entries: they are not counts")
            counts.features[:] += class_sums(X, code, omega, n_classes)
    return counts


def read_alpha(attrs: Attributes, *shapes: tuple[int, ...]) -> F64 | None:
    """The smoothing, a number or one per column, raised to 1e-10 unless `force_alpha`."""
    alpha = attrs.array("alpha", (), *shapes) if attrs.has("alpha") else np.ones(())
    if alpha is None or (alpha < 0).any():
        attrs.faults.append("alpha is not a number from 0 up, or one per column")
        return None
    return alpha if attrs.flag("force_alpha", True) else np.maximum(alpha, LEAST_ALPHA)
