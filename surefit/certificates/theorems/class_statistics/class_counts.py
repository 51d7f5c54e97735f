"""What naive Bayes counts: sums of columns over every class, and the number that is added to every count."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from surefit.certificates.attributes import Attributes
from surefit.certificates.blocks import F64, BadData, Blocks, Rows, dense
from surefit.certificates.theorems.class_statistics.labelled import class_sums, labelled


class Counts(NamedTuple):
    classes: F64  # Σω of every class
    features: F64  # Σω x of every class and column


def feature_counts(blocks: Blocks, n_classes: int, threshold: float | None = None) -> Counts:
    """Σω and Σω x per class; with a threshold x becomes one above it and zero elsewhere."""
    counts = Counts(np.zeros(n_classes), np.zeros((n_classes, blocks.n_features)))
    for X, code, omega in labelled(blocks, n_classes):
        counts.classes[:] += np.bincount(code, weights=omega, minlength=n_classes)
        if isinstance(X, Rows) and threshold is None:
            row, least = X.owner(), X.data.min(initial=0.0)
            np.add.at(counts.features, (code[row], X.indices), X.data * omega[row])
        else:
            A = dense(X) if threshold is None else (dense(X) > threshold).astype(np.float64)
            least, counts.features[:] = A.min(initial=0.0), counts.features + class_sums(A, code, omega, n_classes)
        if least < 0:
            raise BadData("X has negative entries: they are not counts")
    return counts


def read_alpha(attrs: Attributes, *shapes: tuple[int, ...]) -> F64 | None:
    """The smoothing, a number or one per column, raised to 1e-10 unless `force_alpha`."""
    alpha = attrs.array("alpha", (), *shapes) if attrs.has("alpha") else np.ones(())
    if alpha is None or (alpha < 0).any():
        attrs.faults.append("alpha is not a number from 0 up, or one per column")
        return None
    return alpha if attrs.flag("force_alpha", True) else np.maximum(alpha, 1e-10)
