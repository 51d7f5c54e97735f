"""The weight of every class, and the factors that `class_weight` gives them."""

from __future__ import annotations

import numpy as np

from surefit.certificates.attributes import Attributes, real
from surefit.certificates.blocks import F64, BadData, Blocks, looked_over, one_column


def weights_of_classes(blocks: Blocks, n_classes: int) -> F64:
    """Σω per class. Raises BadData for NaN, infinities, bad weights and labels that are not in `classes_`."""
    weight = np.zeros(n_classes)
    for _, y, omega in looked_over(blocks, needs_y=True):
        code = one_column(y).astype(np.intp)
        if not ((code >= 0) & (code < n_classes)).all():
            raise BadData("some labels are not in classes_")
        weight += np.bincount(code, weights=omega, minlength=n_classes)
    return weight


def class_factors(attrs: Attributes, weight: F64) -> F64 | None:
    """The factor of every class by `class_weight`: a dictionary, "balanced" (Σω / (K Σω of the class)) or None."""
    given = getattr(attrs.model, "class_weight", None)
    if given is None:
        return np.ones(weight.size)
    if isinstance(given, str) and given == "balanced":
        return weight.sum() / (weight.size * np.where(weight > 0, weight, np.inf))
    if isinstance(given, dict):
        factors = np.array([real(given.get(c, 1.0)) for c in np.asarray(attrs.model.classes_).tolist()])
        if np.isfinite(factors).all() and (factors >= 0).all():
            return factors
    attrs.faults.append("class_weight is neither None, 'balanced' nor a dictionary of weights")
    return None
