"""Trees of scikit-learn are accepted with every parameter, and refused in every way in which they can be wrong."""

from __future__ import annotations

import copy
import warnings
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, load_iris, load_wine
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from surefit import certify
from surefit.certificates import Grade

ARRAYS = ("children_left", "children_right", "feature", "threshold", "impurity", "n_node_samples",
          "weighted_n_node_samples", "value", "missing_go_to_left")  # fmt: skip
CLASSES = {"iris": load_iris, "wine": load_wine, "breast_cancer": load_breast_cancer, "digits": load_digits}
PARAMETERS: dict[str, dict[str, Any]] = {
    "plain": {},
    "depth": {"max_depth": 3},
    "rows": {"min_samples_leaf": 5, "min_samples_split": 12},
    "best first": {"max_leaf_nodes": 8},
    "drawn features": {"max_features": "sqrt", "random_state": 0},
}


def tree_of(model: Any, **changes: Any) -> Any:
    """A copy of the model whose tree_ holds arrays that can be changed; its answers follow the changed arrays."""

    class Changed(type(model)):  # type: ignore[misc]
        def apply(self, X, check_input=True):
            return self._go(X)

        def predict(self, X, check_input=True):
            value = self.tree_.value[self._go(X)]
            return self.classes_[value[:, 0].argmax(axis=1)] if hasattr(self, "classes_") else value[:, 0, 0]

        def predict_proba(self, X, check_input=True):
            return self.tree_.value[self._go(X)][:, 0]

        def predict_log_proba(self, X):
            return np.log(self.predict_proba(X))

        def _go(self, X):
            t, X = self.tree_, np.asarray(X, dtype=np.float32)
            at = np.zeros(len(X), dtype=np.intp)
            for _ in range(len(t.feature)):
                inner = t.children_left[at] >= 0
                x = X[np.arange(len(X)), np.maximum(t.feature[at], 0)]
                left = np.where(np.isnan(x), t.missing_go_to_left[at], x <= t.threshold[at])
                at = np.where(inner, np.where(left, t.children_left[at], t.children_right[at]), at)
            return at

    lie = copy.copy(model)
    lie.__class__ = Changed
    arrays = {name: np.array(getattr(model.tree_, name)) for name in ARRAYS}
    lie.tree_ = SimpleNamespace(**{**arrays, **changes})
    return lie


def refused(model: Any, X: np.ndarray, y: np.ndarray, w: Any = None) -> bool:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return not certify(model, X, y, w).holds


@pytest.mark.parametrize("name", CLASSES)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("criterion", ["gini", "entropy"])
def test_classifiers_of_scikit_learn(name: str, dtype: Any, criterion: str) -> None:
    X, y = CLASSES[name](return_X_y=True)
    model = DecisionTreeClassifier(criterion=criterion, random_state=0).fit(X.astype(dtype), y)
    certificate = certify(model, X.astype(dtype), y)
    assert certificate.holds, certificate
    assert certificate.grade == Grade.GREEDY
    assert certificate.not_checked == ("feature_importances_",)


