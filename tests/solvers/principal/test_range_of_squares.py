"""Sums of squares that a precision holds pass; others are refused in words."""

from __future__ import annotations

import numpy as np
import pytest

from surefit._core.errors import InvalidData
from surefit.solvers.principal.range_of_squares import refuse_beyond_range


@pytest.mark.parametrize(("sum_sq", "dtype"), [(1e300, np.float64), (9e38, np.float32), (0.0, np.float32)])
def test_sums_in_range_pass(sum_sq, dtype):
    refuse_beyond_range(sum_sq, 3.0, dtype)


@pytest.mark.parametrize(("sum_sq", "dtype"), [(np.inf, np.float64), (np.nan, np.float64), (2e39, np.float32)])
def test_others_are_refused_with_what_to_do(sum_sq, dtype):
    with pytest.raises(InvalidData, match=r"do not fit into float.*Divide the columns"):
        refuse_beyond_range(sum_sq, 3.0, dtype)
