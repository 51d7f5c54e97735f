"""The compiled product with a symmetric matrix against NumPy's; what does not fit is refused."""

from __future__ import annotations

import numpy as np
import pytest

from surefit import _native


def part(m, n, seed):
    return np.random.default_rng(seed).normal(size=(m + 3, n + 5))[1 : m + 1, 2 : n + 2]


@pytest.mark.parametrize("columns", [1, 31, 64, 100])
@pytest.mark.parametrize("n", [1, 95, 96, 97, 300])
def test_products_are_numpys_for_any_number_of_threads(n, columns):
    A, B = part(n, n, 0), part(n, columns, 1)
    expected = (np.tril(A) + np.tril(A, -1).T) @ B
    A[np.triu_indices(n, 1)] = np.nan  # is not read
    out = [np.full((n, columns), np.nan) for _ in range(3)]
    for threads, one in zip((1, 2, 3), out, strict=True):
        _native.multiply_symmetric(A, B, one, threads)
    np.testing.assert_allclose(out[0], expected, rtol=1e-12, atol=1e-12)
    assert np.array_equal(out[0], out[1]) and np.array_equal(out[0], out[2])


def test_nothing_to_multiply():
    _native.multiply_symmetric(np.empty((0, 0)), np.empty((0, 3)), np.empty((0, 3)), 2)
    _native.multiply_symmetric(np.ones((4, 4)), np.empty((4, 0)), np.empty((4, 0)), 2)


def test_what_does_not_fit_is_refused():
    A, B, out = np.ones((4, 4)), np.ones((4, 2)), np.empty((4, 2))
    with pytest.raises(ValueError, match="a row of A has length 3, expected 4"):
        _native.multiply_symmetric(A[:, :3], B, out, 1)
    with pytest.raises(ValueError, match="B has length 3, expected 4"):
        _native.multiply_symmetric(A, B[:3], out, 1)
    with pytest.raises(ValueError, match="out has length 3, expected 4"):
        _native.multiply_symmetric(A, B, out[:3], 1)
    for turned in (np.ones((8, 4)).T[:, ::2], np.ones((4, 8))[:, ::2], np.ones((4, 4))[::-1]):
        with pytest.raises(ValueError, match="row by row"):
            _native.multiply_symmetric(turned, B, out, 1)
