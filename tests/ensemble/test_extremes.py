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


@pytest.mark.parametrize("model", REGRESSORS[1:2] + REGRESSORS[3:], ids=lambda model: type(model).__name__)
def test_targets_whose_squares_vanish_are_refused(model):
    with pytest.raises(InvalidData, match="Multiply y by a power of ten"):
        model.fit(X, 1e-300 * X[:, 0])


@pytest.mark.parametrize("model", REGRESSORS, ids=lambda model: type(model).__name__)
@pytest.mark.parametrize("weight", [1e308, 1e-308, 5e-324])
def test_weights_whose_sum_is_out_of_range_are_refused(model, weight):
    with pytest.raises(InvalidData, match="Sample weights add up to"):
        model.fit(X, X[:, 0], sample_weight=np.full(30, weight))
