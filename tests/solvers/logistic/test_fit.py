"""Every route of the logistic fit against SciPy's minimum of the same function."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import logsumexp

from surefit.engine.sources.source import MemorySource
from surefit.solvers.logistic.fit import fit_logistic
from surefit.solvers.logistic.logistic import Penalty


def problem(classes, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(150, 3)) * [1.0, 20.0, 0.1] + [0.0, 5.0, 3.0]
    scores = (X - X.mean(axis=0)) / X.std(axis=0) @ rng.normal(size=(3, classes)) + rng.gumbel(size=(150, classes))
    return X, scores.argmax(axis=1), rng.integers(0, 3, 150).astype(float)


def fit(X, codes, w, classes, penalty, **options):
    given = {"tol": 1e-10, "max_iter": 500, "start": None, "seed": None, "class_weight": None, "fit_intercept": True}
    callbacks = {"before": lambda coefficients: None, "after_step": lambda *step: False}
    data = MemorySource(X, codes.astype(float), w)
    return fit_logistic(data, classes, penalty=Penalty(*penalty), **given | callbacks | options)


def objective(X, codes, w, penalty, coef, b):
    Z = X @ coef.T + b
    Z = np.column_stack([np.zeros(len(X)), Z]) if Z.shape[1] == 1 else Z
    loss = w @ (logsumexp(Z, axis=1) - Z[np.arange(len(X)), codes])
    return loss + 0.5 * penalty[0] * (coef**2).sum() + penalty[1] * np.abs(coef).sum()


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("penalty", [(0.5, 0.0), (0.0, 0.0), (0.0, 2.0), (0.3, 1.0)])
def test_no_point_nearby_or_of_scipy_is_lower(classes, penalty):
    X, codes, w = problem(classes)
    found = fit(X, codes, w, classes, penalty)
    value = objective(X, codes, w, penalty, found.coef, found.intercept)
    assert found.finished and found.rel_gap <= 1e-6
    assert found.history[-1] == pytest.approx(value, rel=1e-9)
    rng = np.random.default_rng(1)
    for size in (1e-2, 1e-4, 1e-6):
        moved = objective(
            X, codes, w, penalty, found.coef * (1 + size * rng.normal(size=found.coef.shape)), found.intercept + size
        )
        assert moved >= value * (1 - 1e-12)
    if penalty[1] == 0:
        flat = np.append(found.coef.ravel(), found.intercept) * 0

        def of(u):
            m = len(found.coef)
            return objective(X, codes, w, penalty, u[: 3 * m].reshape(m, 3), u[3 * m :])

        assert minimize(of, flat, method="BFGS", options={"maxiter": 2000}).fun >= value * (1 - 1e-9)


def test_separable_classes_have_no_minimum():
    X = np.arange(8.0)[:, None]
    found = fit(X, (X[:, 0] > 3).astype(int), None, 2, (0.0, 0.0))
    assert found.separation is not None and np.isnan(found.rel_gap)
    sign = np.where(X[:, 0] > 3, 1.0, -1.0)
    assert (sign * (X @ found.separation[0, :1] + found.separation[0, 1]) >= -1e-12).all()


def test_weights_of_classes_are_weights_of_rows():
    X, codes, w = problem(3)
    factors = np.array([0.5, 2.0, 1.0])
    one = fit(X, codes, w, 3, (1.0, 0.0), class_weight=factors)
    other = fit(X, codes, w * factors[codes], 3, (1.0, 0.0))
    np.testing.assert_allclose(one.coef, other.coef, rtol=1e-6, atol=1e-9)


def test_raw_pixels_of_separable_classes_end_at_the_gap():
    """More parameters than a second derivative is kept for, hardly a penalty: curvatures change by orders of size."""
    from sklearn.datasets import load_digits

    rng = np.random.default_rng(0)
    X, codes = load_digits(return_X_y=True)
    X, codes = X[:900] * 16, codes[:900]
    X = np.hstack([X, np.clip(X[:, ::-1] + rng.normal(0, 20, X.shape), 0, 255), np.zeros((900, 7))])
    found = fit(X, codes, None, 10, (1.0, 0.0), tol=1e-6, max_iter=100)
    Z = X @ found.coef.T + found.intercept
    P = np.exp(Z - logsumexp(Z, axis=1, keepdims=True))
    value = objective(X, codes, np.ones(900), (1.0, 0.0), found.coef, found.intercept)
    slopes = (P - np.eye(10)[codes]).T @ (X - X.mean(axis=0)) + found.coef
    assert found.finished and (Z.argmax(axis=1) == codes).all()
    assert (slopes**2).sum() / 2 <= 1e-6 * value  # F is strongly convex: at least the gap, the intercepts at their best
