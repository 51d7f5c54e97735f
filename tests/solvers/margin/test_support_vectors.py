"""The two dual programs against SciPy's general solver of small programs, and where they have no answer."""

from __future__ import annotations

import time

import numpy as np
import pytest
from scipy.optimize import minimize

from surefit.kernels import Gaussian, GramRows, Linear
from surefit.solvers.margin.simplified_smo import simplified_smo
from surefit.solvers.margin.support_vectors import Limits, regress, separate, soft_instead
from surefit.solvers.optimise.smo import solve_box_dual

TIGHT = Limits(tol=1e-10)
SOLVERS = pytest.mark.parametrize("solver", [solve_box_dual, simplified_smo], ids=["auto", "simplified"])


def rows(n=24, d=2, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, np.where(X[:, 0] + 0.7 * rng.normal(size=n) > 0, 1.0, -1.0), rng.integers(1, 4, n).astype(float)


def least(Q, p, sign, upper):
    """min ½ aᵀQa + p·a with the box and one equality, by SciPy's sequential quadratic programming."""
    answer = minimize(
        lambda a: 0.5 * a @ Q @ a + p @ a,
        np.zeros(len(p)),
        jac=lambda a: Q @ a + p,
        method="SLSQP",
        bounds=[(0.0, u) for u in upper],
        constraints={"type": "eq", "fun": lambda a: sign @ a, "jac": lambda a: sign},
        options={"ftol": 1e-14, "maxiter": 2000},
    )
    return answer.fun


@SOLVERS
@pytest.mark.parametrize("kernel", [Linear(), Gaussian(0.5)], ids=str)
@pytest.mark.parametrize("C", [0.1, 10.0])
def test_classification_has_the_least_dual_value(solver, kernel, C):
    X, sign, w = rows()
    gram, K = GramRows(kernel, X), kernel(X)
    machine = separate(gram, np.arange(len(X)), sign, C * w, TIGHT, solver)
    alpha = sign * machine.coef
    assert (alpha >= 0).all() and (alpha <= C * w).all() and abs(machine.coef.sum()) < 1e-12 * max(1, alpha.sum())
    value = 0.5 * machine.coef @ K @ machine.coef - alpha.sum()
    assert value == pytest.approx(least(np.outer(sign, sign) * K, -np.ones(len(X)), sign, C * w), rel=1e-6)
    primal = 0.5 * machine.coef @ K @ machine.coef
    primal += C * w @ np.maximum(0, 1 - sign * (K @ machine.coef + machine.bias))
    assert primal + value <= 1e-9 * primal


@pytest.mark.parametrize("epsilon", [0.0, 0.3])
def test_regression_has_the_least_dual_value(epsilon):
    X, sign, w = rows()
    y, K = X[:, 1] ** 2 + 0.3 * sign, Gaussian(0.5)(X)
    machine = regress(GramRows(Gaussian(0.5), X), np.arange(len(X)), y, epsilon, 2 * w, TIGHT)
    value = 0.5 * machine.coef @ K @ machine.coef - y @ machine.coef + epsilon * np.abs(machine.coef).sum()
    both = np.repeat([1.0, -1.0], len(y))
    Q = np.outer(both, both) * np.tile(K, (2, 2))
    p = np.concatenate([epsilon - y, epsilon + y])
    assert value == pytest.approx(least(Q, p, both, np.tile(2 * w, 2)), rel=1e-5)


def test_one_class_alone_is_the_answer():
    X, sign, w = rows()
    machine = separate(GramRows(Linear(), X), np.arange(len(X)), sign, np.where(sign > 0, w, 0.0), TIGHT)
    assert machine.bias == 1.0 and not machine.coef.any() and machine.status == "converged"


def test_rows_that_do_not_count_have_no_coefficient():
    X, sign, w = rows()
    w[::3] = 0.0
    machine = separate(GramRows(Gaussian(1.0), X), np.arange(len(X)), sign, w, TIGHT)
    kept = np.flatnonzero(w)
    fewer = separate(GramRows(Gaussian(1.0), X[kept]), np.arange(len(kept)), sign[kept], w[kept], TIGHT)
    assert not machine.coef[::3].any()
    np.testing.assert_allclose(machine.coef[kept], fewer.coef, atol=1e-9)


def test_infinite_bounds_without_an_answer():
    """Two pairs of points across each other: no line separates them, and ¼ of each proves it."""
    X = np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]])
    sign = np.array([1.0, 1.0, -1.0, -1.0])
    found = separate(GramRows(Linear(), X), np.arange(4), sign, np.full(4, np.inf), TIGHT)
    assert found.status == "unbounded" and found.rel_gap == np.inf and np.isfinite(found.coef).all()
    np.testing.assert_allclose(found.farkas, 0.25, atol=1e-6)
    known = soft_instead(GramRows(Linear(), X), np.arange(4), sign, np.full(4, np.inf), TIGHT, np.full(4, 0.25))
    assert known.status == "unbounded" and (known.farkas == 0.25).all()


def test_limits_count_down():
    limits = Limits(tol=1e-6, deadline=time.monotonic() - 1.0)
    assert limits.seconds == 0.0 and Limits(tol=1e-6).seconds is None


def test_simplified_steps_are_repeatable_and_limited():
    X, sign, w = rows()
    gram, index = GramRows(Gaussian(1.0), X), np.arange(len(X))
    options = {"tol": 1e-8, "max_iter": None, "time_budget": None, "seed": 3}
    one, two = (simplified_smo(gram, index, sign, -np.ones(len(X)), w, **options) for _ in range(2))
    np.testing.assert_array_equal(one.alpha, two.alpha)
    assert one.status == "converged" and one.rel_gap <= 1e-8
    short = simplified_smo(gram, index, sign, -np.ones(len(X)), w, **(options | {"max_iter": 4}))
    assert short.status == "max_iter" and short.n_iter == 4 and short.rel_gap > 1e-8
