"""Quadratic functions with an L1 penalty: closed forms, scikit-learn's Lasso, the conditions of a minimum, the twin."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from sklearn.linear_model import Lasso

from surefit import _native
from surefit.solvers.logistic.elastic_net import best_shift
from surefit.solvers.optimise.lasso_quadratic import minimize_lasso
from tests.reference.lasso_sweeps import sweeps


def problem(n, p, seed=0):
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(n, p)) @ (np.eye(p) + 0.5 * rng.normal(size=(p, p)) / np.sqrt(p))
    return A, A @ (rng.normal(size=p) * (rng.random(p) < 0.4)) + rng.normal(size=n)


def test_a_diagonal_is_solved_by_thresholding():
    h, a, t = np.array([1.0, 2.0, 4.0, 3.0]), np.array([3.0, -3.0, 0.5, -2.0]), np.array([1.0, 1.0, 1.0, 0.0])
    z = minimize_lasso(np.diag(h), -a, np.zeros(4), t, 50)
    np.testing.assert_allclose(z, [2.0, -1.0, 0.0, -2.0 / 3.0], rtol=1e-9)
    assert z[2] == 0


@pytest.mark.parametrize("seed", range(6))
def test_scikit_learn_lasso(seed):
    A, b = problem(80, 25, seed)
    alpha = 0.3
    H, g = A.T @ A / 80, -A.T @ b / 80
    z = minimize_lasso(H, g, np.zeros(25), np.full(25, alpha), 100)
    theirs = Lasso(alpha=alpha, fit_intercept=False, tol=1e-14, max_iter=100000).fit(A, b).coef_
    np.testing.assert_allclose(z, theirs, atol=1e-8)
    assert np.array_equal(z == 0, theirs == 0)


@pytest.mark.parametrize("seed", range(4))
def test_the_conditions_of_a_minimum_from_any_start(seed):
    """More columns than rows, repeated and free columns: |r| ≤ t at zeros, r = −t sign(z) elsewhere."""
    A, b = problem(30, 40, seed)
    A[:, 7] = A[:, 3]
    H, rng = A.T @ A, np.random.default_rng(seed)
    t, u = np.full(40, 20.0), rng.normal(size=40)
    t[0] = 0.0
    g = H @ u - A.T @ b
    z = minimize_lasso(H, g, u, t, 300)
    r = g + H @ (z - u)
    size = np.abs(A.T @ b).max()
    assert (np.abs(r) <= t + 1e-6 * size).all()
    np.testing.assert_allclose(r[z != 0], (-t * np.sign(z))[z != 0], atol=1e-6 * size)


def test_nearly_equal_columns_end_in_few_rounds():
    A, b = problem(200, 12, 5)
    A = np.hstack([A, A + 1e-4 * np.random.default_rng(1).normal(size=A.shape)])
    H, g, t = A.T @ A, -A.T @ b, np.full(24, 1e-3)
    z = minimize_lasso(H, g, np.zeros(24), t, 60)
    r = g + H @ z
    assert (np.abs(r) <= t + 1e-9 * np.abs(g).max()).all()
    np.testing.assert_allclose(r[z != 0], (-t * np.sign(z))[z != 0], atol=1e-9 * np.abs(g).max())


def test_entries_without_curvature():
    H, g = np.diag([0.0, 1.0, 0.0]), np.array([0.0, -3.0, 0.0])
    z = minimize_lasso(H, g, np.array([5.0, 0.0, 4.0]), np.array([1.0, 1.0, 0.0]), 20)
    np.testing.assert_allclose(z, [0.0, 2.0, 4.0], rtol=1e-9)


@pytest.mark.parametrize(("p", "most", "quiet"), [(1, 3, 1), (9, 1, 1), (9, 20, 3), (40, 7, 10)])
def test_the_compiled_sweeps_are_those_of_the_twin(p, most, quiet):
    A, b = problem(60, p, p)
    H, t = A.T @ A, np.full(p, 5.0)
    t[-1] = 0.0
    ours, twin = [(-A.T @ b, np.zeros(p)) for _ in range(2)]
    done = _native.lasso_sweeps(H, *ours, t, most, quiet)
    assert done == sweeps(H, *twin, t, most, quiet)
    np.testing.assert_allclose(ours[1], twin[1], rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(ours[0], twin[0], rtol=1e-9, atol=1e-9)


def test_the_compiled_sweeps_refuse_other_shapes():
    with pytest.raises(ValueError, match="different lengths"):
        _native.lasso_sweeps(np.eye(3), np.zeros(3), np.zeros(2), np.zeros(3), 1, 1)


@pytest.mark.parametrize("m", [2, 3, 4, 7])
@pytest.mark.parametrize(("ridge", "lasso"), [(0.0, 1.0), (1.0, 1.0), (0.05, 1.0), (1.0, 0.05)])
def test_the_best_shift(m, ridge, lasso):
    Z = np.random.default_rng(m).normal(size=(m, 20))
    shift = best_shift(Z, np.full(20, ridge), np.full(20, lasso))
    for z, s in zip(Z.T, shift, strict=True):

        def cost(by, z=z):
            return float((ridge / 2 * (z + by) ** 2 + lasso * np.abs(z + by)).sum())

        best = min(minimize_scalar(cost, bounds=(-4, 4), options={"xatol": 1e-12}).fun, *(cost(-v) for v in z))
        assert cost(s) <= best + 1e-10
