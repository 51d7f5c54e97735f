"""Codes of categories over blocks: the largest, and one that is no whole number."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from surefit.engine.sources.block import Block
from surefit.summaries.code_range import CodeRangeStep

X = np.array([[0.0, 3.0, 9.0], [254.0, np.nan, 9.0], [7.0, 2.5, 9.0], [300.0, -1.0, 9.0]])


@pytest.mark.parametrize("convert", [np.asarray, sp.csr_array], ids=["dense", "CSR"])
def test_the_largest_code_and_one_that_is_not_whole(convert):
    step, columns = CodeRangeStep(), np.array([0, 1])
    parts = [step.map(columns, Block(convert(X[at]), None, None, 0, 64), 1) for at in (slice(0, 2), slice(2, 4))]
    largest, broken = step.combine(*parts)
    np.testing.assert_array_equal(largest, [300.0, 3.0])
    np.testing.assert_array_equal(broken, [np.nan, 2.5])
