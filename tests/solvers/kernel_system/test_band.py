"""A = Q B Qᵀ: Q orthogonal, B a band, and the factors of B + αI."""

from __future__ import annotations

import numpy as np
import pytest

import surefit
from surefit.solvers.kernel_system.band import WIDTH, Band, band_factors, reduce_to_band
from surefit.solvers.kernel_system.path import BandPath
from tests.solvers.kernel_system.matrices import gaussian, rows


def dense(band: Band) -> np.ndarray:
    B = np.zeros_like(band.turned)
    for d in range(min(WIDTH, len(B) - 1) + 1):
        c = np.arange(len(B) - d)
        B[c + d, c] = B[c, c + d] = band.lower[: len(B) - d, d]
    return B


SIZES = [1, WIDTH, WIDTH + 1, 2 * WIDTH - 1, 3 * WIDTH, 600]


@pytest.mark.parametrize("n", SIZES)
def test_reduction(n):
    K = gaussian(rows(n)[0], 0.3)
    band = reduce_to_band(np.tril(K))
    B = dense(band)
    np.testing.assert_allclose(band.turned @ band.turned.T, np.eye(n), atol=1e-13)
    np.testing.assert_allclose(band.turned.T @ B @ band.turned, K, atol=1e-12 * n)
    assert band.lower.shape == (n, WIDTH + 1)


def test_reduction_of_matrices_with_zeros():
    for A in (np.zeros((200, 200)), np.eye(200), np.diag(np.arange(200.0)), np.ones((200, 200))):
        band = reduce_to_band(A.copy())
        np.testing.assert_allclose(band.turned.T @ dense(band) @ band.turned, A, atol=1e-12)


@pytest.mark.parametrize("n", SIZES)
def test_factors(n):
    band = reduce_to_band(gaussian(rows(n)[0], 0.3))
    alphas = np.array([0.1, 3.0])
    factors = band_factors(band, alphas)
    assert factors is not None
    for lower, alpha in zip(factors, alphas, strict=True):
        L = np.tril(dense(Band(band.turned, lower)))
        np.testing.assert_allclose(L @ L.T, dense(band) + alpha * np.eye(n), atol=1e-12 * n)


@pytest.mark.parametrize("n", SIZES)
def test_solutions_and_the_diagonal_of_the_inverse(n):
    K, Y = gaussian(rows(n)[0], 0.3), rows(n)[1]
    path = BandPath(reduce_to_band(K.copy()))
    A = K + 0.1 * np.eye(n)
    np.testing.assert_allclose(path.solve(0.1, Y), np.linalg.solve(A, Y), rtol=1e-9, atol=1e-10)
    np.testing.assert_allclose(path.inverse_diagonal(0.1), np.diagonal(np.linalg.inv(A)), rtol=1e-10)


def test_there_are_no_factors_where_one_is_not_positive_definite():
    band = reduce_to_band(gaussian(rows(200)[0], 0.3))
    assert band_factors(band, np.array([1.0, -0.5])) is None


def test_same_bits_on_any_number_of_threads():
    K = gaussian(rows(1100)[0], 0.3)
    bands = []
    for n_threads in (1, 2):
        with surefit.config(n_threads=n_threads):
            bands.append(reduce_to_band(K.copy()))
    assert bands[0].turned.tobytes() == bands[1].turned.tobytes()
    assert bands[0].lower.tobytes() == bands[1].lower.tobytes()
