"""The rows that trees were grown on, in memory; classes and their weights."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.attributes import Attributes, real
from surefit.certificates.blocks import F64, BadData, Blocks, dense, looked_over
from surefit.certificates.labels import read_classes

MOST = 1 << 27  # entries kept in memory


def from_scikit_learn(model: Any) -> bool:
    return any(base.__module__.startswith(("sklearn.tree", "sklearn.ensemble")) for base in type(model).__mro__)


def read_examples(blocks: Blocks) -> tuple[F64, F64, F64]:
    """All rows, targets (n, targets) or one column of codes, weights ≥ 0."""
    if blocks.n_rows * blocks.n_features > MOST:
        raise BadData(f"{blocks.n_rows} × {blocks.n_features} numbers would be kept in memory, above {MOST}")
    parts = list(looked_over(blocks, needs_y=True, missing=True))
    X, Y, w = (np.concatenate(all_) for all_ in zip(*((dense(p.X), p.y, p.w) for p in parts), strict=True))
    return X, Y.astype(np.float64).reshape(len(Y), -1), w


def as_read(model: Any, X: NDArray) -> F64:
    return (X.astype(np.float32) if from_scikit_learn(model) else X).astype(np.float64)


def n_classes(attrs: Attributes, Y: F64) -> int:
    """How many labels `classes_` has, 0 without; a fault unless those of the data are among them, and n_classes_."""
    K = (read_classes(attrs, 1) or 1) if hasattr(attrs.model, "classes_") else 0
    if K and (Y.min() < 0 or np.ravel(getattr(attrs.model, "n_classes_", 0)).tolist() != [K]):
        attrs.faults.append("classes_ or n_classes_ is not that of the labels of the data")
    return K


def class_factors(model: Any, codes: NDArray[np.intp], w: F64 | None, K: int) -> F64:
    """The factor of every row by `class_weight`: None, a dictionary, or (balanced) Σ w / (K · Σ w of the class)."""
    given, labels = getattr(model, "class_weight", None), np.asarray(model.classes_).tolist()
    factors = np.array([real((given if isinstance(given, dict) else {}).get(label, 1.0)) for label in labels])
    if isinstance(given, str):
        counts = np.bincount(codes, weights=w, minlength=K)
        factors = counts.sum() / (K * np.where(counts > 0, counts, 1.0))
    return factors[codes]
