"""The shortest θ with margins of at least one on few rows: the conditions of a minimum, and SciPy's SLSQP."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize

from surefit.solvers.margin.least_distance import FewRows
from surefit.solvers.margin.signed_rows import SignedRows


def problem(n, d, seed):
    rng = np.random.default_rng(seed)
    direction = rng.normal(size=d)
    X = rng.normal(size=(n, d))
    scores = X @ direction
    X += np.outer(np.sign(scores), direction) * 0.3
    return X, np.sign(scores)


@pytest.mark.parametrize(("n", "d"), [(20, 3), (80, 40), (6, 10)])
@pytest.mark.parametrize("seed", range(3))
def test_conditions_of_the_minimum(n, d, seed):
    X, sign = problem(n, d, seed)
    rows = SignedRows(X, sign, False)
    few = FewRows(rows, np.arange(n))
    theta, multipliers = few.shortest(np.arange(n) < d, 10.0)
    A = rows.take(np.arange(n))
    margins = A @ theta
    assert (margins >= 1 - 1e-9).all() and (multipliers >= 0).all()
    np.testing.assert_allclose(A.T @ multipliers, theta, rtol=1e-7, atol=1e-7 * np.abs(theta).max())
    np.testing.assert_allclose(margins[multipliers > 0], 1.0, rtol=1e-8)


def test_against_a_quadratic_program():
    X, sign = problem(15, 3, 5)
    rows = SignedRows(X, sign, True)
    theta, _ = FewRows(rows, np.arange(15)).shortest(np.arange(15) < 4, 10.0)
    A = rows.take(np.arange(15))
    constraints = {"type": "ineq", "fun": lambda t: A @ t - 1, "jac": lambda t: A}
    expected = minimize(lambda t: t @ t, 2 * theta, jac=lambda t: 2 * t, constraints=constraints, tol=1e-14)
    np.testing.assert_allclose(theta, expected.x, rtol=1e-5)


def test_dependent_rows_are_no_guess():
    rows = SignedRows(np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]]), np.ones(3), False)
    few = FewRows(rows, np.arange(3))
    assert few.on_the_margin(np.array([0, 1])) is None
    theta, multipliers = few.on_the_margin(np.array([0, 2]))
    np.testing.assert_allclose(theta * rows.scale, [1.0, 1.0], rtol=1e-14)
    np.testing.assert_allclose(multipliers * rows.scale**2, [1.0, 1.0], rtol=1e-14)
