"""Coefficients ≥ 0 against SciPy's nnls on all rows, and against the conditions of a minimum."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import nnls

from surefit.solvers.least_squares.nonnegative import nonnegative_least_squares
from tests.solvers.least_squares.data import problem, source


@pytest.mark.parametrize(("n", "d"), [(60, 4), (6, 9)])
@pytest.mark.parametrize("alpha", [0.0, 3.0])
@pytest.mark.parametrize("fit_intercept", [False, True])
def test_against_all_rows(n, d, alpha, fit_intercept):
    X, Y, w = problem(n, d)
    found = nonnegative_least_squares(source(X, Y, w), alpha=np.full(2, alpha), fit_intercept=fit_intercept)
    assert (found.coef >= 0).all()
    mean = (lambda Z: np.average(Z, axis=0, weights=w)) if fit_intercept else (lambda Z: np.zeros(Z.shape[1]))
    A = np.vstack([np.sqrt(w)[:, None] * (X - mean(X)), np.sqrt(alpha) * np.eye(d)])
    for k in range(2):
        b = np.append(np.sqrt(w) * (Y[:, k] - mean(Y)[k]), np.zeros(d))
        best = nnls(A, b)[1]
        assert np.linalg.norm(A @ found.coef[k] - b) <= best * (1 + 1e-12) + 1e-12
        slope = A.T @ (b - A @ found.coef[k])
        size = 1e-9 * np.abs(A).T @ np.abs(b)
        assert (slope <= size).all() and (np.abs(slope[found.coef[k] > 0]) <= size[found.coef[k] > 0]).all()
    np.testing.assert_allclose(found.intercept, mean(Y) - found.coef @ mean(X), rtol=1e-10, atol=1e-10)


def test_columns_of_zeros_and_a_target_of_zeros():
    X = np.column_stack([np.zeros(5), np.arange(5.0)])
    found = nonnegative_least_squares(source(X, -np.arange(5.0)), fit_intercept=False)
    assert found.coef.tolist() == [[0.0, 0.0]]
    assert nonnegative_least_squares(source(X, np.zeros(5))).coef.tolist() == [[0.0, 0.0]]
