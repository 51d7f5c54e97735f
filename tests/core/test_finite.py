"""The compiled search for values that are not finite, against NumPy's `isfinite`."""

from __future__ import annotations

import numpy as np
import pytest

from surefit import _native
from surefit._core.data.faults import COMPILED_FROM, refuse_non_finite
from surefit._core.errors import InvalidData


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n", [0, 1, 31, 32, 33, 2**18 - 1, 2**18, 2**18 + 1, 3 * 2**18 + 5])
def test_as_numpy(dtype, n):
    rng = np.random.default_rng(n)
    x = rng.choice(np.array([0.0, -0.0, 1.0, np.finfo(dtype).max, -np.finfo(dtype).max, np.finfo(dtype).tiny / 4]), n)
    x = x.astype(dtype)
    assert np.isfinite(x).all()
    for n_threads in (1, 2):
        assert _native.all_finite(x, n_threads)
        for place in {0, n // 2, n - 1} if n else ():
            for bad in (np.nan, np.inf, -np.inf):
                y = x.copy()
                y[place] = bad
                assert not _native.all_finite(y, n_threads)


@pytest.mark.parametrize("order", ["C", "F"])
def test_large_data_names_the_first_bad_row(order):
    X = np.ones((COMPILED_FROM // 8 + 3, 8), order=order)
    refuse_non_finite(X, "X")
    X[4000, 3] = X[5000, 0] = np.inf
    with pytest.raises(InvalidData, match=r"2 bad values; the first is in column 3, row 4000"):
        refuse_non_finite(X, "X")
    with pytest.raises(InvalidData, match=r"column 3, row 2000"):
        refuse_non_finite(X[::2], "X")
