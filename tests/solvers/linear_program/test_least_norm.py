"""Of many optimal points the shortest, against closed forms and a quadratic program."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize

from surefit.solvers.linear_program.least_norm import Optimum, least_norm
from surefit.solvers.linear_program.scaled_rows import ScaledRows

NONE = np.zeros(0, dtype=np.intp)


def optimum(X, y, equal, side, fit_intercept=False):
    rows = ScaledRows(X, None, fit_intercept)
    free = np.zeros(X.shape[1], dtype=np.intp)
    return Optimum(rows, y, np.asarray(equal, dtype=np.intp), np.asarray(side), NONE, free)


def test_equations_alone():
    """One equation in three unknowns: the multiple of its row."""
    X, y = np.array([[1.0, 2.0, 2.0]]), np.array([9.0])
    coef, intercept = least_norm(optimum(X, y, [0], [0]), np.zeros(3))
    np.testing.assert_allclose(coef, [1.0, 2.0, 2.0], rtol=1e-12)
    assert intercept == 0.0


def test_a_unique_point_is_left_alone():
    X, y = np.eye(2), np.array([1.0, 2.0])
    assert least_norm(optimum(X, y, [0, 1], [0, 0]), np.zeros(2)) is None


@pytest.mark.parametrize("seed", range(8))
def test_inequalities_against_a_quadratic_program(seed):
    """min ‖w‖² such that side·(y − Xw) ≥ 0, SciPy's SLSQP."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(12, 4))
    inside = rng.normal(size=4)
    r = rng.normal(size=12)
    y, side = X @ inside + r, np.sign(r).astype(int)
    scaled = optimum(X, y, [], side)
    found = least_norm(scaled, inside * scaled.rows.scale)
    assert found is not None
    constraints = {"type": "ineq", "fun": lambda w: side * (y - X @ w), "jac": lambda w: -side[:, None] * X}
    expected = minimize(lambda w: w @ w, inside, jac=lambda w: 2 * w, constraints=constraints, tol=1e-14)
    assert (side * (y - X @ found[0]) >= -1e-9).all()
    np.testing.assert_allclose(found[0], expected.x, rtol=1e-5, atol=1e-6)


def test_the_middle_of_an_interval():
    """The median of an even number of values, with nothing but an intercept."""
    X, y = np.zeros((4, 1)), np.array([1.0, 2.0, 6.0, 9.0])
    rows = ScaledRows(X, None, True)
    assert rows.constant.all()
    found = Optimum(rows, y, NONE, np.array([-1, -1, 1, 1]), np.array([0]), np.zeros(1, dtype=np.intp))
    coef, intercept = least_norm(found, np.array([3.0]))
    assert coef.tolist() == [0.0] and intercept == pytest.approx(4.0, rel=1e-14)
