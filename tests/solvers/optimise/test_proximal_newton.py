"""Newton's method with an L1 penalty: least squares with a Lasso penalty against scikit-learn, zeros exact."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest
from sklearn.linear_model import Lasso

from surefit.solvers.optimise.proximal_newton import minimize_composite


class Evaluation(NamedTuple):
    value: float
    gradient: np.ndarray


class Model:
    """The quadratic itself, minimised by plain coordinate descent."""

    def __init__(self, problem, at, u):
        self.problem, self.at, self.u = problem, at, u
        self.entries = np.arange(len(u))

    def minimum(self):
        H, z = self.problem.H, self.u.copy()
        for _ in range(2000):
            for j in range(len(z)):
                slope = self.at.gradient[j] + H[j] @ (z - self.u)
                free = z[j] - slope / H[j, j]
                z[j] = np.sign(free) * max(abs(free) - self.problem.thresholds[j] / H[j, j], 0.0)
        return z

    def gap(self, aim):
        return np.inf


class LassoProblem:
    """½‖A u − b‖² + t‖u‖₁ with the duality gap of the residual, scaled into the dual's box."""

    metric_cost = 10.0
    rounding = 1e-14

    def __init__(self, t, seed=0):
        rng = np.random.default_rng(seed)
        self.A, self.b = rng.normal(size=(40, 8)), rng.normal(size=40) * 2
        self.b += self.A[:, 0] * 3
        self.H, self.thresholds = self.A.T @ self.A, np.full(8, t)

    def evaluate(self, u):
        r = self.A @ u - self.b
        return Evaluation(float(0.5 * r @ r + self.thresholds @ np.abs(u)), self.A.T @ r)

    def model(self, at, u, n_iter, tol):
        return Model(self, at, u)

    def without_flat_moves(self, z, entries):
        return z

    def gap(self, at, u):
        r = self.A @ u - self.b
        theta = r * min(1.0, self.thresholds[0] / np.abs(self.A.T @ r).max())
        return at.value - float(-0.5 * theta @ theta - theta @ self.b)

    def use_double(self):
        return False


@pytest.mark.parametrize("t", [1.0, 20.0, 80.0])
def test_against_scikit_learn(t):
    problem = LassoProblem(t)
    found = minimize_composite(problem, np.zeros(8), tol=1e-10, max_iter=20, after_step=lambda *step: False)
    expected = Lasso(alpha=t / 40, fit_intercept=False, tol=1e-14, max_iter=100_000).fit(problem.A, problem.b).coef_
    assert found.stopped and found.gap <= 1e-10 * found.at.value
    np.testing.assert_allclose(found.u, expected, rtol=1e-6, atol=1e-8)
    np.testing.assert_array_equal(found.u == 0, expected == 0)


def test_at_the_minimum_nothing_is_done():
    problem = LassoProblem(1e4)
    found = minimize_composite(problem, np.zeros(8), tol=1e-10, max_iter=20, after_step=lambda *step: False)
    assert found.n_iter == 0 and not found.u.any() and found.stopped


def test_the_limit_and_a_callback_stop_it():
    problem = LassoProblem(1.0)
    assert minimize_composite(problem, np.ones(8), tol=0.0, max_iter=0, after_step=lambda *step: False).n_iter == 0
    assert minimize_composite(problem, np.ones(8), tol=1e-12, max_iter=9, after_step=lambda *step: True).n_iter == 1
