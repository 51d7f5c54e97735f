"""Dual coordinate descent, compiled: against plain NumPy, dense and CSR alike, and its gap against long double."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from surefit import _native
from surefit.solvers.hinge.dual_descent import solve_dual
from surefit.summaries.row_products import csr_parts
from tests.reference import linear_svm as reference
from tests.solvers.hinge.data import problem, rows


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("squared", [False, True])
def test_against_numpy(dtype, squared):
    X, sign, cost = rows(30, 7, seed=1)
    X = X.astype(dtype)
    cost[::9] = 0.0
    upper = np.where(cost > 0, np.inf, 0.0) if squared else cost
    diagonal = np.where(cost > 0, 0.5 / np.where(cost > 0, cost, 1.0), 0.0) if squared else np.zeros(30)
    a, u = np.zeros(30), np.zeros(8)
    _native.dual_descent(X, (sign, upper, diagonal), 1.0, 1e-11, 100_000, 0, a, u)
    _, want = reference.dual_by_coordinates(X, sign, upper, diagonal, 1.0, 1500)
    np.testing.assert_allclose(u, want, atol=1e-6)
    assert (a >= 0).all() and (a <= upper).all() and not a[::9].any()
    again_a, again_u = np.zeros(30), np.zeros(8)
    csr = sp.csr_array(X)
    _native.dual_descent_csr(*csr_parts(csr), 7, (sign, upper, diagonal), 1.0, 1e-11, 100_000, 0, again_a, again_u)
    np.testing.assert_allclose(again_u, u, atol=1e-9)


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_gap_bounds_the_distance(loss):
    X, sign, weight = rows(80, 4, seed=9)
    data, labels = problem(X, sign, weight)
    best = solve_dual(data, labels, 1.0, loss, tol=1e-12, max_iter=100_000)
    for max_iter in (1, 3, 10):
        found = solve_dual(data, labels, 1.0, loss, tol=1e-12, max_iter=max_iter)
        assert found.n_iter == max_iter
        value = reference.objective(X, sign, weight, found.coef, found.intercept, 1.0, loss)
        assert value - best.value <= found.gap * (1 + 1e-9) + 1e-12
