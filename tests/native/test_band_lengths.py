"""The compiled squared lengths of L⁻¹ V against NumPy's solution; shapes that do not fit are refused."""

from __future__ import annotations

import numpy as np
import pytest

from surefit import _native


def factors(count, n, width):
    """Lower bands, as LAPACK has them and dense."""
    rng = np.random.default_rng(0)
    lower = rng.normal(size=(count, n, width + 1))
    lower[:, :, 0] = 2.0 * (width + 1)
    whole = np.zeros((count, n, n))
    for d in range(min(width, n - 1) + 1):
        c = np.arange(n - d)
        whole[:, c + d, c] = lower[:, : n - d, d]
    return lower, whole


@pytest.mark.parametrize("m", [1, 23, 24, 25, 130])
@pytest.mark.parametrize(("count", "n", "width"), [(1, 1, 3), (2, 5, 0), (3, 64, 64), (1, 65, 64), (2, 131, 5)])
def test_lengths_are_those_of_the_solution_for_any_number_of_threads(count, n, width, m):
    lower, whole = factors(count, n, width)
    V = np.random.default_rng(1).normal(size=(n, m))
    out = [np.full((count, m), np.nan) for _ in range(3)]
    for threads, one in zip((1, 2, 3), out, strict=True):
        _native.band_lengths(lower, V, one, threads)
    expected = (np.linalg.solve(whole, np.repeat(V[None], count, axis=0)) ** 2).sum(axis=1)
    np.testing.assert_allclose(out[0], expected, rtol=1e-12)
    assert np.array_equal(out[0], out[1]) and np.array_equal(out[0], out[2])


def test_a_column_has_the_same_bits_wherever_it_stands():
    lower, _ = factors(1, 100, 8)
    V = np.repeat(np.random.default_rng(2).normal(size=(100, 1)), 61, axis=1)
    out = np.empty((1, 61))
    _native.band_lengths(lower, V, out, 2)
    assert len(np.unique(out)) == 1


def test_nothing_to_solve():
    out = np.full((2, 3), np.nan)
    _native.band_lengths(np.empty((2, 0, 4)), np.empty((0, 3)), out, 2)
    np.testing.assert_array_equal(out, 0.0)
    _native.band_lengths(np.ones((2, 5, 1)), np.empty((5, 0)), np.empty((2, 0)), 2)


def test_shapes_that_do_not_fit_are_refused():
    lower, V = np.ones((2, 5, 3)), np.ones((5, 4))
    with pytest.raises(ValueError, match="rows of a factor has length 5, expected 6"):
        _native.band_lengths(lower, np.ones((6, 4)), np.empty((2, 4)), 1)
    with pytest.raises(ValueError, match="out has length 1, expected 2"):
        _native.band_lengths(lower, V, np.empty((1, 4)), 1)
    with pytest.raises(ValueError, match="a row of out has length 3, expected 4"):
        _native.band_lengths(lower, V, np.empty((2, 3)), 1)
    with pytest.raises(ValueError, match="needs its diagonal"):
        _native.band_lengths(np.ones((2, 5, 0)), V, np.empty((2, 4)), 1)
