"""Whitening and Fisher's directions against SciPy's generalised eigenvalues."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.linalg

from surefit.solvers.discriminant.discriminant import (
    fisher_from_matrix,
    fisher_from_means,
    gaussian_axes,
    symmetric_signs,
    whitening,
    whitening_of_rows,
)


@pytest.fixture
def problem():
    rng = np.random.default_rng(0)
    A = rng.normal(size=(50, 4)) * [1.0, 1e3, 1e-3, 1.0]
    return A.T @ A / 50, rng.normal(size=(3, 4)) * [1.0, 1e3, 1e-3, 1.0], np.array([0.2, 0.3, 0.5])


def test_whitening_makes_the_identity(problem):
    C = problem[0]
    T = whitening(C, np.zeros(4), 0.0)
    np.testing.assert_allclose(T.T @ C @ T, np.eye(4), atol=1e-12)
    dependent = np.array([[1.0, 2.0, 0.0], [2.0, 4.0, 0.0], [0.0, 0.0, 0.0]])
    T = whitening(dependent, np.zeros(3), 0.0)
    assert T.shape == (3, 1) and not T[2].any()
    assert T.T @ dependent @ T == pytest.approx(1.0)
    assert whitening(np.zeros((2, 2)), np.ones(2), 0.0).shape == (2, 0)


def test_whitening_of_rows_is_that_of_their_products():
    A = np.random.default_rng(1).normal(size=(3, 6))
    T = whitening_of_rows(A, np.zeros(6), 0.0)
    assert T.shape == (6, 3)
    np.testing.assert_allclose(T.T @ (A.T @ A) @ T, np.eye(3), atol=1e-12)


def test_fisher_is_the_generalised_eigenvalue_problem(problem):
    C, means, shares = problem
    center = shares @ means
    B = (means - center).T @ (shares[:, None] * (means - center))
    T = whitening(C, np.zeros(4), 0.0)
    expected = scipy.linalg.eigh(B, C, eigvals_only=True)[::-1]
    values, V = fisher_from_means(T, means, shares, center, 1e-10)
    np.testing.assert_allclose(values[:2], expected[:2], rtol=1e-10)
    assert V.shape == (4, 2)
    np.testing.assert_allclose(B @ V, C @ V * values[:2], rtol=1e-8, atol=1e-8 * np.abs(B @ V).max())
    same, W = fisher_from_matrix(T, B)
    np.testing.assert_allclose(same[:2], expected[:2], rtol=1e-9)
    np.testing.assert_allclose(W[:, :2], V, rtol=1e-6, atol=1e-9 * np.abs(V).max())


def test_axes_of_a_gaussian(problem):
    C = problem[0]
    variances, axes = gaussian_axes(C)
    np.testing.assert_allclose(axes * variances @ axes.T, C, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(axes.T @ axes, np.eye(4), atol=1e-12)
    variances, _ = gaussian_axes(np.ones((2, 2)))
    np.testing.assert_allclose(variances, [2.0, 0.0], atol=1e-15)


def test_signs():
    assert symmetric_signs(np.array([[1.0, -3.0], [-2.0, 1.0]])).tolist() == [[-1.0, 3.0], [2.0, -1.0]]
