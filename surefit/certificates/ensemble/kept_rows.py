"""The rows that a boosted model of ours kept for validation."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.attributes import Attributes, real
from surefit.certificates.blocks import F64, BadData
from surefit.certificates.search.boosting.held_out import held_out


def kept_rows(attrs: Attributes, X: NDArray, y: F64, w: F64, classes: bool) -> NDArray[np.bool_]:
    """Proposed: what is claimed of the training rows and of these is checked, and they are no more than asked for."""
    asked = attrs.parameter("validation_fraction", 0.1)
    share = asked / float(w.sum()) if isinstance(asked, (int, np.integer)) else real(asked)
    kept = held_out(X, y, w, y if classes else np.zeros(len(y)), share, int(attrs.parameter("seed_", 0)))
    if w[kept].sum() > share * w.sum() * (1 + 1e-9):
        raise BadData("more rows are kept for validation than asked for")
    return kept
