"""What people do wrong: each case is a clear refusal that leaves the model as it was, or the right answer."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone

from surefit._core.errors import InvalidData, InvalidParameter
from surefit.ensemble import (
    BaggingClassifier,
    BaggingRegressor,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from surefit.tree import DecisionTreeClassifier, DecisionTreeRegressor

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 4))
Y = RNG.integers(0, 3, 60)
CLASSIFIERS = (RandomForestClassifier, BaggingClassifier, GradientBoostingClassifier, HistGradientBoostingClassifier)
REGRESSORS = (RandomForestRegressor, BaggingRegressor, GradientBoostingRegressor, HistGradientBoostingRegressor)


def sized(model, n):
    return model.set_params(**{"max_iter" if hasattr(model, "max_iter") else "n_estimators": n})


@pytest.mark.parametrize("cls", CLASSIFIERS + REGRESSORS)
@pytest.mark.parametrize("columns", [3, 8])
def test_warm_start_on_other_columns(cls, columns):
    model = sized(cls(warm_start=True, random_state=0), 2).fit(X, Y)
    before = model.predict(X)
    with pytest.raises(InvalidData, match=f"X has {columns} columns, the fit that is to be continued had 4"):
        sized(model, 4).fit(np.hstack([X, X])[:, :columns], Y)
    np.testing.assert_array_equal(model.predict(X), before)


@pytest.mark.parametrize("cls", CLASSIFIERS)
@pytest.mark.parametrize("labels", [np.minimum(Y, 1), np.arange(60) % 5, Y + 10, np.array(list("abc"))[Y]])
def test_warm_start_on_other_classes(cls, labels):
    model = sized(cls(warm_start=True, random_state=0), 2).fit(X, Y)
    with pytest.raises(InvalidData, match=r"those of the fit that is to be continued \[0, 1, 2\]"):
        sized(model, 4).fit(X, labels)
    np.testing.assert_array_equal(model.classes_, [0, 1, 2])


@pytest.mark.parametrize("cls", [DecisionTreeClassifier, RandomForestClassifier, HistGradientBoostingClassifier])
@pytest.mark.parametrize(
    "weights", [{0: -1, 1: 1, 2: 1}, {0: np.nan, 1: 1, 2: 1}, {0: 0, 1: 0, 2: 0}, {0: 1, 1: 1, 2: np.inf}]
)
def test_class_weights_that_weigh_nothing_rightly(cls, weights):
    with pytest.raises(InvalidParameter, match="class_weight must hold finite numbers"):
        cls(class_weight=weights).fit(X, Y)


@pytest.mark.parametrize("cls", [DecisionTreeRegressor, RandomForestRegressor, HistGradientBoostingRegressor])
@pytest.mark.parametrize(
    "directions", [[1, 0], [[1, 0, 0, 0]], [2, 0, 0, 0], [1.5, 0, 0, 0], [np.nan, 0, 0, 0], list("abcd")]
)
def test_directions_that_are_none(cls, directions):
    with pytest.raises((InvalidData, InvalidParameter), match="monotonic_cst"):
        cls(monotonic_cst=directions).fit(X, X[:, 0])


def test_directions_of_forests_with_many_classes():
    with pytest.raises(InvalidData, match="multiclass"):
        RandomForestClassifier(2, monotonic_cst=[1, 0, 0, 0]).fit(X, Y)


@pytest.mark.parametrize("cls", [RandomForestClassifier, HistGradientBoostingClassifier])
def test_infinity_is_no_category(cls):
    codes = np.column_stack([Y, X])
    codes[3, 0] = np.inf
    with pytest.raises(InvalidData, match="at index 0 holds infinity"):
        cls(categorical_features=[0]).fit(codes, Y)


def test_a_learning_rate_that_is_infinite():
    with pytest.raises(InvalidParameter, match="learning_rate"):
        HistGradientBoostingRegressor(learning_rate=np.inf).fit(X, Y)


@pytest.mark.parametrize("cls", (DecisionTreeRegressor, *REGRESSORS))
def test_one_row_constant_columns_and_one_positive_weight(cls):
    """There is nothing to split by: the answer is the (weighted) mean of the targets a member has seen."""
    model = clone(cls(random_state=0))
    assert model.fit(X[:1], [2.5]).predict(X[:3]).tolist() == [2.5] * 3
    assert model.fit(X, np.full(60, -1.25)).predict(X[:3]).tolist() == [-1.25] * 3
    weights = (np.arange(60) == 7).astype(float)
    np.testing.assert_allclose(model.fit(X, X[:, 0], sample_weight=weights).predict(X), X[7, 0], rtol=1e-14)
    flat = cls(random_state=0, **({"bootstrap": False} if "bootstrap" in model.get_params() else {}))
    np.testing.assert_allclose(flat.fit(np.ones((60, 2)), X[:, 0]).predict(np.ones((2, 2))), X[:, 0].mean(), rtol=1e-12)


def test_parameters_that_are_no_numbers_are_refused_by_name():
    X, y = np.arange(20.0).reshape(10, 2), np.arange(10.0)
    with pytest.raises(InvalidParameter, match=r"max_samples=…\) must be None, a whole number ≥ 1 or a finite number"):
        RandomForestRegressor(2, max_samples=np.inf).fit(X, y)
    with pytest.raises(InvalidParameter, match=r"interaction_cst=…\) must be None, 'pairwise'"):
        HistGradientBoostingRegressor(interaction_cst=np.array([0, 1])).fit(X, y)
