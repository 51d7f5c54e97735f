"""The squared hinge with an L1 penalty: the conditions of a minimum, the gap, and both kinds of model."""

from __future__ import annotations

import numpy as np
import pytest

from surefit.solvers.hinge import lasso_hinge
from surefit.solvers.hinge.lasso_hinge import solve_lasso_hinge
from tests.reference import linear_svm as reference
from tests.solvers.hinge.data import problem, rows


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("matrix", [True, False])
@pytest.mark.parametrize("C, scale", [(0.01, 1.0), (0.3, 1.0), (0.05, 4.0), (0.05, 0.0)])
def test_conditions_of_a_minimum(monkeypatch, sparse, matrix, C, scale):
    if not matrix:
        monkeypatch.setattr(lasso_hinge, "MAX_COLUMNS", 0)
    X, sign, weight = rows(250, 12, seed=2)
    X[:, 3] = 0.0
    found = solve_lasso_hinge(*problem(X, sign, weight, C, sparse), scale, tol=1e-10, max_iter=500)
    w, b = found.coef, found.intercept
    value = reference.objective(X, sign, C * weight, w, b, scale, penalty="l1")
    assert found.value == pytest.approx(value, rel=1e-12) and 0 <= found.gap <= 1e-10 * value
    slack = np.maximum(0.0, 1.0 - sign * (X @ w + b))
    pull = (2 * C * weight * slack * sign) @ np.column_stack([X, np.ones(len(X))])
    u, bounds = np.append(w, b), np.append(np.ones(12), 1.0 / scale if scale else np.inf)
    assert (np.abs(pull) <= bounds * (1 + 1e-4)).all()
    on = u != 0
    np.testing.assert_allclose(pull[on], np.sign(u[on]) * bounds[on], rtol=1e-4)
    assert w[3] == 0.0


def test_small_cost_has_no_coefficients():
    """Below C = 1 / max |2 Σ ω σ xⱼ| every coefficient is zero."""
    X, sign, weight = rows(100, 5, seed=4)
    largest = np.abs(2 * (weight * sign) @ np.column_stack([X, np.ones(100)])).max()
    below = solve_lasso_hinge(*problem(X, sign, weight, 0.999 / largest), 1.0, tol=1e-9, max_iter=100)
    above = solve_lasso_hinge(*problem(X, sign, weight, 1.01 / largest), 1.0, tol=1e-9, max_iter=100)
    assert not below.coef.any() and below.intercept == 0.0
    assert np.count_nonzero(np.append(above.coef, above.intercept)) == 1
