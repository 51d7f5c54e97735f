"""Bagging of scikit-learn is accepted with any member, and refused where bags, members or answers are not theirs."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest
import sklearn.ensemble
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, load_iris, load_wine
from sklearn.ensemble import BaggingClassifier, BaggingRegressor
from sklearn.linear_model import Lasso, Ridge, SGDClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import surefit.ensemble
from surefit import certify
from surefit.certificates import Grade
from tests.certificates.tree.test_decision_tree import refused, tree_of

PARAMETERS: dict[str, dict[str, Any]] = {
    "out of bag": {"oob_score": True},
    "half": {"max_samples": 0.5},
    "without replacement": {"max_samples": 0.5, "bootstrap": False},
    "all rows": {"bootstrap": False},
    "few rows": {"max_samples": 12, "max_features": 3},
    "columns": {"max_features": 0.5, "oob_score": True},
    "columns again": {"max_features": 0.7, "bootstrap_features": True},
    "any seed": {"random_state": None},
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("load", [load_iris, load_wine, load_breast_cancer, load_digits, load_diabetes])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_bags_of_scikit_learn(load: Any, dtype: Any) -> None:
    X, y = load(return_X_y=True)
    X, y = X[::3].astype(dtype), y[::3]
    cls = BaggingRegressor if load is load_diabetes else BaggingClassifier
    certificate = certify(cls(random_state=0, oob_score=True).fit(X, y), X, y)
    assert certificate.holds, certificate
    assert certificate.grade == Grade.GREEDY
    assert certificate.not_checked in ((), ("decision_function",))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", PARAMETERS)
@pytest.mark.parametrize("weights", ["none", "any"])
def test_parameters_and_weights(name: str, weights: str) -> None:
    for load, cls in ((load_wine, BaggingClassifier), (load_diabetes, BaggingRegressor)):
        X, y = (a[::4] for a in load(return_X_y=True))
        w = None if weights == "none" else np.random.default_rng(0).random(len(y)) + 0.01
        model = cls(**{"n_estimators": 4, "random_state": 0, **PARAMETERS[name]}).fit(X, y, w)
        certificate = certify(model, X, y, w)
        assert certificate.holds, certificate


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_members_of_other_kinds(dtype: Any) -> None:
    X, y = load_iris(return_X_y=True)
    X = X.astype(dtype)
    for member in (KNeighborsClassifier(), GaussianNB()):
        certificate = certify(BaggingClassifier(member, 5, random_state=0, oob_score=True).fit(X, y), X, y)
        assert certificate.holds, certificate
    unknown = certify(BaggingClassifier(SGDClassifier(), 5, random_state=0, oob_score=True).fit(X, y), X, y)
    assert unknown.holds, unknown
    assert unknown.grade == Grade.UNPROVED
    assert "not checked" in unknown["members"].sentence
    X, y = load_diabetes(return_X_y=True)
    X = X.astype(dtype)
    certificate = certify(BaggingRegressor(Ridge(), 5, random_state=0, oob_score=True).fit(X, y), X, y)
    assert certificate.holds, certificate
    assert certify(BaggingRegressor(Lasso(), 5, random_state=0).fit(X, y), X, y).grade == Grade.UNPROVED


@pytest.fixture(params=["classes", "numbers"])
def bagged(request: Any) -> tuple[Any, np.ndarray, np.ndarray]:
    X, y = (load_wine if request.param == "classes" else load_diabetes)(return_X_y=True)
    step = 4 if request.param == "classes" else 8
    X, y = X[::step, :6], y[::step]
    cls = BaggingClassifier if request.param == "classes" else BaggingRegressor
    return cls(None, 8, random_state=0, oob_score=True, max_features=4).fit(X, y), X, y


@pytest.mark.filterwarnings("ignore")
def test_what_is_not_the_ensemble(bagged: tuple[Any, np.ndarray, np.ndarray]) -> None:
    model, X, y = bagged
    assert certify(model, X, y).holds
    name = "oob_decision_function_" if hasattr(model, "classes_") else "oob_prediction_"
    changes: list[tuple[str, Any]] = [
        ("estimators_", model.estimators_[::-1]), ("estimators_", model.estimators_[:-1]), ("estimators_", None),
        ("estimators_", [model.estimators_[0]] * 8), ("estimators_features_", model.estimators_features_[::-1]),
        ("estimators_features_", None), ("estimators_features_", [f + 1 for f in model.estimators_features_]),
        ("oob_score_", model.oob_score_ + 1e-3), ("oob_score_", None), (name, getattr(model, name)[::-1]), (name, None),
    ]  # fmt: skip
    for attribute, lie in changes:
        changed = copy.copy(model)
        setattr(changed, attribute, lie)
        assert refused(changed, X, y), attribute
    tree = model.estimators_[0].tree_
    worse = copy.copy(model)
    worse.estimators_ = [tree_of(model.estimators_[0], value=tree.value[::-1].copy()), *model.estimators_[1:]]
    assert refused(worse, X, y)
    for change in ({"n_estimators": 9}, {"bootstrap": False}, {"max_samples": 0.5}, {"max_features": 3},
                   {"bootstrap_features": True}, {"random_state": 1}):  # fmt: skip
        assert refused(copy.copy(model).set_params(**change), X, y), change
    w = np.random.default_rng(0).random(len(y)) + 0.5
    for other in ((X, y, w), (X[::-1], y[::-1]), (X, y[::-1]), (X[:, ::-1], y), (X[:-1], y[:-1])):
        assert refused(model, *other)

    class Proud(type(model)):  # type: ignore[misc]
        def predict(self, X):
            return super().predict(X)[::-1]

    proud = copy.copy(model)
    proud.__class__ = Proud
    assert refused(proud, X, y)


@pytest.mark.parametrize("library", [sklearn.ensemble, surefit.ensemble])
def test_members_that_are_no_copies_of_what_was_asked_for(library: Any) -> None:
    X, y = load_wine(return_X_y=True)
    model = library.BaggingClassifier(n_estimators=3, random_state=0).fit(X, y)
    assert certify(model, X, y).holds
    for name in ("estimator", "estimator_"):
        lie = copy.copy(model)
        setattr(lie, name, DecisionTreeClassifier(max_depth=2))
        assert not certify(lie, X, y).holds, name
    shallow = library.BaggingClassifier(model.estimators_[0].__class__(max_depth=2), 3, random_state=0).fit(X, y)
    assert certify(shallow, X, y).holds
    assert not certify(shallow.set_params(estimator=None), X, y).holds


@pytest.mark.parametrize("library", [sklearn.ensemble, surefit.ensemble])
def test_a_member_that_is_not_replayed_is_not_called_wrong(library: Any) -> None:
    X, y = load_diabetes(return_X_y=True)
    member = DecisionTreeRegressor(criterion="absolute_error", max_depth=2)
    model = library.BaggingRegressor(member, 3, random_state=0).fit(X[::3], y[::3])
    assert certify(model, X[::3], y[::3]).grade == Grade.UNPROVED
