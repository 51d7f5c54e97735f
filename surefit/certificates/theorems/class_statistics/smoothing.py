"""The number that is added to every count."""

from __future__ import annotations

import numpy as np

from surefit.certificates.attributes import Attributes
from surefit.certificates.blocks import F64

LEAST_ALPHA = 1e-10


def read_alpha(attrs: Attributes, n: int | None) -> F64 | None:
    """The smoothing, one number (or n of them where n is given), raised to 1e-10 unless `force_alpha`."""
    try:
        alpha = np.asarray(attrs.parameter("alpha", 1.0))
    except (TypeError, ValueError):  # ragged lists
        alpha = np.asarray("")
    shapes = [()] if n is None else [(), (n,)]
    if alpha.dtype.kind not in "biuf" or alpha.shape not in shapes or not (np.isfinite(alpha) & (alpha >= 0)).all():
        attrs.faults.append("alpha is not a number from 0 up, or one per column")
        return None
    alpha = alpha.astype(np.float64)
    return alpha if attrs.flag("force_alpha", True) else np.maximum(alpha, LEAST_ALPHA)
