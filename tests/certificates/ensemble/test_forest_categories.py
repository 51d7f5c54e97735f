"""Forests on categories: sets are compared with all on offer, and refused where a bit, a side or a code is wrong."""

from __future__ import annotations

import copy
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from surefit import certify
from surefit.ensemble import RandomForestClassifier, RandomForestRegressor
from tests.ensemble.test_random_forest_categories import table


def changed(model: Any, **arrays: Any) -> Any:
    """The model with some arrays of its first tree replaced."""
    lie = copy.copy(model)
    first = copy.copy(model.estimators_[0])
    first.tree_ = replace(first.tree_, **arrays)
    lie.estimators_ = [first, *model.estimators_[1:]]
    return lie


@pytest.mark.parametrize("n_classes", [0, 2, 3])
@pytest.mark.parametrize("settings", [{}, {"max_bins": None}, {"bootstrap": False, "min_samples_leaf": 3}])
def test_forests_on_categories_hold(n_classes: int, settings: dict[str, Any]) -> None:
    cls = RandomForestClassifier if n_classes else RandomForestRegressor
    X, y, w = table(200, n_classes=n_classes)
    for weights in (None, w):
        model = cls(3, random_state=0, categorical_features=[1, 2], **settings).fit(X, y, weights)
        certificate = certify(model, X, y, weights)
        assert certificate.holds, certificate
        assert set(certificate.not_checked) <= {"bin_thresholds_", "estimators_samples_", "feature_importances_"}
        assert "for one target or two classes only" in certificate["members"].sentence


def test_lies_about_sets_are_refused() -> None:
    X, y, _ = table(200, n_classes=2)
    X = X[X[:, 2] != 11]
    y = y[table(200, n_classes=2)[0][:, 2] != 11]
    model = RandomForestClassifier(3, random_state=0, categorical_features=[1, 2]).fit(X, y)
    tree = model.estimators_[0].tree_
    assert certify(model, X, y).holds
    by_set = np.flatnonzero(tree.category_row >= 0)
    for node in by_set[:6]:
        bag = model.estimators_samples_[0]
        here = bag[model.estimators_[0].decision_path(X[bag])[:, node].toarray().ravel() > 0]
        column = X[here, tree.feature[node]]
        code = int(column[~np.isnan(column)][0])
        sets = tree.categories.copy()
        sets[tree.category_row[node], code // 64] ^= np.uint64(1) << np.uint64(code % 64)
        assert not certify(changed(model, categories=sets), X, y).holds
    place = int(by_set[tree.feature[by_set] == 2][0])
    rows = tree.category_row.copy()
    rows[place] = -1
    assert not certify(changed(model, category_row=rows), X, y).holds


def test_lies_about_columns_and_codes_are_refused() -> None:
    X, y, _ = table(200)
    X[:, 2] = 1000 + 10 * X[:, 2]  # values that are not their own codes
    model = RandomForestRegressor(3, random_state=0, categorical_features=[1, 2]).fit(X, y)
    certificate = certify(model, X, y)
    assert certificate.holds, certificate
    places = list(model.categories_)
    lies: list[tuple[str, Any]] = [
        ("is_categorical_", np.array([False, True, False])), ("is_categorical_", None),
        ("is_categorical_", np.array([True, True, True])), ("categories_", None), ("categories_", places[:2]),
        ("categories_", [*places[:2], places[2][::-1]]), ("categories_", [*places[:2], places[2][1:]]),
        ("categories_", [*places[:2], places[2] + 10.0]),
        ("bin_thresholds_", [model.bin_thresholds_[0][::2], np.empty(0), np.empty(0)]),
    ]  # fmt: skip
    for attribute, value in lies:
        lie = copy.copy(model)
        setattr(lie, attribute, value)
        assert not certify(lie, X, y).holds, (attribute, value)
