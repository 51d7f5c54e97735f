"""All penalties from one decomposition: band form, eigenvalues and low rank agree with NumPy's inverse."""

from __future__ import annotations

import numpy as np
import pytest

import surefit
from surefit._core.errors import TooMuchMemory
from surefit.kernels import Multiquadric
from surefit.solvers.kernel_system.low_rank import LowRank, suits_low_rank
from surefit.solvers.kernel_system.path import SMALL, BandPath, Eigen, penalty_path
from tests.solvers.kernel_system.matrices import gaussian, linear, rows, system

ALPHAS = np.array([1e-3, 0.1, 10.0])


def assert_inverts(path, A, Y):
    for alpha in ALPHAS:
        inverse = np.linalg.inv(A + alpha * np.eye(len(A)))
        np.testing.assert_allclose(path.solve(alpha, Y), inverse @ Y, rtol=1e-7, atol=1e-8 * np.abs(inverse @ Y).max())
        np.testing.assert_allclose(path.inverse_diagonal(alpha), np.diagonal(inverse), rtol=1e-8)


@pytest.mark.parametrize(("n", "kind"), [(40, Eigen), (SMALL + 60, BandPath), (1000, BandPath)])
@pytest.mark.parametrize("weighted", [False, True])
def test_gaussian(n, kind, weighted):
    X, Y, w = rows(n)
    K = gaussian(X, 0.3)
    path = penalty_path(system(X, w if weighted else None), ALPHAS)
    assert isinstance(path, kind)
    assert_inverts(path, K * np.sqrt(np.outer(w, w)) if weighted else K, Y)


@pytest.mark.parametrize("weighted", [False, True])
def test_linear_kernels_have_low_rank(weighted):
    X, Y, w = rows(80, 5)
    path = penalty_path(linear(X, w if weighted else None), ALPHAS)
    assert isinstance(path, LowRank)
    F = X * np.sqrt(w)[:, None] if weighted else X
    assert_inverts(path, F @ F.T, Y)


def test_low_rank_is_for_more_rows_than_columns():
    assert suits_low_rank(linear(rows(20, 10)[0]))
    assert not suits_low_rank(linear(rows(19, 10)[0]))
    assert not suits_low_rank(system(rows(90)[0]))


def test_low_rank_of_dependent_columns():
    X, Y, _ = rows(60, 4)
    X = np.column_stack([X, X[:, 0] + X[:, 1], np.zeros(60)])
    assert_inverts(LowRank(linear(X)), X @ X.T, Y)


@pytest.mark.parametrize("n", [60, SMALL + 40])
def test_indefinite_kernels_fall_back_on_eigenvalues(n):
    X, Y, _ = rows(n)
    K = np.sqrt(1 + ((X[:, None] - X) ** 2).sum(axis=2))
    path = penalty_path(system(X, None, Multiquadric(1.0)), np.array([0.1]))
    assert isinstance(path, Eigen)
    assert path.trouble(0.1) == "indefinite"
    np.testing.assert_allclose(path.solve(0.1, Y), np.linalg.solve(K + 0.1 * np.eye(n), Y), rtol=1e-6, atol=1e-7)


def test_singular_systems_have_the_least_squares_answer_of_least_norm():
    X, Y, _ = rows(30, 4)
    for path in (Eigen(X @ X.T), LowRank(linear(X))):
        assert path.trouble(0.0) == "singular" and path.trouble(1.0) == ""
        np.testing.assert_allclose(path.solve(0.0, Y), np.linalg.pinv(X @ X.T, rcond=1e-10) @ Y, rtol=1e-8, atol=1e-10)


def test_memory_is_estimated_first():
    X, _, _ = rows(5000, 2)
    with surefit.config(memory_limit=2**26), pytest.raises(TooMuchMemory, match=r"MiB.*cv=5"):
        penalty_path(system(X), ALPHAS)
