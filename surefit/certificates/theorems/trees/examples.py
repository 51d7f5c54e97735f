"""The rows that trees were grown on, in memory; classes and their weights."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.attributes import Attributes, real
from surefit.certificates.blocks import F64, BadData, Blocks, dense, looked_over
from surefit.certificates.labels import read_classes

MOST = 1 << 27  # entries kept in memory


class Examples(NamedTuple):
    """All rows, targets (n, targets) or one column of codes, weights ≥ 0."""

    X: F64
    Y: F64
    w: F64
    weighted: bool
    dtype: Any  # of the rows as they were given


def from_scikit_learn(model: Any) -> bool:
    return any(base.__module__.startswith(("sklearn.tree", "sklearn.ensemble")) for base in type(model).__mro__)


def read_examples(model: Any, blocks: Blocks, single: bool = True) -> Examples:
    """The data in memory, as the model reads it; single: scikit-learn's model rounds the rows to float32."""
    if blocks.n_rows * blocks.n_features > MOST:
        raise BadData(f"{blocks.n_rows} × {blocks.n_features} numbers would be kept in memory, above {MOST}")
    parts = list(looked_over(blocks, needs_y=True, missing=True))
    X, w = np.concatenate([dense(p.X) for p in parts]), np.concatenate([p.w for p in parts])
    Y, weighted = np.concatenate([p.y for p in parts]), any(given is not None for _, _, given in blocks)
    X = X.astype(np.float32).astype(np.float64) if single and from_scikit_learn(model) else X
    return Examples(X, Y.astype(np.float64).reshape(len(Y), -1), w, weighted, parts[0].X.dtype)


def n_classes(attrs: Attributes, data: Examples) -> int:
    """How many labels `classes_` has, 0 without; a fault unless those of the data are among them, and n_classes_."""
    K = (read_classes(attrs, 1) or 1) if hasattr(attrs.model, "classes_") else 0
    if K and (data.Y.min() < 0 or np.ravel(getattr(attrs.model, "n_classes_", 0)).tolist() != [K]):
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
