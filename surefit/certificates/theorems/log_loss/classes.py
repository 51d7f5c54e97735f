"""Class labels as a checker reads them: codes 0 … K−1 of the model's `classes_`, and the weight of every class."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.attributes import Attributes, real
from surefit.certificates.blocks import F64, BadData, Block, Blocks, all_finite, tmatmul
from surefit.certificates.claim import CertificateError


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
    sums, weight, rows, seen, single = np.zeros(d), np.zeros(n_classes), np.zeros(n_classes, dtype=np.intp), 0, False
    for X, y, w in blocks:
        if X.shape[1] != d:
            raise BadData(f"a block has {X.shape[1]} columns, expected {d}")
        if y is None:
            raise CertificateError("This check needs y: the labels the model was fitted to.")
        if not all_finite(X) or not all_finite(y) or (w is not None and not all_finite(w)):
            raise BadData("the data have entries that are NaN, infinite or not numbers")
        code, omega = codes(y), weights_of(X, w)
        if (omega < 0).any():
            raise BadData("some weights are negative")
        if code.shape != omega.shape or not ((code >= 0) & (code < n_classes)).all():
            raise BadData("some labels are not in classes_")
        weight += np.bincount(code, weights=omega, minlength=n_classes)
        rows += np.bincount(code, minlength=n_classes)
        sums += tmatmul(X, omega)
        single = single or X.dtype == np.float32
        seen += X.shape[0]
    if seen != blocks.n_rows:
        raise BadData(f"the blocks have {seen} rows, expected {blocks.n_rows}")
    total = float(weight.sum())
    if not total > 0:
        raise BadData("the total weight is zero")
    if not np.isfinite(sums).all():
        raise BadData("sums over the data overflow")
    return Labels(total, sums / total, weight, rows, single)


def codes(y: NDArray) -> NDArray[np.intp]:
    """Labels as whole numbers; −1 for what is not one."""
    y = np.asarray(y, dtype=np.float64)
    y = y[:, 0] if y.ndim == 2 and y.shape[1] == 1 else y
    whole = (y == np.round(y)) & (np.abs(y) < 1e9)
    return np.where(whole, y, -1.0).astype(np.intp)


def weights_of(X: Block, w: NDArray | None) -> F64:
    return np.ones(X.shape[0]) if w is None else np.asarray(w, dtype=np.float64)


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
