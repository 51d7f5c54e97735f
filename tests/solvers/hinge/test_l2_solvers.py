"""Hinge and squared hinge with an L2 penalty: three ways to the same minimum, against a slow one and by duality."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize

from surefit.solvers.hinge.dual_descent import solve_dual
from surefit.solvers.hinge.hinge import solve_hinge
from surefit.solvers.hinge.squared_hinge import solve_squared_hinge
from tests.reference import linear_svm as reference
from tests.solvers.hinge.data import problem, rows


def lower_bound(X, sign, cost, scale, loss):
    """The dual value that scipy's L-BFGS-B comes to, evaluated in long double."""
    diagonal = 0.5 / cost if loss == "squared_hinge" else np.zeros(len(cost))
    rows = np.column_stack([X, np.full(len(sign), scale)]) * sign[:, None]
    bounds = [(0.0, None if loss == "squared_hinge" else c) for c in cost]

    def minus(a):
        u = a @ rows
        return 0.5 * u @ u + 0.5 * diagonal @ a**2 - a.sum(), rows @ u + diagonal * a - 1.0

    options = {"maxiter": 20_000, "maxfun": 40_000, "ftol": 1e-16, "gtol": 1e-10, "maxcor": 50}
    a = minimize(minus, np.zeros(len(cost)), jac=True, bounds=bounds, method="L-BFGS-B", options=options).x
    a = np.maximum(a, 0.0).astype(np.longdouble)
    u = a @ rows.astype(np.longdouble)
    return float(a.sum() - 0.5 * (diagonal * a**2).sum() - 0.5 * u @ u)


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
@pytest.mark.parametrize("scale", [1.0, 5.0, 0.0])
@pytest.mark.parametrize("sparse", [False, True])
def test_against_slow_descent(loss, scale, sparse):
    X, sign, weight = rows(120, 5)
    data, labels = problem(X, sign, weight, C=0.7, sparse=sparse)
    solve = solve_hinge if loss == "hinge" else solve_squared_hinge
    found = solve(data, labels, scale, tol=1e-9, max_iter=500)
    value = reference.objective(X, sign, 0.7 * weight, found.coef, found.intercept, scale, loss)
    assert found.value == pytest.approx(value, rel=1e-12)
    assert found.gap <= 1e-9 * value
    lower = lower_bound(X, sign, 0.7 * weight, scale, loss)
    assert -1e-12 * value <= value - lower <= 1e-4 * value  # as near as L-BFGS-B comes
    if scale == 0:
        assert found.intercept == 0.0


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
@pytest.mark.parametrize("spread, C", [(0.0, 1.0), (3.0, 1.0), (3.0, 1e3), (0.0, 1e5), (0.0, 1e-5)])
def test_scales_and_costs(loss, spread, C):
    """The gap is below 1e-6 of the value, and Newton's answer and dual descent's agree within their gaps."""
    X, sign, weight = rows(400, 6, seed=3, spread=spread)
    data, labels = problem(X, sign, weight, C)
    solve = solve_hinge if loss == "hinge" else solve_squared_hinge
    found = solve(data, labels, 1.0, tol=1e-6, max_iter=1000)
    value = reference.objective(X, sign, C * weight, found.coef, found.intercept, 1.0, loss)
    assert found.gap <= 1e-6 * value
    slow = solve_dual(data, labels, 1.0, loss, tol=1e-6, max_iter=200)
    at_slow = reference.objective(X, sign, C * weight, slow.coef, slow.intercept, 1.0, loss)
    assert slow.value == pytest.approx(at_slow, rel=1e-9)
    assert value <= at_slow + 1e-6 * value and at_slow - slow.gap <= value * (1 + 1e-9)


def test_squared_hinge_is_smooth_minimum():
    """scipy's BFGS on the same function."""
    X, sign, weight = rows(200, 4, seed=5)
    data, labels = problem(X, sign, weight)
    found = solve_squared_hinge(data, labels, 1.0, tol=1e-12, max_iter=100)

    def value(v):
        return reference.objective(X, sign, weight, v[:-1], v[-1])

    best = minimize(value, np.zeros(5), method="BFGS", options={"gtol": 1e-9})
    np.testing.assert_allclose(np.append(found.coef, found.intercept), best.x, atol=1e-6)


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_one_row_of_each_class(loss):
    """x = ±1, no intercept: the hinge has w = 1 for C ≥ ½, the squared hinge w = 4C/(1 + 4C)."""
    data, labels = problem(np.array([[1.0], [-1.0]]), np.array([1.0, -1.0]), None, C=2.0)
    solve = solve_hinge if loss == "hinge" else solve_squared_hinge
    found = solve(data, labels, 0.0, tol=1e-12, max_iter=100)
    np.testing.assert_allclose(found.coef, [1.0 if loss == "hinge" else 8.0 / 9.0], rtol=1e-12)


def test_many_leaves_start_from_a_few():
    X, sign, weight = rows(20_000, 4, seed=7)
    data, labels = problem(X, sign, weight)
    found = solve_squared_hinge(data, labels, 1.0, tol=1e-12, max_iter=100)
    assert found.gap <= 1e-20 * found.value
    assert found.value == pytest.approx(reference.objective(X, sign, weight, found.coef, found.intercept), rel=1e-12)


@pytest.mark.parametrize("solve", [solve_hinge, solve_squared_hinge])
def test_stops_when_told(solve):
    X, sign, weight = rows()
    told = []
    found = solve(*problem(X, sign, weight), 1.0, tol=1e-9, max_iter=50, after_step=lambda *a: told.append(a) or True)
    assert found.n_iter == len(told) == 1


def test_hinge_where_liblinear_stalls():
    """scikit-learn #22283: columns of unequal scale; a few steps find the minimum that 1,000 epochs do not."""
    from sklearn.datasets import load_breast_cancer
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.svm import LinearSVC

    X, y = load_breast_cancer(return_X_y=True)
    sign = np.where(y == 1, 1.0, -1.0)
    found = solve_hinge(*problem(X, sign, np.ones(len(y))), 1.0, tol=1e-6, max_iter=1000)
    with pytest.warns(ConvergenceWarning):
        theirs = LinearSVC(loss="hinge", random_state=0).fit(X, y)
    at_theirs = reference.objective(X, sign, np.ones(len(y)), theirs.coef_[0], theirs.intercept_[0], 1.0, "hinge")
    value = reference.objective(X, sign, np.ones(len(y)), found.coef, found.intercept, 1.0, "hinge")
    assert found.gap <= 1e-6 * value and value < at_theirs


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_columns_far_from_zero(loss):
    X, sign, weight = rows(300, 5, seed=6, offset=1e6)
    solve = solve_hinge if loss == "hinge" else solve_squared_hinge
    found = solve(*problem(X, sign, weight), 1.0, tol=1e-6, max_iter=1000)
    value = reference.objective(X, sign, weight, found.coef, found.intercept, 1.0, loss)
    assert found.gap <= 1e-6 * value and found.value == pytest.approx(value, rel=1e-7)


def test_equal_rows_of_both_classes():
    """Every row stands in both classes: nothing beats zero, and the gap says so."""
    X = np.repeat(np.random.default_rng(0).normal(size=(4, 3)), 10, axis=0)
    found = solve_hinge(*problem(X, np.tile([1.0, -1.0], 20), None), 1.0, tol=1e-9, max_iter=100)
    assert found.gap <= 1e-9 * found.value and found.value == pytest.approx(40.0, rel=1e-12)
    np.testing.assert_allclose(found.coef, 0.0, atol=1e-9)
