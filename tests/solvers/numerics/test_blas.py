"""Products and triangular solves in place on views, against plain NumPy."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from surefit.solvers.numerics.blas import (
    add_product,
    add_square,
    cholesky,
    divide_left,
    divide_right,
    factorize_band,
    qr,
    solve_band,
)

RNG = np.random.default_rng(0)


def view(m, n):
    """Part of a larger row-major matrix, as tiles are."""
    return RNG.normal(size=(m + 3, n + 5))[1 : m + 1, 2 : n + 2]


def positive_definite(n):
    A = RNG.normal(size=(n, n))
    return A @ A.T + n * np.eye(n)


@pytest.mark.parametrize(("m", "n", "k"), [(7, 4, 5), (1, 1, 1), (64, 33, 70), (5, 1, 9), (1, 6, 3)])
def test_add_product(m, n, k):
    C, A, B = view(m, n), view(m, k), view(k, n)
    expected = C - 2.0 * A @ B
    for transpose_A, transpose_B in [(False, False), (True, False), (False, True), (True, True)]:
        result = C.copy()
        left = np.ascontiguousarray(A.T) if transpose_A else A
        right = np.ascontiguousarray(B.T) if transpose_B else B
        add_product(result, left, right, -2.0, transpose_A=transpose_A, transpose_B=transpose_B)
        np.testing.assert_allclose(result, expected, rtol=1e-12, atol=1e-12)


def test_nothing_to_multiply():
    C = np.ones((3, 2))
    add_product(C, np.empty((3, 0)), np.empty((0, 2)), 1.0)
    add_product(C[:0], np.empty((0, 4)), np.empty((4, 2)), 1.0)
    np.testing.assert_array_equal(C, 1.0)


def test_add_square_touches_one_triangle():
    C, A = view(6, 6), view(6, 3)
    expected = np.tril(C + 3.0 * A @ A.T) + np.triu(C, 1)
    add_square(C, A, 3.0)
    np.testing.assert_allclose(C, expected, rtol=1e-12)


@pytest.mark.parametrize(("m", "n"), [(1, 1), (30, 5), (5, 5), (3, 8)])
def test_qr(m, n):
    A = view(m, n)
    packed, tau = qr(A)
    product = np.triu(packed)
    for i in reversed(range(len(tau))):
        v = np.concatenate([np.zeros(i), [1.0], packed[i + 1 :, i]])
        product -= tau[i] * np.outer(v, v @ product)
    np.testing.assert_allclose(product, A, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(("n", "width"), [(1, 2), (7, 2), (50, 9)])
def test_band(n, width):
    lower = RNG.normal(size=(n, width + 1))
    lower[:, 0] = 10.0 * (width + 1)
    B = np.diag(lower[:, 0])
    for d in range(1, min(width, n - 1) + 1):
        B += np.diag(lower[: n - d, d], -d) + np.diag(lower[: n - d, d], d)
    Y = RNG.normal(size=(3, n))
    expected = np.linalg.solve(B, Y.T).T
    assert factorize_band(lower)
    np.testing.assert_allclose(lower[:, 0], np.diagonal(np.linalg.cholesky(B)), rtol=1e-12)
    solve_band(lower, Y)
    np.testing.assert_allclose(Y, expected, rtol=1e-12, atol=1e-14)
    assert not factorize_band(-lower)


def test_cholesky_and_triangular_solves():
    A = positive_definite(20)
    L = A.copy()
    assert cholesky(L)
    np.testing.assert_allclose(np.tril(L), np.linalg.cholesky(A), rtol=1e-12, atol=1e-12)
    np.testing.assert_array_equal(np.triu(L, 1), np.triu(A, 1))
    lower = np.tril(L)
    B = view(5, 20)
    expected = np.linalg.solve(lower, B.T).T
    divide_right(B, L)
    np.testing.assert_allclose(B, expected, rtol=1e-11, atol=1e-13)
    for transpose, matrix in [(False, lower), (True, lower.T)]:
        B = view(20, 3)
        expected = np.linalg.solve(matrix, B)
        divide_left(L, B, transpose=transpose)
        np.testing.assert_allclose(B, expected, rtol=1e-11, atol=1e-13)


def test_indefinite_is_told():
    assert not cholesky(np.array([[1.0, 0.0], [2.0, 1.0]]))
    assert not cholesky(np.zeros((3, 3)))


def test_threads_do_not_disturb_each_other():
    A, B = view(200, 150), view(150, 120)
    results = [np.zeros((200, 120)) for _ in range(4)]
    threads = [threading.Thread(target=add_product, args=(C, A, B, 1.0)) for C in results]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for C in results:
        np.testing.assert_allclose(C, A @ B, rtol=1e-12, atol=1e-12)
