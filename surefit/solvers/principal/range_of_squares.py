"""Sums of squares that floating point holds, or a clear error."""

from __future__ import annotations

import numpy as np

from surefit._core.errors import InvalidData


def refuse_beyond_range(sum_sq: float, degrees: float, dtype: np.dtype | type) -> None:
    """Of deviations from the mean; the variances are to be stored in `dtype`."""
    if not (np.isfinite(sum_sq) and sum_sq / degrees <= float(np.finfo(dtype).max)):
        raise InvalidData(
            f"Variances of these rows do not fit into {np.dtype(dtype).name}: the squares of their deviations add up "
            f"to {sum_sq:.3g}. Divide the columns by their sizes first."
        )
