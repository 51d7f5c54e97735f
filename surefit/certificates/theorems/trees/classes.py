"""Classes of the examples of a tree or a forest, and their weights."""

from __future__ import annotations

import numpy as np

from surefit.certificates.attributes import Attributes, real
from surefit.certificates.blocks import F64
from surefit.certificates.theorems.trees.examples import Examples


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
