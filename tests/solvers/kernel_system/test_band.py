"""A = Q B Qᵀ: Q orthogonal, B a band, and the factors of B + αI."""

from __future__ import annotations

import numpy as np
import pytest

import surefit
from surefit.solvers.kernel_system.band import WIDTH, Band, BandFactor, reduce_to_band
from tests.solvers.kernel_system.matrices import gaussian, rows


def dense(band: Band) -> np.ndarray:
    B, s = np.zeros_like(band.Q), 0
    for j, D in enumerate(band.D):
        stop = s + len(D)
        B[s:stop, s:stop] = D
        if j < len(band.E):
            below = slice(stop, stop + len(band.E[j]))
            B[below, s:stop], B[s:stop, below] = band.E[j], band.E[j].T
        s = stop
    return B


SIZES = [1, WIDTH, WIDTH + 1, 2 * WIDTH - 1, 3 * WIDTH, 600]


@pytest.mark.parametrize("n", SIZES)
def test_reduction(n):
    K = gaussian(rows(n)[0], 0.3)
    band = reduce_to_band(np.tril(K))
    B = dense(band)
    np.testing.assert_allclose(band.Q @ band.Q.T, np.eye(n), atol=1e-13)
    np.testing.assert_allclose(band.Q @ B @ band.Q.T, K, atol=1e-12 * n)
    np.testing.assert_array_equal(np.tril(B, -WIDTH - 1), 0.0)


def test_reduction_of_matrices_with_zeros():
    for A in (np.zeros((200, 200)), np.eye(200), np.diag(np.arange(200.0)), np.ones((200, 200))):
        band = reduce_to_band(A.copy())
        np.testing.assert_allclose(band.Q @ dense(band) @ band.Q.T, A, atol=1e-12)


@pytest.mark.parametrize("n", SIZES)
def test_factor(n):
    K, Y = gaussian(rows(n)[0], 0.3), rows(n)[1]
    band = reduce_to_band(K.copy())
    factor = BandFactor(band, 0.1)
    assert factor.positive
    A = K + 0.1 * np.eye(n)
    half = factor.forward(np.ascontiguousarray((band.Q.T @ Y).T))
    C = band.Q @ factor.backward(np.ascontiguousarray(half.T))
    np.testing.assert_allclose(C, np.linalg.solve(A, Y), rtol=1e-9, atol=1e-10)
    factor.invert_blocks()
    np.testing.assert_allclose(factor.squared_lengths(band.Q), np.diagonal(np.linalg.inv(A)), rtol=1e-10)


def test_a_factor_tells_when_there_is_none():
    K = gaussian(rows(200)[0], 0.3)
    assert not BandFactor(reduce_to_band(K), -0.5).positive


def test_same_bits_on_any_number_of_threads():
    K = gaussian(rows(1100)[0], 0.3)
    bands = []
    for n_threads in (1, 2):
        with surefit.config(n_threads=n_threads):
            bands.append(reduce_to_band(K.copy()))
    assert bands[0].Q.tobytes() == bands[1].Q.tobytes()
    assert all(left.tobytes() == right.tobytes() for left, right in zip(bands[0].D, bands[1].D, strict=True))
