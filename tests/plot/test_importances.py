"""Importances drawn: the largest mean on top, the spread of the trees as a line."""

from __future__ import annotations

import matplotlib
import numpy as np
import pytest

matplotlib.use("Agg")
from surefit._core.errors import InvalidData
from surefit.plot import ImportancesDisplay


def test_bars_are_the_means_in_their_order():
    each = np.array([[0.1, 0.5, 0.4], [0.3, 0.3, 0.4]])
    display = ImportancesDisplay(importances=each, names=["a", "b", "c"]).plot(name="title")
    np.testing.assert_allclose([bar.get_width() for bar in display.bars_], [0.4, 0.4, 0.2])
    assert [label.get_text() for label in display.ax_.get_yticklabels()] == ["b", "c", "a"]
    assert display.ax_.get_title() == "title"


def test_forests_give_those_of_their_trees():
    from sklearn.datasets import load_iris
    from sklearn.ensemble import RandomForestClassifier

    X, y = load_iris(return_X_y=True, as_frame=True)
    forest = RandomForestClassifier(10, random_state=0).fit(X, y)
    display = ImportancesDisplay.from_estimator(forest)
    shares = np.mean([tree.feature_importances_ for tree in forest.estimators_], axis=0)
    np.testing.assert_allclose([bar.get_width() for bar in display.bars_], np.sort(shares)[::-1])
    assert [label.get_text() for label in display.ax_.get_yticklabels()] == list(X.columns[display.order_])


def test_wrong_shapes_are_refused():
    with pytest.raises(InvalidData):
        ImportancesDisplay(importances=[0.1, 0.9])
    with pytest.raises(InvalidData):
        ImportancesDisplay(importances=[[0.1, 0.9]], names=["a"])
