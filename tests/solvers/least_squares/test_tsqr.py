"""The triangular factor of tall data, merged leaf by leaf, against that of all rows."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from surefit.engine.sources.block import Block
from surefit.solvers.least_squares.tsqr import Shift, TriangularStep, shifted_rows, triangular_factor
from tests.solvers.least_squares.data import problem, source


@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("sparse", [False, True])
def test_its_products_are_those_of_the_data(intercept, sparse):
    X, Y, w = problem(9000, 3)
    center = np.append(X.mean(axis=0), Y.mean(axis=0)) if intercept else np.zeros(5)
    R = triangular_factor(source(sp.csr_array(X) if sparse else X, Y, w), center, intercept)
    Z = np.column_stack([X, Y])
    Z = np.sqrt(w)[:, None] * (Z - (np.average(Z, axis=0, weights=w) if intercept else 0.0))
    np.testing.assert_allclose(R.T @ R, Z.T @ Z, rtol=1e-11, atol=1e-8)
    assert np.allclose(R, np.triu(R))


def test_condition_is_not_squared():
    """Columns x and x + 1e-9·z: R shows their singular values, products of columns would show nothing."""
    rng = np.random.default_rng(0)
    x, z = rng.normal(size=(2, 5000))
    X = np.column_stack([x, x + 1e-9 * z])
    R = triangular_factor(source(X, x), np.zeros(3), False)[:, :2]
    found, expected = np.linalg.svd(R, compute_uv=False), np.linalg.svd(X, compute_uv=False)
    np.testing.assert_allclose(found, expected, rtol=1e-6)


def test_rows_are_shifted_scaled_and_weighted():
    leaf = Block(np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([5.0, 6.0]), np.array([4.0, 1.0]), 0, 256)
    shift = Shift(np.array([1.0, 1.0, 5.0]), np.array([1.0, 2.0, 0.5]), True)
    assert shifted_rows(shift, leaf).tolist() == [[2.0, 0.0, 4.0, 0.0], [1.0, 2.0, 6.0, 0.5]]
    R = TriangularStep().map_leaf(shift, leaf)
    np.testing.assert_allclose(R.T @ R, shifted_rows(shift, leaf).T @ shifted_rows(shift, leaf), atol=1e-12)
