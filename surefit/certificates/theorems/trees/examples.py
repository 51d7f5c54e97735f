"""The rows that trees were grown on, in memory; classes and their weights."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from surefit.certificates.attributes import Attributes, real
from surefit.certificates.blocks import F64, BadData, Blocks, dense, looked_over

MOST = 1 << 27  # entries kept in memory


@dataclass(frozen=True)
class Examples:
    """All rows, targets (n, outputs) or one column of codes, weights ≥ 0."""

    X: F64
    Y: F64
    w: F64
    weighted: bool
    flat: bool  # the target has one dimension
    dtype: Any  # of the rows as they were given


def from_scikit_learn(model: Any) -> bool:
    return any(base.__module__.startswith(("sklearn.tree", "sklearn.ensemble")) for base in type(model).__mro__)


def read_examples(model: Any, blocks: Blocks, single: bool = True) -> Examples:
    """The data in memory, as the model reads it; single: scikit-learn's model rounds the rows to float32."""
    if blocks.n_rows * blocks.n_features > MOST:
        raise BadData(f"replaying a tree keeps {blocks.n_rows} × {blocks.n_features} numbers in memory, above {MOST}")
    parts = list(looked_over(blocks, needs_y=True, missing=True))
    X, w = np.concatenate([dense(p.X) for p in parts]), np.concatenate([p.w for p in parts])
    Y = np.concatenate([p.y for p in parts]).astype(np.float64)
    if single and from_scikit_learn(model):
        X = X.astype(np.float32).astype(np.float64)
    weighted = any(given is not None for _, _, given in blocks)
    return Examples(X, Y.reshape(len(Y), -1), w, weighted, Y.ndim == 1, parts[0].X.dtype)


def same_classes(attrs: Attributes, data: Examples, K: int | None) -> bool:
    """The labels of the data are all of `classes_`, and n_classes_ counts them; else the fault is noted."""
    if K is not None and not np.array_equal(np.unique(data.Y), np.arange(K)):
        attrs.faults.append("classes_ is not the labels of the data")
    if K is not None and np.asarray(getattr(attrs.model, "n_classes_", None)).ravel().tolist() != [K]:
        attrs.faults.append("n_classes_ is not the number of classes")
    return not attrs.faults


def class_factors(attrs: Attributes, counts: F64, named: str = "balanced") -> F64:
    """The factor of every class by `class_weight`: None, a dictionary, or Σ / (K · the count of the class)."""
    given, K = getattr(attrs.model, "class_weight", None), len(counts)
    if isinstance(given, str) and given == named:
        return counts.sum() / (K * np.where(counts > 0, counts, 1.0))
    if isinstance(given, dict):
        return np.array([real(given.get(label, 1.0)) for label in np.asarray(attrs.model.classes_).tolist()])
    if given is not None:
        attrs.faults.append(f"class_weight={given!r} is not known here")
    return np.ones(K)
