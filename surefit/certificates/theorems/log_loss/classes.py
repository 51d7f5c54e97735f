"""Class labels as a checker reads them: codes 0 … K−1 of the model's `classes_`, and the weight of every class."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.attributes import Attributes, real
from surefit.certificates.blocks import F64, BadData, Blocks, looked_over, one_column
from surefit.certificates.theorems.row_products import tmatmul


@dataclass
class Labels:
    """First pass over rows with labels. Weights are those of the user, before any class weights."""

    total: float
    x_mean: F64
    weight: F64  # Σω per class
    rows: NDArray[np.intp]  # rows per class, whatever their weight
    single: bool  # X is float32


def label_pass(blocks: Blocks, n_classes: int) -> Labels:
    """Totals per class. Raises BadData for NaN, infinities, bad weights and labels that are not in `classes_`."""
    d = int(blocks.n_features)
    sums, weight, rows, single = np.zeros(d), np.zeros(n_classes), np.zeros(n_classes, dtype=np.intp), False
    for X, y, omega in looked_over(blocks, needs_y=True):
        code = one_column(y).astype(np.intp)
        if not ((code >= 0) & (code < n_classes)).all():
            raise BadData("some labels are not in classes_")
        weight += np.bincount(code, weights=omega, minlength=n_classes)
        rows += np.bincount(code, minlength=n_classes)
        sums += tmatmul(X, omega)
        single = single or X.dtype == np.float32
    total = float(weight.sum())
    if not np.isfinite(sums).all():
        raise BadData("sums over the data overflow")
    return Labels(total, sums / total, weight, rows, single)


def class_factors(attrs: Attributes, labels: Labels) -> F64 | None:
    """The factor of every class by `class_weight`: a dictionary, "balanced" (Σω / (K Σω of the class)) or None."""
    k = labels.weight.size
    given = getattr(attrs.model, "class_weight", None)
    if given is None:
        return np.ones(k)
    if isinstance(given, str) and given == "balanced":
        return labels.total / (k * np.where(labels.weight > 0, labels.weight, np.inf))
    if isinstance(given, dict):
        factors = np.array([real(given.get(c, 1.0)) for c in np.asarray(attrs.model.classes_).tolist()])
        if np.isfinite(factors).all() and (factors >= 0).all():
            return factors
    attrs.faults.append("class_weight is neither None, 'balanced' nor a dictionary of weights")
    return None
