"""Importances drawn: the largest mean on top, the spread of the trees as a line."""

from __future__ import annotations

import matplotlib
import numpy as np
import pytest
from sklearn.datasets import load_diabetes, load_iris
from sklearn.inspection import permutation_importance

matplotlib.use("Agg")
from surefit._core.errors import InvalidData
from surefit.linear_model import LinearRegression
from surefit.plot import ImportancesDisplay


def test_bars_are_the_means_in_their_order():
    each = np.array([[0.1, 0.5, 0.4], [0.3, 0.3, 0.4]])
    display = ImportancesDisplay(importances=each, names=["a", "b", "c"]).plot(name="title")
    np.testing.assert_allclose([bar.get_width() for bar in display.bars_], [0.4, 0.4, 0.2])
    assert [label.get_text() for label in display.ax_.get_yticklabels()] == ["b", "c", "a"]
    assert display.ax_.get_title() == "title"


def test_forests_give_those_of_their_trees():
    from sklearn.ensemble import RandomForestClassifier

    X, y = load_iris(return_X_y=True, as_frame=True)
    forest = RandomForestClassifier(10, random_state=0).fit(X, y)
    display = ImportancesDisplay.from_estimator(forest)
    shares = np.mean([tree.feature_importances_ for tree in forest.estimators_], axis=0)
    np.testing.assert_allclose([bar.get_width() for bar in display.bars_], np.sort(shares)[::-1])
    assert [label.get_text() for label in display.ax_.get_yticklabels()] == list(X.columns[display.order_])


def test_models_without_a_mean_over_trees_give_their_own():
    from sklearn.ensemble import AdaBoostClassifier, GradientBoostingClassifier
    from sklearn.tree import DecisionTreeClassifier

    X, y = load_iris(return_X_y=True, as_frame=True)
    models = (AdaBoostClassifier(n_estimators=5), GradientBoostingClassifier(n_estimators=5), DecisionTreeClassifier())
    for model in models:
        display = ImportancesDisplay.from_estimator(model.fit(X, y))
        np.testing.assert_allclose(
            [bar.get_width() for bar in display.bars_], np.sort(model.feature_importances_)[::-1]
        )
        assert display.ax_.get_xlabel() == "importance"
    with pytest.raises(InvalidData, match="has no feature_importances_"):
        ImportancesDisplay.from_estimator(LinearRegression().fit(X, y))


def test_wrong_shapes_are_refused():
    with pytest.raises(InvalidData):
        ImportancesDisplay(importances=[0.1, 0.9])
    with pytest.raises(InvalidData):
        ImportancesDisplay(importances=[[0.1, 0.9]], names=["a"])


def test_shuffling_costs_what_scikit_learn_measures():
    X, y = load_diabetes(return_X_y=True, as_frame=True)
    model = LinearRegression().fit(X, y)
    display = ImportancesDisplay.from_permutation(model, X, y, n_repeats=3)
    expected = permutation_importance(model, X, y, n_repeats=3, random_state=0)
    np.testing.assert_allclose(display.importances.T, expected.importances)
    top = int(expected.importances_mean.argmax())
    assert display.ax_.get_yticklabels()[0].get_text() == X.columns[top]
    assert "spread over shuffles" in display.ax_.get_xlabel()
