"""Averaged subgradient descent against its text in NumPy, its theorem and its gap against the true minimum."""

from __future__ import annotations

import numpy as np
import pytest

from surefit.solvers.hinge.averaged_subgradient import averaged_subgradient
from surefit.solvers.hinge.hinge import solve_hinge
from tests.reference import linear_svm as reference
from tests.solvers.hinge.data import problem, rows


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("sparse", [True, False])
@pytest.mark.parametrize("n_steps", [1, 2, 50])
def test_step_by_step(fit_intercept, sparse, n_steps):
    X, sign, weight = rows(150, 5)
    weight[::10] = 0.0
    data, labels = problem(X, sign, weight, sparse=sparse)
    found = averaged_subgradient(data, labels, 0.05, n_steps, fit_intercept)
    mean, values = reference.subgradient_mean(X, sign, weight, 0.05, n_steps, fit_intercept)
    np.testing.assert_allclose(found.theta[: len(mean)], mean, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(found.history, values, rtol=1e-10)
    assert found.n_iter == n_steps and (fit_intercept or found.theta[-1] == 0.0)


@pytest.mark.parametrize("lam", [0.01, 0.3, 10.0])
@pytest.mark.parametrize("n_steps", [1, 10, 300])
def test_theorem_and_gap(lam, n_steps):
    X, sign, weight = rows(200, 4, seed=3)
    data, labels = problem(X, sign, weight)
    found = averaged_subgradient(data, labels, lam, n_steps, True)
    exact = solve_hinge(*problem(X, sign, weight, C=1.0 / (lam * weight.sum())), 1.0, tol=1e-12, max_iter=1000)
    above = found.value - lam * exact.value
    assert -1e-12 <= above <= found.gap + 1e-12
    longest = (X**2).sum(axis=1).max() + 1.0
    assert found.bound == pytest.approx(4 * longest * (1 + np.log(n_steps)) / (2 * lam * n_steps), rel=1e-12)
    assert above <= found.bound