@pytest.mark.parametrize("criterion", ["squared_error", "friedman_mse"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_regressors_of_scikit_learn(criterion: str, dtype: Any) -> None:
    X, y = (a[::2] for a in load_diabetes(return_X_y=True))
    model = DecisionTreeRegressor(criterion=criterion, random_state=0).fit(X.astype(dtype), y)
    certificate = certify(model, X.astype(dtype), y)
    assert certificate.holds, certificate
    assert certificate.grade == Grade.GREEDY


@pytest.mark.parametrize("parameters", PARAMETERS)
@pytest.mark.parametrize("weights", ["none", "any", "whole"])
def test_parameters_weights_and_missing_values(parameters: str, weights: str) -> None:
    rng = np.random.default_rng(0)
    for load, cls in ((load_wine, DecisionTreeClassifier), (load_diabetes, DecisionTreeRegressor)):
        X, y = load(return_X_y=True)
        X, y = X[::2], y[::2]
        X[rng.random(X.shape) < 0.05] = np.nan
        w = {"none": None, "any": rng.random(len(y)) + 0.01, "whole": rng.integers(0, 4, len(y)).astype(float)}[weights]
        model = cls(**PARAMETERS[parameters]).fit(X, y, w)
        certificate = certify(model, X, y, w)
        assert certificate.holds, certificate


@pytest.mark.parametrize("alpha", [1e-3, 0.01, 0.05])
def test_pruned_trees(alpha: float) -> None:
    for X, y in (load_wine(return_X_y=True), load_breast_cancer(return_X_y=True)):
        model = DecisionTreeClassifier(ccp_alpha=alpha, random_state=0).fit(X, y)
        certificate = certify(model, X, y)
        assert certificate.holds, certificate
        if model.tree_.node_count < DecisionTreeClassifier(random_state=0).fit(X, y).tree_.node_count:
            assert not certify(model.set_params(ccp_alpha=0.0), X, y).holds
        assert not certify(model.set_params(ccp_alpha=0.7), X, y)["pruning"].holds


@pytest.mark.parametrize("change", [{"monotonic_cst": [1, 0, -1]}, {"criterion": "absolute_error"},
                                    {"criterion": "poisson"}, {"splitter": "random"}])  # fmt: skip
def test_what_is_not_replayed_is_said(change: dict[str, Any]) -> None:
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(200, 3)), np.abs(rng.normal(size=200))
    certificate = certify(DecisionTreeRegressor(random_state=0, **change).fit(X, y), X, y)
    assert certificate.grade == Grade.UNPROVED
    assert "not replayed" in certificate.claims[0].sentence


def test_offsets_and_several_targets() -> None:
    rng = np.random.default_rng(2)
    X = rng.normal(size=(300, 3)) * [1e-3, 1.0, 1e3] + [0.0, 30.0, 1e6]
    for offset in (0.0, 30.0, 3000.0, 1e6):
        y = X[:, 1] + rng.normal(size=300) + offset
        assert certify(DecisionTreeRegressor(random_state=0, max_depth=6).fit(X, y), X, y).holds
    Y = rng.normal(size=(300, 2))
    assert certify(DecisionTreeRegressor(random_state=0).fit(X, Y), X, Y).holds


def test_class_weights() -> None:
    X, y = load_wine(return_X_y=True)
    w = np.random.default_rng(0).random(len(y))
    for given in ("balanced", {0: 2.0, 1: 1.0, 2: 0.3}):
        model = DecisionTreeClassifier(class_weight=given, random_state=0).fit(X, y, w)
        assert certify(model, X, y, w).holds
        assert refused(model.set_params(class_weight=None), X, y, w)


# ---- what must be refused -------------------------------------------------------------------------------------------


def data(kind: str) -> tuple[Any, np.ndarray, np.ndarray]:
    X, y = (load_wine if kind == "classes" else load_diabetes)(return_X_y=True)
    X, y = X[::3, :6], y[::3]
    cls = DecisionTreeClassifier if kind == "classes" else DecisionTreeRegressor
    return cls(random_state=0).fit(X, y), X, y


@pytest.mark.parametrize("kind", ["classes", "numbers"])
def test_a_copy_of_the_arrays_is_accepted(kind: str) -> None:
    model, X, y = data(kind)
    assert certify(tree_of(model), X, y).holds


@pytest.mark.parametrize("kind", ["classes", "numbers"])
@pytest.mark.parametrize("name", ["value", "impurity", "weighted_n_node_samples", "threshold", "n_node_samples"])
def test_every_number_of_every_node(kind: str, name: str) -> None:
    model, X, y = data(kind)
    t, rng = model.tree_, np.random.default_rng(0)
    places = np.flatnonzero(t.children_left >= 0) if name == "threshold" else np.arange(t.node_count)
    for place in rng.choice(places, 4):
        for size in (1e-6, 1e-2):
            array = np.array(getattr(t, name))
            array[place] += 1 if name == "n_node_samples" else size * max(1.0, float(np.abs(array[place]).max()))
            assert refused(tree_of(model, **{name: array}), X, y), (name, place, size)


@pytest.mark.parametrize("kind", ["classes", "numbers"])
def test_structure(kind: str) -> None:
    model, X, y = data(kind)
    t, rng = model.tree_, np.random.default_rng(1)
    inner = np.flatnonzero(t.children_left >= 0)
    for place in rng.choice(inner, 4):
        left, right, feature = t.children_left.copy(), t.children_right.copy(), t.feature.copy()
        left[place], right[place] = t.children_right[place], t.children_left[place]
        assert refused(tree_of(model, children_left=left, children_right=right), X, y)
        feature[place] = (feature[place] + 1) % X.shape[1]
        assert refused(tree_of(model, feature=feature), X, y)
        side = t.missing_go_to_left.copy()
        side[place] ^= 1
        assert refused(tree_of(model, missing_go_to_left=side), X, y)
        loop = t.children_left.copy()
        loop[place] = place
        assert refused(tree_of(model, children_left=loop), X, y)


def grown_again(model: Any, X: np.ndarray, y: np.ndarray, place: int, feature: int, threshold: float) -> Any:
    """The tree with another split at one node whose children are leaves, all numbers of these right."""
    t = model.tree_
    rows = np.flatnonzero(np.asarray(model.decision_path(X)[:, place].todense()).ravel())
    left = X[rows, feature].astype(np.float32) <= threshold
    if not left.any() or left.all():
        return None
    arrays = {name: np.array(getattr(t, name)) for name in ARRAYS}
    arrays["feature"][place], arrays["threshold"][place] = feature, threshold
    arrays["missing_go_to_left"][place] = left.sum() > (~left).sum()
    for child, side in ((t.children_left[place], left), (t.children_right[place], ~left)):
        target = y[rows[side]]
        if hasattr(model, "classes_"):
            share = np.bincount(target, minlength=len(model.classes_)) / len(target)
            arrays["value"][child, 0], arrays["impurity"][child] = share, 1 - (share**2).sum()
        else:
            arrays["value"][child, 0, 0], arrays["impurity"][child] = target.mean(), target.var()
        arrays["n_node_samples"][child] = arrays["weighted_n_node_samples"][child] = len(target)
    return tree_of(model, **arrays)


@pytest.mark.parametrize("kind", ["classes", "numbers"])
def test_a_worse_split_with_all_its_numbers_right(kind: str) -> None:
    """Told wherever another cut of any feature lowers the impurity by less; the best one of each node is the truth."""
    _, X, y = data(kind)
    cls = DecisionTreeClassifier if kind == "classes" else DecisionTreeRegressor
    model = cls(random_state=0, max_depth=4).fit(X, y)
    t, rng, told = model.tree_, np.random.default_rng(0), 0
    leaf = t.children_left < 0
    last = [k for k in np.flatnonzero(~leaf) if leaf[t.children_left[k]] and leaf[t.children_right[k]]]
    for place in last:
        for _ in range(6):
            rows = np.flatnonzero(np.asarray(model.decision_path(X)[:, place].todense()).ravel())
            j = int(rng.integers(X.shape[1]))
            values = np.unique(X[rows, j].astype(np.float32)).astype(float)
            if len(values) < 2:
                continue
            k = int(rng.integers(len(values) - 1))
            lie = grown_again(model, X, y, place, j, values[k] / 2 + values[k + 1] / 2)
            left, right = t.children_left[place], t.children_right[place]
            if lie is None:
                continue
            cost = [m.weighted_n_node_samples[[left, right]] @ m.impurity[[left, right]] for m in (t, lie.tree_)]
            if cost[1] > cost[0] * (1 + 1e-5):
                told += 1
                assert not certify(lie, X, y)["splits"].holds
    assert told > 10


def test_other_data_and_parameters() -> None:
    for kind in ("classes", "numbers"):
        model, X, y = data(kind)
        rng = np.random.default_rng(0)
        w = rng.random(len(y)) + 0.5
        assert refused(model, X[::-1], y)
        assert refused(model, X[: len(X) - 5], y[: len(y) - 5])
        assert refused(model, X[:, ::-1], y)
        assert refused(model, X, y, w)
        assert refused(model, X, rng.permutation(y))
        for change in ({"max_depth": 2}, {"min_samples_leaf": 5}, {"min_samples_split": 10}, {"max_leaf_nodes": 6},
                       {"min_impurity_decrease": 0.05}, {"min_weight_fraction_leaf": 0.1}, {"ccp_alpha": 50.0},
                       {"criterion": "entropy" if kind == "classes" else "poisson"}, {"max_features": 2}):  # fmt: skip
            assert refused(copy.copy(model).set_params(**change), X, y), change
        small = type(model)(random_state=0, max_depth=2).fit(X, y)
        assert refused(small.set_params(max_depth=None), X, y)
        first = type(model)(random_state=0, max_leaf_nodes=5).fit(X, y)
        assert refused(first.set_params(max_leaf_nodes=6), X, y)
        assert refused(first.set_params(max_leaf_nodes=4), X, y)
        assert refused(first.set_params(max_leaf_nodes=None), X, y)


def test_attributes_and_answers() -> None:
    model, X, y = data("classes")

    class Proud(DecisionTreeClassifier):
        def predict_proba(self, X, check_input=True):
            return np.clip(super().predict_proba(X, check_input) + 1e-6, 0, 1)

    proud = copy.copy(model)
    proud.__class__ = Proud
    assert refused(proud, X, y)
    for name, lie in (("classes_", np.array([0, 1, 3])), ("classes_", np.array([2, 1, 0])), ("n_classes_", 4),
                      ("max_features_", 2), ("n_outputs_", 2), ("tree_", None), ("tree_", 7)):  # fmt: skip
        changed = copy.copy(model)
        setattr(changed, name, lie)
        assert refused(changed, X, y), name
