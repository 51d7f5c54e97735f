"""Targets and weights at the ends of floating point are refused with a reason, by every regressor made of trees."""

from __future__ import annotations

import numpy as np
import pytest

from surefit._core.errors import InvalidData
from surefit.ensemble import (
    AdaBoostRegressor,
    BaggingRegressor,
    GradientBoostingRegressor,
    HistGradientBoostingRegressor,
    RandomForestRegressor,
)
from surefit.tree import DecisionTreeRegressor

X = np.random.default_rng(0).normal(size=(30, 3))
REGRESSORS = (
    DecisionTreeRegressor(),
    RandomForestRegressor(n_estimators=3),
    BaggingRegressor(n_estimators=3),
    AdaBoostRegressor(n_estimators=3),
    GradientBoostingRegressor(n_estimators=3),
    HistGradientBoostingRegressor(max_iter=3),
)


@pytest.mark.parametrize("model", REGRESSORS, ids=lambda model: type(model).__name__)
@pytest.mark.parametrize("largest", [1e155, 1e308])
def test_targets_whose_squares_overflow_are_refused(model, largest):
    y = X[:, 0].copy()
    y[3] = largest
    with pytest.raises(InvalidData, match="squares overflow"):
        model.fit(X, y)


@pytest.mark.parametrize("model", REGRESSORS, ids=lambda model: type(model).__name__)
@pytest.mark.parametrize("size", [1e-160, 1e-300])
def test_targets_whose_squares_vanish_are_refused(model, size):
    with pytest.raises(InvalidData, match="Multiply y by a power of ten"):
        model.fit(X, size * X[:, 0])


@pytest.mark.parametrize("model", REGRESSORS[:1] + REGRESSORS[4:], ids=lambda model: type(model).__name__)
def test_small_targets_scale_the_answers(model):
    """A power of two commutes with every step of a squared loss (where rows are not drawn by their contents)."""
    scale, y = 2.0**-400, X[:, 0].copy()
    want = scale * model.set_params(random_state=0).fit(X, y).predict(X)
    np.testing.assert_allclose(model.fit(X, scale * y).predict(X), want, rtol=1e-12)


def test_small_targets_of_the_absolute_error():
    found = DecisionTreeRegressor(criterion="absolute_error").fit(X, 1e-200 * X[:, 0]).predict(X)
    np.testing.assert_allclose(found, 1e-200 * X[:, 0], rtol=1e-15)


@pytest.mark.parametrize("model", REGRESSORS, ids=lambda model: type(model).__name__)
@pytest.mark.parametrize("weight", [1e308, 1e-308, 5e-324])
def test_weights_whose_sum_is_out_of_range_are_refused(model, weight):
    with pytest.raises(InvalidData, match="Sample weights add up to"):
        model.fit(X, X[:, 0], sample_weight=np.full(30, weight))
