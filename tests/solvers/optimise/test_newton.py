"""Newton's method with kept second derivatives on functions whose minimum is known by other means."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import pytest
from scipy.optimize import minimize as scipy_minimize

from surefit.solvers.optimise.metric import FullMetric
from surefit.solvers.optimise.newton import minimize


class Evaluation(NamedTuple):
    value: float
    gradient: np.ndarray


class Smooth:
    """Σ log cosh(A u − b)ᵢ + ½‖u‖²: strongly convex with modulus 1, so value − minimum ≤ ‖g‖²/2."""

    rounding = 1e-14
    negligible = 0.0
    metric_kept = 0.0

    def __init__(self, metric_cost, seed=0):
        rng = np.random.default_rng(seed)
        self.A, self.b = rng.normal(size=(30, 6)) * 3, rng.normal(size=30) * 3
        self.metric_cost, self.metrics, self.passes = metric_cost, 0, 0

    def value(self, u):
        z = self.A @ u - self.b
        return float(np.logaddexp(z, -z).sum() - len(z) * math.log(2) + 0.5 * u @ u)

    def gradient(self, u):
        return self.A.T @ np.tanh(self.A @ u - self.b) + u

    def evaluate(self, u):
        self.passes += 1
        return Evaluation(self.value(u), self.gradient(u))

    def metric(self, u):
        self.metrics += 1
        second = 1 - np.tanh(self.A @ u - self.b) ** 2
        return FullMetric(self.A.T @ (second[:, None] * self.A) + np.eye(6))

    def gap(self, at, u, step, decrement, fresh, tol):
        return float(at.gradient @ at.gradient) / 2

    def correction(self, at, u, tol):
        return None

    def use_double(self):
        return False


@pytest.mark.parametrize("cost", [1.0, 20.0, math.inf])
@pytest.mark.parametrize("seed", range(3))
def test_the_minimum_is_scipys(cost, seed):
    problem = Smooth(cost, seed)
    found = minimize(problem, np.zeros(6), metric=None, tol=1e-10, max_iter=500)
    expected = scipy_minimize(problem.value, np.zeros(6), jac=problem.gradient, method="BFGS", options={"gtol": 1e-11})
    assert found.stopped and found.gap <= 1e-10 * found.at.value
    assert 0 <= found.at.value - expected.fun + 1e-12 * expected.fun <= found.gap + 2e-12 * expected.fun
    np.testing.assert_allclose(found.u, expected.x, rtol=1e-4, atol=1e-5)
    assert (np.diff(found.history) <= 1e-12 * found.history[0]).all()
    assert problem.metrics == 1 if cost == math.inf else problem.metrics >= 1


def test_cheap_second_derivatives_are_renewed_and_converge_quadratically():
    problem = Smooth(1.0)
    found = minimize(problem, np.zeros(6), metric=None, tol=1e-12, max_iter=100)
    assert found.n_iter <= 12 and problem.metrics >= found.n_iter - 1


def test_the_limit_and_a_callback_stop_it():
    assert minimize(Smooth(1.0), np.zeros(6), metric=None, tol=1e-14, max_iter=2).n_iter == 2
    steps = iter(range(1, 50))
    found = minimize(
        Smooth(1.0), np.zeros(6), metric=None, tol=1e-14, max_iter=50, after_step=lambda *step: next(steps) == 3
    )
    assert found.n_iter == 3 and not found.stopped
