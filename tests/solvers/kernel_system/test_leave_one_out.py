"""Leave-one-out errors in closed form are those of fits without the row."""

from __future__ import annotations

import numpy as np
import pytest

from surefit.solvers.kernel_system.leave_one_out import leave_one_out
from surefit.solvers.kernel_system.path import SMALL
from tests.solvers.kernel_system.matrices import gaussian, linear, rows, system

ALPHAS = np.array([1e-3, 0.3, 20.0])


def refits(K, Y, w, places):
    """yᵢ − f₋ᵢ(xᵢ) by solving the system without row i, (places, t, A)."""
    errors = np.empty((len(places), Y.shape[1], len(ALPHAS)))
    for k, alpha in enumerate(ALPHAS):
        for j, i in enumerate(places):
            rest = np.arange(len(K)) != i
            a = np.linalg.solve(K[np.ix_(rest, rest)] + alpha * np.diag(1 / w[rest]), Y[rest])
            errors[j, :, k] = Y[i] - K[i, rest] @ a
    return errors


@pytest.mark.parametrize("n", [30, SMALL + 30])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("kernel", ["gaussian", "linear"])
def test_errors_are_those_of_refits(n, weighted, kernel):
    X, Y, w = rows(n)
    w = w if weighted else np.ones(n)
    K, make = (gaussian(X, 0.3), system) if kernel == "gaussian" else (X @ X.T, linear)
    left_out = leave_one_out(make(X, w if weighted else None), ALPHAS, Y)
    places = np.arange(0, n, max(1, n // 25))
    np.testing.assert_allclose(left_out.errors[places], refits(K, Y, w, places), rtol=1e-6, atol=1e-7)
    for k, alpha in enumerate(ALPHAS):
        a = left_out.coefficients[:, :, k]
        np.testing.assert_allclose(K @ a + alpha * a / w[:, None], Y, atol=1e-7)


def test_two_rows_by_hand():
    """K = I for far rows: leaving one out predicts 0, whatever the penalty."""
    X = np.array([[0.0], [1e6]])
    left_out = leave_one_out(system(X), ALPHAS, np.array([[3.0], [-4.0]]))
    np.testing.assert_allclose(left_out.errors[:, 0, :], np.array([[3.0], [-4.0]]) * np.ones(3), rtol=1e-12)
