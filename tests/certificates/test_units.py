"""Wrong fits in units whose squares are beyond floating point: a change of unit changes no verdict."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression, QuantileRegressor

from tests.certificates.bench import altered, certify
from tests.certificates.test_separation import LinearProgramClassifier

rng = np.random.default_rng(3)
X = rng.normal(size=(60, 3))
Y = X @ np.array([1.0, 2.0, 3.0]) + rng.normal(size=60)
MIXED = (Y + 2 * rng.normal(size=60) > 0).astype(int)

UNITS = [1e-300, 1e-200, 1e-155, 1e155, 1e200, 1e250]


def models(intercept: bool) -> list[tuple[Any, np.ndarray]]:
    squares = LinearRegression(fit_intercept=intercept).fit(X, Y)
    squares.singular_ = None
    return [
        (squares, Y),
        (QuantileRegressor(alpha=0.0, fit_intercept=intercept).fit(X, Y), Y),
        (LinearProgramClassifier(intercept).fit(X, MIXED), MIXED),
    ]


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("intercept", [True, False])
def test_the_unit_of_all_columns(unit: float, intercept: bool) -> None:
    for model, y in models(intercept):
        assert certify(altered(model, coef_=model.coef_ / unit), X * unit, y).holds
        for factor in (1.3, 1.001):
            assert not certify(altered(model, coef_=factor * model.coef_ / unit), X * unit, y).holds


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("intercept", [True, False])
def test_the_unit_of_one_column(unit: float, intercept: bool) -> None:
    """A column in a tiny unit is a column: a fit that leaves it out is not the best."""
    scale = np.array([unit, 1.0, 1.0])
    for model, y in models(intercept):
        assert certify(altered(model, coef_=model.coef_ / scale), X * scale, y).holds
        assert not certify(altered(model, coef_=model.coef_ * np.array([0.0, 1.0, 1.0])), X * scale, y).holds
