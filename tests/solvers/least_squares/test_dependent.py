"""Sparse columns that depend on each other: the shortest answer, as NumPy's lstsq finds it on centered rows."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from surefit.engine.sources.source import MemorySource
from surefit.solvers.least_squares.dependent import factor_of_dependent
from surefit.solvers.least_squares.least_squares import PLAIN, centered_products, least_squares
from surefit.summaries.moments import MomentsStep


def categories(n, sizes, seed=0):
    """One column for each level of each category: the columns of a category add up to one."""
    rng = np.random.default_rng(seed)
    X = np.hstack([np.eye(size)[rng.integers(size, size=n)] for size in sizes])
    return X, X @ rng.normal(size=X.shape[1]) + rng.normal(size=n)


def found(X, y):
    data = MemorySource(sp.csr_array(X), y)
    center, products = centered_products(data.fold(MomentsStep(True)), data, True)
    return factor_of_dependent(data, center, products, PLAIN)


@pytest.mark.parametrize("targets", [1, 2])
def test_shortest_answer(targets):
    X, y = categories(500, (3, 5, 2))
    Y = np.column_stack([y, y**2])[:, :targets]
    fit = least_squares(MemorySource(sp.csr_array(X), Y), inference=True)
    A, B = X - X.mean(axis=0), Y - Y.mean(axis=0)
    expected, residual, rank, singular = np.linalg.lstsq(A, B, rcond=1e-10)
    residual = ((B - A @ expected) ** 2).sum(axis=0)
    assert fit.rank == rank == X.shape[1] - 3
    np.testing.assert_allclose(fit.coef, expected.T, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(fit.intercept, Y.mean(axis=0) - X.mean(axis=0) @ expected, rtol=1e-10)
    np.testing.assert_allclose(fit.residual_ss, residual, rtol=1e-10)
    np.testing.assert_allclose(fit.singular, singular, rtol=1e-10, atol=1e-7)


def test_factor_has_the_products_of_the_data():
    X, y = categories(300, (4, 3))
    triangle = found(X, y)
    A = np.column_stack([X - X.mean(axis=0), y - y.mean()])
    np.testing.assert_allclose(triangle.T @ triangle, A.T @ A, atol=1e-10)


def test_near_dependence_is_not_taken_for_one():
    X, y = categories(300, (4, 3))
    X[0, 0] += 1e-7  # the products of columns have no digit of it
    assert found(X, y) is None
    A = X - X.mean(axis=0)
    rank = least_squares(MemorySource(sp.csr_array(X), y[:, None]), inference=True).rank
    assert rank == np.linalg.matrix_rank(A, tol=1e-10) == X.shape[1] - 1


def test_independent_columns_are_left_to_cholesky():
    X, y = categories(300, (4, 3))
    assert found(np.delete(X, [0, 4], axis=1), y) is None
