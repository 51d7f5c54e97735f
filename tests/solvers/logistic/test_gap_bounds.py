"""Bounds for the gap of logistic regression: they lie above the truth, which is found by SciPy."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.optimize import minimize, root
from scipy.special import logsumexp, softmax

from surefit.solvers.logistic.gap_bounds import InterceptCurvature, elastic_net_gap, ridge_gap


@pytest.mark.parametrize("m", [2, 5, 40])
def test_curvature_of_the_intercepts(m):
    rng = np.random.default_rng(m)
    P = softmax(rng.normal(size=(300, m)), axis=1)
    J = np.diag(P.sum(axis=0)) - P.T @ P
    values, vectors = np.linalg.eigh(J)
    delta = 1e-4 * (rng.normal(size=m))
    delta -= delta.mean()
    found = InterceptCurvature(J)
    assert 0 < found.least <= values[1] * (1 + 1e-12)
    kappa = float(((vectors.T @ delta)[1:] ** 2 / values[1:]).sum())
    assert found.divergence(delta) == pytest.approx(math.e * kappa, rel=1e-9)
    np.testing.assert_allclose(J @ found.solve(delta), delta, atol=1e-12)
    assert found.divergence(1e4 * delta / np.abs(delta).max()) == math.inf


def test_a_class_without_weight_gives_no_bound():
    assert InterceptCurvature(np.zeros((1, 1))).divergence(np.ones(1)) == math.inf
    assert InterceptCurvature(np.zeros((3, 3))).divergence(np.zeros(3)) == math.inf


@pytest.mark.parametrize("left", [1e-12, 1e-6])
def test_a_class_without_weight_adds_what_its_probabilities_cost(left):
    """q has none of it and the right sums in the other classes: Σ KL(q ‖ p) is found with SciPy."""
    rng = np.random.default_rng(2)
    Z, y = rng.normal(size=(300, 4)), rng.integers(0, 3, 300)
    Z[:, 3] += math.log(left / 300)

    def moved(b):
        return softmax(Z[:, :3] + b, axis=1)

    b = root(lambda b: (moved(np.append(b, 0.0)) - np.eye(3)[y]).sum(axis=0)[:2], np.zeros(2), tol=1e-13).x
    off = np.append(b, 0.0) * (1 - 1e-4)
    P, Q = softmax(Z + np.append(off, 0.0), axis=1), moved(np.append(b, 0.0))
    delta = (P - np.eye(4)[y]).sum(axis=0)
    found = InterceptCurvature(np.diag(P.sum(axis=0)) - P.T @ P, np.array([True, True, True, False]))
    truth = float((Q * np.log(Q / P[:, :3])).sum())
    assert truth <= found.divergence(delta) <= 20 * truth
    assert found.solve(delta)[3] == 0


@pytest.mark.parametrize("off", [1e-6, 1e-4, 1e-3])
def test_the_ridge_gap_is_above_the_truth(off):
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(80, 3)), rng.integers(0, 3, 80)
    X -= X.mean(axis=0)

    def value(theta):
        W, b = theta[:9].reshape(3, 3), theta[9:]
        Z = X @ W.T + b
        return float((logsumexp(Z, axis=1) - Z[np.arange(80), y]).sum() + 0.5 * (W**2).sum())

    best = minimize(value, np.zeros(12), method="BFGS", options={"gtol": 1e-9, "maxiter": 2000})
    theta = best.x + off * rng.normal(size=12)
    W, b = theta[:9].reshape(3, 3), theta[9:]
    P = softmax(X @ W.T + b, axis=1)
    R = P - np.eye(3)[y]
    curvature = InterceptCurvature(np.diag(P.sum(axis=0)) - P.T @ P)
    divergence = curvature.divergence(R.sum(axis=0))
    bound = ridge_gap(R.T @ X + W, 1.0, divergence, float((X**2).sum()))
    assert value(theta) - best.fun <= bound + 1e-11 <= 1e5 * off**2 + 1e-11


def test_the_elastic_net_gap_of_one_entry():
    """Loss ½(w − a)² is not logistic, but Ω + Ω* + wG does not care: at the minimum the bound is zero."""
    lasso, none = np.array([1.0]), np.zeros(1)
    for G, w in ((-1.0, 2.0), (1.0, -2.0), (0.5, 0.0)):
        assert elastic_net_gap(np.array([w]), np.array([G]), none, lasso, none, 0.0, 10.0) == 0.0
    assert elastic_net_gap(np.array([0.0]), np.array([1.25]), none, lasso, none, 0.0, 10.0) == pytest.approx(2.0)
    ridge = np.array([0.5])
    assert elastic_net_gap(np.array([4.0]), np.array([-3.0]), none, lasso, ridge, 0.0, 10.0) == pytest.approx(0.0)
