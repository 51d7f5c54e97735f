"""Single precision is kept where it holds the numbers, and only there."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from surefit._core.precision import linear_scores, narrowed

SINGLE = np.dtype(np.float32)


@pytest.mark.parametrize(
    ("values", "each", "kept"),
    [
        ([1.0, 2.0], False, True),
        ([1e39], False, False),
        ([1e-39, 1e-42], False, False),
        ([1.0, 1e-42], False, True),
        ([1.0, 1e-42], True, False),
        ([0.0, 0.0], True, True),
        ([], False, True),
    ],
)
def test_narrowed(values, each, kept):
    found = narrowed(np.array(values), SINGLE, each=each)
    assert found.dtype == (np.float32 if kept else np.float64)


@pytest.mark.parametrize("rows", [np.array, sp.csr_array])
def test_scores_are_products(rows):
    X, coef, b = np.array([[1.0, 2.0], [0.0, -3.0]]), np.array([[1.0, 0.5], [2.0, 1.0]]), np.array([1.0, -1.0])
    np.testing.assert_array_equal(linear_scores(rows(X), coef, b), [[3.0, 3.0], [-0.5, -4.0]])


def test_scores_beyond_single_precision_and_beyond_double():
    X = np.array([[3e30, 3e30]], dtype=np.float32)
    np.testing.assert_allclose(linear_scores(X, np.full((1, 2), 1e10, np.float32), np.zeros(1)), 6e40, rtol=1e-6)
    huge = np.array([[1e300, 1e300]])
    canceled = linear_scores(huge, np.array([[1e20, -1e20]]), np.zeros(1))
    assert np.abs(canceled) <= 1e300 * 2.0**-53 * 1e20  # one rounding of a product, where the sum is fused with it
    assert linear_scores(huge, np.array([[1e20, 1e20]]), np.zeros(1)).tolist() == [[np.inf]]
    assert linear_scores(huge, np.array([[-1e20, -1e20]]), np.zeros(1)).tolist() == [[-np.inf]]
