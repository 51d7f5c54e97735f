"""Gram blocks: digits at large offsets, exact diagonals, symmetry to the bit, same bits in any block and thread."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest
import scipy.sparse as sp
from threadpoolctl import threadpool_limits

import surefit
from surefit._core.errors import TooMuchMemory
from surefit.kernels import (
    Chi2,
    Cosine,
    Gaussian,
    GramRows,
    InverseMultiquadric,
    Kernel,
    Laplacian,
    Linear,
    Multiquadric,
    Polynomial,
    Sigmoid,
)
from surefit.kernels.blocks import sq_dist_block
from surefit.kernels.rows import Rows
from tests.reference import gram as reference

CLOSE = {np.float64: 1e-4, np.float32: 1 / 64}
"""Below this share of the norms a squared distance is summed from differences."""

ALL: list[Kernel] = [
    Linear(),
    Polynomial(4, 0.3, 0.5),
    Sigmoid(0.1, 0.2),
    Cosine(),
    Gaussian(0.4),
    Laplacian(0.4),
    Multiquadric(0.7),
    InverseMultiquadric(0.7),
    Chi2(0.5),
]


def points(n: int, d: int, dtype: type = np.float64, seed: int = 0) -> np.ndarray:
    """With equal rows, rows a rounding apart, a constant column."""
    X = np.random.default_rng(seed).uniform(0, 3, size=(n, d))
    X[1] = X[0]
    X[2] = X[0] * (1 + 1e-6)
    X[:, -1] = 1
    return X.astype(dtype)


@pytest.mark.parametrize("offset", [0.0, 1e3, 1e8])
@pytest.mark.parametrize("gamma", [1e-3, 0.7, 1e4])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_gaussian_values_at_any_offset(offset, gamma, dtype):
    """The error is absolute: at most 0.37 times the relative one of ‖x − x'‖², whatever gamma."""
    X = (points(40, 6) + offset).astype(dtype)
    Y = (points(25, 6, seed=1) + offset).astype(dtype)
    bound = 0.37 * 16 * np.finfo(dtype).eps / CLOSE[dtype]
    assert np.abs(Gaussian(gamma)(X, Y) - reference.gaussian(X, Y, gamma)).max() <= bound
    assert np.abs(Gaussian(gamma)(X) - reference.gaussian(X, X, gamma)).max() <= bound


@pytest.mark.parametrize("offset", [0.0, 1e8])
def test_squared_distances_against_exact_arithmetic(offset):
    X, Y = points(12, 5) + offset, points(9, 5, seed=1) + offset
    A = Rows.of(Gaussian(), X)
    found = sq_dist_block(A, A.like(Y))
    for i in range(len(X)):
        for j in range(len(Y)):
            with mpmath.workdps(60):
                exact = mpmath.fsum((mpmath.mpf(a) - mpmath.mpf(b)) ** 2 for a, b in zip(X[i], Y[j], strict=True))
                assert abs(mpmath.mpf(found[i, j]) - exact) <= exact * 16 * 2.0**-53 / 1e-4


@pytest.mark.parametrize(
    ("kernel", "expected"),
    [
        (Polynomial(4, 0.3, 0.5), lambda X, Y: reference.polynomial(X, Y, 4, 0.3, 0.5)),
        (Linear(), reference.dot),
        (Laplacian(0.2), lambda X, Y: reference.laplacian(X, Y, 0.2)),
        (Chi2(0.3), lambda X, Y: reference.chi2(X, Y, 0.3)),
    ],
)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("width", [1, 3, 8, 17, 300])
def test_values_of_every_compiled_form(kernel, expected, dtype, width):
    X, Y = points(29, width, dtype), points(7, width, dtype, seed=1)
    want = expected(X, Y)
    slack = (width + 8) * 4 * np.finfo(dtype).eps  # one rounding for each column, four times over for the power
    np.testing.assert_array_less(np.abs(kernel(X, Y) - want), slack * np.maximum(np.abs(want), 1) + 1e-300)


@pytest.mark.parametrize("kernel", ALL, ids=str)
@pytest.mark.parametrize("sparse", [False, True])
def test_the_diagonal_is_that_of_the_formula(kernel, sparse):
    X = points(30, 5)
    expected = np.array([kernel(x, x) for x in X])
    A = sp.csr_array(X) if sparse else X
    np.testing.assert_allclose(kernel.diagonal(A), expected, rtol=1e-14)
    np.testing.assert_allclose(np.diagonal(kernel(A)), expected, rtol=1e-14)
    if isinstance(kernel, (Gaussian, Laplacian, Chi2)):
        assert (kernel.diagonal(A) == 1).all() and (np.diagonal(kernel(A)) == 1).all()
        assert kernel(A)[0, 1] == 1  # equal rows


@pytest.mark.parametrize("kernel", ALL, ids=str)
@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_symmetric_to_the_bit_and_the_same_in_every_block(kernel, sparse, dtype):
    X = points(150, 7, dtype)
    A = sp.csr_array(X * (X > 1)) if sparse else X
    K = kernel(A)
    assert (K == K.T).all()
    gram = GramRows(kernel, A)
    rows, columns = np.array([149, 3, 3, 77]), np.array([5, 1, 148])
    assert (gram.rows(rows) == K[rows]).all()
    assert (gram.rows(rows, columns) == K[np.ix_(rows, columns)]).all()
    assert (gram.subset(columns).rows([0, 2]) == K[np.ix_(columns[[0, 2]], columns)]).all()
    assert (gram.rows(slice(10, 20)) == K[10:20]).all()


@pytest.mark.parametrize("sparse", [False, True])
def test_same_bits_on_any_number_of_threads(sparse):
    X = points(1500, 9)
    A = sp.csr_array(X * (X > 2)) if sparse else X
    with surefit.config(n_threads=1):
        one = Gaussian(0.3)(A)
    assert (Gaussian(0.3)(A) == one).all()
    with threadpool_limits(1):
        assert (Gaussian(0.3)(A) == one).all()


def test_single_precision_is_asked_for_by_dtype():
    X = points(40, 5)
    gram = GramRows(Gaussian(0.5), X, dtype=np.float32)
    assert gram.dtype == np.float32
    assert gram.rows([1, 2]).dtype == np.float32
    np.testing.assert_allclose(gram.rows(np.arange(40)), reference.gaussian(X, X, 0.5), atol=1e-5)


def test_indices_of_64_bits_and_dense_rows_against_sparse_ones():
    X, Y = points(20, 6), points(9, 6, seed=1)
    wide = sp.csr_array(X * (X > 1))
    wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
    narrow = sp.csr_array(Y)
    k = Gaussian(0.2)
    np.testing.assert_allclose(k(wide, narrow), k(X * (X > 1), Y), rtol=1e-12)
    np.testing.assert_allclose(k(wide, Y), k(X * (X > 1), Y), rtol=1e-12)
    np.testing.assert_allclose(k(X, narrow), k(X, Y), rtol=1e-12)


def test_numbers_whose_squares_leave_floating_point():
    X = np.array([[1e200, 0.0], [1e200, 0.0], [-1e200, 1.0]])
    with np.errstate(over="ignore"):
        assert (Gaussian(1.0)(X) == [[1, 1, 0], [1, 1, 0], [0, 0, 1]]).all()


def test_a_matrix_that_does_not_fit_is_refused_with_the_alternative():
    with surefit.config(memory_limit=1000), pytest.raises(TooMuchMemory, match="gram_blocks"):
        Gaussian()(points(40, 3))
