"""Forests of scikit-learn are accepted, and refused where a tree, a bag, a vote or a score is not what it should be."""

from __future__ import annotations

import copy
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import sklearn.ensemble
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, load_iris, load_wine
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

import surefit.ensemble
from surefit import certify
from surefit.certificates import Grade
from surefit.certificates.theorems import hashing
from surefit.certificates.theorems.trees.bags import rows_of, subsample
from surefit.summaries import resample
from tests.certificates.tree.test_decision_tree import refused, tree_of

PARAMETERS: dict[str, dict[str, Any]] = {
    "out of bag": {"oob_score": True},
    "share": {"max_samples": 0.5, "max_depth": 3},
    "no bootstrap": {"bootstrap": False, "min_samples_leaf": 3},
    "all features": {"max_features": None, "max_leaf_nodes": 8},
    "pruned": {"ccp_alpha": 0.02},
    "balanced": {"class_weight": "balanced"},
    "balanced bags": {"class_weight": "balanced_subsample"},
    "any seed": {"random_state": None},
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("load", [load_iris, load_wine, load_breast_cancer, load_digits, load_diabetes])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_forests_of_scikit_learn(load: Any, dtype: Any) -> None:
    X, y = load(return_X_y=True)
    X, y = X[::3].astype(dtype), y[::3]
    cls = RandomForestRegressor if load is load_diabetes else RandomForestClassifier
    model = cls(5, random_state=0, oob_score=True).fit(X, y)
    certificate = certify(model, X, y)
    assert certificate.holds, certificate
    assert certificate.grade == Grade.GREEDY
    assert certificate.not_checked == ("estimators_samples_", "feature_importances_")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", PARAMETERS)
@pytest.mark.parametrize("weights", ["none", "any", "whole"])
def test_parameters_weights_and_missing_values(name: str, weights: str) -> None:
    rng = np.random.default_rng(0)
    for load, cls in ((load_wine, RandomForestClassifier), (load_diabetes, RandomForestRegressor)):
        if cls is RandomForestRegressor and "balanced" in name:
            continue
        X, y = (a[::4] for a in load(return_X_y=True))
        X[rng.random(X.shape) < 0.05] = np.nan
        w = {"none": None, "any": rng.random(len(y)) + 0.01, "whole": rng.integers(0, 4, len(y)).astype(float)}[weights]
        model = cls(**{"n_estimators": 4, "random_state": 0, **PARAMETERS[name]}).fit(X, y, w)
        certificate = certify(model, X, y, w)
        assert certificate.holds, certificate


@pytest.fixture(params=["classes", "numbers"])
def forest(request: Any) -> tuple[Any, np.ndarray, np.ndarray]:
    X, y = (load_wine if request.param == "classes" else load_diabetes)(return_X_y=True)
    step = 4 if request.param == "classes" else 8
    X, y = X[::step, :6], y[::step]
    cls = RandomForestClassifier if request.param == "classes" else RandomForestRegressor
    return cls(8, random_state=0, oob_score=True).fit(X, y), X, y


@pytest.mark.filterwarnings("ignore")
def test_members_that_were_exchanged(forest: tuple[Any, np.ndarray, np.ndarray]) -> None:
    model, X, y = forest
    assert certify(model, X, y).holds
    for change in ("copy", "swap", "tree", "drop", "seed", "other"):
        lie = copy.copy(model)
        lie.estimators_ = [copy.copy(t) for t in model.estimators_]
        if change == "copy":
            lie.estimators_[3] = lie.estimators_[5]
        elif change == "swap":
            lie.estimators_[3], lie.estimators_[5] = lie.estimators_[5], lie.estimators_[3]
        elif change == "tree":
            lie.estimators_[3].tree_ = model.estimators_[5].tree_
        elif change == "drop":
            lie.estimators_ = lie.estimators_[:-1]
        elif change == "seed":
            lie.estimators_[3].random_state += 1
        else:
            lie.estimators_[3] = type(model)(8, random_state=1).fit(X, y).estimators_[3]
        assert refused(lie, X, y), change


@pytest.mark.filterwarnings("ignore")
def test_one_number_of_one_tree(forest: tuple[Any, np.ndarray, np.ndarray]) -> None:
    model, X, y = forest
    rng = np.random.default_rng(0)
    for name in ("value", "threshold", "impurity", "feature", "missing_go_to_left", "weighted_n_node_samples"):
        k = int(rng.integers(8))
        tree = model.estimators_[k].tree_
        array = np.array(getattr(tree, name))
        place = int(rng.choice(np.flatnonzero(tree.children_left >= 0)))
        if name == "feature":
            array[place] = (array[place] + 1) % X.shape[1]
        elif name == "missing_go_to_left":
            array[place] ^= 1
        else:
            array[place] += 1e-5 * max(1.0, float(np.abs(array[place]).max()))
        lie = copy.copy(model)
        lie.estimators_ = list(model.estimators_)
        lie.estimators_[k] = tree_of(model.estimators_[k], **{name: array})
        assert refused(lie, X, y), name


@pytest.mark.filterwarnings("ignore")
def test_scores_votes_and_data(forest: tuple[Any, np.ndarray, np.ndarray]) -> None:
    model, X, y = forest
    name = "oob_decision_function_" if hasattr(model, "classes_") else "oob_prediction_"
    for attribute, lie in (("oob_score_", model.oob_score_ + 1e-3), (name, getattr(model, name)[::-1]),
                           (name, getattr(model, name) * (1 + 1e-6)), ("n_outputs_", 2), ("estimators_", []),
                           ("estimators_", None), ("oob_score_", None), (name, None)):  # fmt: skip
        changed = copy.copy(model)
        setattr(changed, attribute, lie)
        assert refused(changed, X, y), attribute
    w = np.random.default_rng(0).random(len(y)) + 0.5
    assert refused(model, X, y, w)
    assert refused(model, X[::-1], y[::-1])
    assert refused(model, X, y[::-1])
    assert refused(model, X[:, ::-1], y)
    for change in ({"n_estimators": 9}, {"bootstrap": False}, {"max_samples": 0.5}, {"max_depth": 2},
                   {"random_state": 1}, {"min_samples_leaf": 4}, {"max_features": None}):  # fmt: skip
        if not (change == {"max_features": None} and hasattr(model, "classes_") is False):
            assert refused(copy.copy(model).set_params(**change), X, y), change

    class Proud(type(model)):  # type: ignore[misc]
        def predict(self, X):
            return super().predict(X)[::-1]

    proud = copy.copy(model)
    proud.__class__ = Proud
    assert refused(proud, X, y)


def test_bags_in_numpy_are_those_that_are_drawn() -> None:
    rng = np.random.default_rng(0)
    for w in (None, rng.integers(0, 3, 200).astype(float), rng.random(200)):
        X, y = np.round(rng.normal(size=(200, 3)), 1), rng.integers(0, 2, 200).astype(float)
        X[:50], y[:50], X[3, 1] = X[50:100], y[50:100], -0.0
        drawn = resample.distinct_examples(X, y, w)
        mine = hashing.distinct(X, y[:, None], np.ones(200) if w is None else w)
        np.testing.assert_array_equal(mine.hashes, drawn.hashes)
        np.testing.assert_array_equal(mine.weights, drawn.weights)
        np.testing.assert_array_equal(mine.owner, drawn.places())
        for seed in range(5):
            counts = mine.bootstrap(seed, 150)
            np.testing.assert_array_equal(counts, resample.bootstrap_counts(seed, drawn.weights, 150))
            np.testing.assert_array_equal(rows_of(mine, counts), np.sort(drawn.bag(counts)))
            wanted = resample.subsample_counts(seed, drawn.hashes, drawn.weights, 70)
            np.testing.assert_array_equal(subsample(mine, seed, 70), wanted)


def test_members_of_a_class_without_a_checker_are_refused() -> None:
    """The arrays of a tree in another object: nothing says how it was grown, so nothing is believed."""
    X, y = load_wine(return_X_y=True)
    model = RandomForestClassifier(3, random_state=0).fit(X, y)
    held = [SimpleNamespace(tree_=m.tree_, random_state=m.random_state) for m in model.estimators_]

    class Held(RandomForestClassifier):
        def apply(self, X):
            return np.column_stack([m.tree_.apply(np.float32(X)) for m in held])

        def predict_proba(self, X):
            return np.mean([m.tree_.predict(np.float32(X)) for m in held], axis=0)

    lie = copy.copy(model)
    lie.__class__, lie.estimators_ = Held, held
    assert refused(lie, X, y)


@pytest.mark.parametrize("library", [sklearn.ensemble, surefit.ensemble])
def test_a_tree_that_is_not_replayed_is_wrong_nevertheless(library: Any) -> None:
    """Of many trees some are replayed; the leaves of all are counted again."""
    X, y = (a[::2] for a in load_diabetes(return_X_y=True))
    model = library.RandomForestRegressor(100, random_state=0).fit(X, y)
    certificate = certify(model, X, y)
    assert certificate.holds, certificate
    assert "of 100 members" in certificate["members"].sentence
    assert "100 of 100 members" not in certificate["members"].sentence
    assert "drawn candidates cannot be seen" not in certificate["members"].sentence
    lie = copy.deepcopy(model)
    leaf = int(np.flatnonzero(lie.estimators_[57].tree_.children_left < 0)[0])
    lie.estimators_[57].tree_.value[leaf] *= 1 + 1e-9
    assert not certify(lie, X, y)["leaves"].holds
    lie = copy.deepcopy(model)
    one, other = lie.estimators_[56:58]
    one.random_state, other.random_state = other.random_state, one.random_state
    lie.estimators_[56:58] = [other, one]
    assert not certify(lie, X, y)["leaves"].holds


@pytest.mark.parametrize("library", [sklearn.ensemble, surefit.ensemble])
def test_what_is_not_replayed_is_not_called_wrong(library: Any) -> None:
    X, y = load_diabetes(return_X_y=True)
    for change in ({"criterion": "absolute_error"}, {"monotonic_cst": [1] + [0] * 9}, {"min_impurity_decrease": 1.0}):
        model = library.RandomForestRegressor(3, random_state=0, min_samples_leaf=4, **change).fit(X[::3], y[::3])
        assert certify(model, X[::3], y[::3]).grade == Grade.UNPROVED, change


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("library", [sklearn.ensemble, surefit.ensemble])
def test_scores_of_a_constant_target(library: Any) -> None:
    X = np.random.default_rng(0).normal(size=(30, 2))
    for kind in ("RandomForest", "Bagging"):
        y = np.full(30, 2.0)
        model = getattr(library, f"{kind}Regressor")(n_estimators=20, oob_score=True, random_state=0).fit(X, y)
        certificate = certify(model, X, y)
        assert certificate.holds, certificate
        model.oob_score_ = 0.5
        assert not certify(model, X, y)["oob_score"].holds


def test_trees_with_other_parameters_than_the_forest() -> None:
    X, y = load_wine(return_X_y=True)
    for library in (sklearn.ensemble, surefit.ensemble):
        for change in ({"max_features": 1}, {"max_depth": 30}, {"min_samples_split": 3}):
            model = library.RandomForestClassifier(3, random_state=0).fit(X, y).set_params(**change)
            assert refused(model, X, y), change
        model.estimator_ = None
        assert refused(model, X, y)
