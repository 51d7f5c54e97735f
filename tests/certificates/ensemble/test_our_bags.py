"""Forests and bagging of surefit: bags drawn by the hash of the rows, candidates seen, thresholds of bins."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_diabetes, load_wine
from sklearn.neighbors import KNeighborsRegressor

from surefit import certify
from surefit.certificates import Grade
from surefit.ensemble import BaggingClassifier, BaggingRegressor, RandomForestClassifier, RandomForestRegressor

FORESTS: dict[str, dict[str, Any]] = {
    "out of bag": {"oob_score": True, "max_bins": 16},
    "exact": {"max_bins": None, "max_samples": 0.5},
    "all rows": {"bootstrap": False, "min_samples_leaf": 3},
    "rows": {"min_samples_split": 12},
    "best first": {"max_features": None, "max_leaf_nodes": 8},
    "any seed": {"random_state": None},
}


def rows(classes: bool, weights: str) -> tuple[np.ndarray, np.ndarray, Any]:
    rng = np.random.default_rng(0)
    X, y = (a[:: 3 if classes else 6] for a in (load_wine if classes else load_diabetes)(return_X_y=True))
    X[rng.random(X.shape) < 0.05] = np.nan
    w = {"none": None, "any": rng.random(len(y)) + 0.01, "whole": rng.integers(0, 4, len(y)).astype(float)}[weights]
    return X, y, w


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", FORESTS)
@pytest.mark.parametrize("weights", ["none", "any", "whole"])
def test_our_forests_hold(name: str, weights: str) -> None:
    for cls, classes in ((RandomForestClassifier, True), (RandomForestRegressor, False)):
        X, y, w = rows(classes, weights)
        model = cls(**{"n_estimators": 3, "random_state": 0, **FORESTS[name]}).fit(X, y, w)
        certificate = certify(model, X, y, w)
        assert certificate.holds, certificate
        assert certificate.grade == Grade.GREEDY
        if w is not None:
            assert not certify(model, X, y).holds


@pytest.mark.filterwarnings("ignore")
def test_what_is_not_our_forest() -> None:
    X, y, _ = rows(True, "none")
    model = RandomForestClassifier(6, random_state=0, oob_score=True, max_bins=8).fit(X, y)
    assert certify(model, X, y).holds
    moved = [t + 1e-6 for t in model.bin_thresholds_]
    changes: list[tuple[str, Any]] = [
        ("bin_thresholds_", moved), ("bin_thresholds_", None), ("bin_thresholds_", moved[:-1]),
        ("estimators_", model.estimators_[::-1]), ("estimators_", model.estimators_[:1] * 6),
        ("oob_score_", model.oob_score_ + 1e-3), ("oob_decision_function_", model.oob_decision_function_[::-1]),
        ("random_state", 1), ("n_estimators", 7), ("max_features", None),
        ("classes_", np.array([2, 1, 0])),
    ]  # fmt: skip
    for attribute, lie in changes:
        changed = copy.copy(model)
        setattr(changed, attribute, lie)
        assert not certify(changed, X, y).holds, attribute
    assert not certify(model, X, np.random.default_rng(0).permutation(y)).holds
    assert certify(model, X[::-1], y[::-1])["members"].holds  # the order of the rows does not matter to the trees


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("weights", ["none", "any", "whole"])
def test_our_bagging_holds(weights: str) -> None:
    for cls, classes in ((BaggingClassifier, True), (BaggingRegressor, False)):
        X, y, w = rows(classes, weights)
        for change in ({"oob_score": True}, {"bootstrap": False, "max_samples": 0.5}, {"max_features": 4},
                       {"max_features": 4, "bootstrap_features": True}):  # fmt: skip
            model = cls(None, 3, random_state=0, **change).fit(X, y, w)
            certificate = certify(model, X, y, w)
            assert certificate.holds, certificate
            assert certificate.grade == Grade.GREEDY
            lie = copy.copy(model)
            lie.estimators_ = model.estimators_[::-1]
            assert not certify(lie, X, y, w).holds
    X, y, _ = rows(False, "none")
    X = np.where(np.isnan(X), 0.0, X)
    assert certify(BaggingRegressor(KNeighborsRegressor(), 3, random_state=0).fit(X, y), X, y).holds
