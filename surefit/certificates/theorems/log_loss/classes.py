"""The weight of every class, and the factors that `class_weight` gives them."""

from __future__ import annotations

import numpy as np

from surefit.certificates.attributes import Attributes, real
from surefit.certificates.blocks import F64, BadData, Blocks, looked_over, one_column


def read_weights(attrs: Attributes, blocks: Blocks, k: int) -> tuple[F64, F64]:
    """Σω of every class, and its factor by `class_weight`: of a dictionary, one, or "balanced", Σω/(K Σω of it)."""
    weight, given = np.zeros(k), getattr(attrs.model, "class_weight", None)
    for _, y, omega in looked_over(blocks, needs_y=True):
        code = one_column(y).astype(np.intp)
        if not ((code >= 0) & (code < k)).all():
            raise BadData("some labels are not in classes_")
        weight += np.bincount(code, weights=omega, minlength=k)
    if isinstance(given, str) and given == "balanced":
        return weight, weight.sum() / (k * np.where(weight > 0, weight, np.inf))
    named = given if isinstance(given, dict) else {}
    factors = np.array([real(named.get(label, 1.0)) for label in np.asarray(attrs.model.classes_).tolist()])
    if not (given is None or isinstance(given, dict)) or not (np.isfinite(factors) & (factors >= 0)).all():
        attrs.faults.append("class_weight is neither None, 'balanced' nor a dictionary of weights")
    return weight, factors
