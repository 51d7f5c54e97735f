"""Histogram boosting: scikit-learn's fits are accepted, and models changed in any way are refused."""

from __future__ import annotations

import copy

import numpy as np
import pytest
import sklearn.ensemble
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, load_iris, load_wine
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from threadpoolctl import threadpool_limits

import surefit
import surefit.ensemble

LOSSES = ["squared_error", "absolute_error", "poisson", "gamma", "quantile"]
X, Y = load_diabetes(return_X_y=True)
W = np.random.default_rng(0).integers(1, 4, len(X)).astype(float)


@pytest.fixture(autouse=True)
def one_thread():
    with threadpool_limits(1):
        yield


def regressor(loss="squared_error", w=None, **settings):
    settings = {"max_iter": 6, "quantile": 0.8 if loss == "quantile" else None, **settings}
    return HistGradientBoostingRegressor(loss=loss, **settings).fit(X, Y, sample_weight=w)


@pytest.mark.parametrize("load", [load_iris, load_wine, load_breast_cancer, load_digits])
def test_scikit_learns_classifiers_are_accepted(load):
    rows, labels = load(return_X_y=True)
    rows, labels = rows[:500], labels[:500]
    model = HistGradientBoostingClassifier(max_iter=8).fit(rows, labels)
    certificate = surefit.certify(model, rows, labels)
    assert certificate.holds, str(certificate)
    assert certificate.grade == "GREEDY"


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("loss", LOSSES)
def test_scikit_learns_regressors_are_accepted(loss, weighted):
    w = W if weighted else None
    certificate = surefit.certify(regressor(loss, w), X, Y, w)
    assert certificate.holds, str(certificate)


def variants():
    rng = np.random.default_rng(1)
    holes = np.where(rng.random(X.shape) < 0.1, np.nan, X)
    codes = X.copy()
    codes[:, 3] = np.digitize(X[:, 3], np.quantile(X[:, 3], np.arange(0.1, 1.0, 0.1))) * 7 + 3
    return {
        "missing values": (holes, {}),
        "missing values few bins": (holes, {"max_bins": 16, "max_leaf_nodes": 8}),
        "categories": (codes, {"categorical_features": [3], "max_depth": 4}),
        "interactions": (X, {"interaction_cst": [[0, 1, 2], [2, 8]]}),
        "drawn features": (X, {"max_features": 0.5, "random_state": 0}),
        "penalty": (X, {"l2_regularization": 5.0, "min_samples_leaf": 3, "max_leaf_nodes": None, "max_depth": 3}),
        "stopped by its own loss": (X, {"early_stopping": True, "validation_fraction": None, "tol": 1e-2}),
    }


@pytest.mark.parametrize("what", list(variants()))
def test_variants_are_accepted(what):
    rows, settings = variants()[what]
    model = HistGradientBoostingRegressor(max_iter=6, **settings).fit(rows, Y)
    certificate = surefit.certify(model, rows, Y)
    assert certificate.holds, str(certificate)


def test_bounds_of_monotonic_constraints_are_not_replayed():
    model = HistGradientBoostingRegressor(max_iter=6, monotonic_cst=[0, 0, 1, 1, 0, 0, -1, 0, 1, 0]).fit(X, Y)
    certificate = surefit.certify(model, X, Y)
    assert certificate["rounds"].grade == "UNPROVED" and "monotonic_cst" in certificate["rounds"].sentence
    assert certificate["predict"].holds


def test_rows_kept_for_validation_cannot_be_seen():
    certificate = surefit.certify(regressor(early_stopping=True), X, Y)
    assert certificate["rounds"].grade == "UNPROVED"
    assert certificate["predict"].holds


STUMPED = {"min_samples_leaf": 222, "max_iter": 3}  # more than half of the rows: no tree can be split


@pytest.mark.parametrize("module", [sklearn.ensemble, surefit.ensemble])
@pytest.mark.parametrize("loss", LOSSES)
def test_trees_that_are_not_split(loss, module):
    """They hold zero (with a kink the quantile of what is left, which is zero at the start)."""
    q = {"quantile": 0.8} if loss == "quantile" else {}
    model = module.HistGradientBoostingRegressor(loss=loss, **STUMPED, **q).fit(X, Y)
    certificate = surefit.certify(model, X, Y)
    assert certificate.holds, str(certificate)
    assert len(np.unique(model.predict(X))) == 1


@pytest.mark.parametrize("module", [sklearn.ensemble, surefit.ensemble])
def test_classes_without_curvature_left_are_not_split(module):
    """After 40 rounds a class of iris has too little curvature for a split: its last trees are leaves."""
    rows, labels = load_iris(return_X_y=True)
    model = module.HistGradientBoostingClassifier(max_iter=100).fit(rows, labels)
    certificate = surefit.certify(model, rows, labels)
    assert certificate.holds, str(certificate)
    if module is surefit.ensemble:
        assert model.trees_[-1][0].node_count == 1 and model.trees_[0][0].node_count > 1
        assert model.trees_[-1][0].value.item() == 0
        lie = copy.deepcopy(model)
        lie.trees_[-1][0].value[...] = 1e-3
        assert not surefit.certify(lie, rows, labels)["leaf_values"].holds
        lie.trees_[1][0] = model.trees_[-1][0]
        assert not surefit.certify(lie, rows, labels)["splits"].holds


def nodes_of(model, t=2):
    return model._predictors[t][0].nodes


def leaf_scaled(model, size):
    nodes = nodes_of(model)
    leaf = int(np.flatnonzero(nodes["is_leaf"])[0])
    nodes["value"][leaf] *= 1 + size


def threshold_moved(model):
    nodes = nodes_of(model)
    nodes["num_threshold"][0] += 1e-6


def next_bin(model):
    nodes = nodes_of(model)
    edges = model._bin_mapper.bin_thresholds_[nodes["feature_idx"][0]]
    place = int(np.searchsorted(edges, nodes["num_threshold"][0]))
    nodes["num_threshold"][0] = edges[place + 1 if place + 1 < len(edges) else place - 1]


def children_swapped(model):
    nodes = nodes_of(model)
    nodes["left"][0], nodes["right"][0] = nodes["right"][0], nodes["left"][0]


def round_dropped(model):
    del model._predictors[1]
    model.max_iter -= 1


def round_repeated(model):
    model._predictors.insert(1, model._predictors[1])
    model.max_iter += 1


def rounds_swapped(model):
    model._predictors[0], model._predictors[3] = model._predictors[3], model._predictors[0]


def start_moved(model):
    model._baseline_prediction = model._baseline_prediction + 1e-3


def bins_moved(model):
    model._bin_mapper.bin_thresholds_[2][1] += 1e-4


LIES = {
    **{f"leaf × (1 + {size:g})": lambda m, size=size: leaf_scaled(m, size) for size in (1e-4, 1e-2, 1.0)},
    **{
        f"{name}={value}": lambda m, name=name, value=value: setattr(m, name, value)
        for name, value in (
            ("learning_rate", 0.101),
            ("l2_regularization", 1.0),
            ("min_samples_leaf", 40),
            ("max_leaf_nodes", 7),
            ("max_depth", 2),
            ("max_bins", 100),
            ("loss", "poisson"),
            ("max_iter", 100),
        )
    },
    "threshold moved": threshold_moved,
    "next bin": next_bin,
    "children swapped": children_swapped,
    "round dropped": round_dropped,
    "round repeated": round_repeated,
    "rounds swapped": rounds_swapped,
    "start moved": start_moved,
    "bins moved": bins_moved,
}


@pytest.mark.parametrize("what", list(LIES))
def test_changed_models_are_refused(what):
    lie = copy.deepcopy(regressor())
    LIES[what](lie)
    certificate = surefit.certify(lie, X, Y)
    assert not certificate.holds, str(certificate)


def test_a_scaled_leaf_is_refused_under_every_loss():
    for loss in LOSSES:
        lie = copy.deepcopy(regressor(loss))
        leaf_scaled(lie, 1e-2)
        assert not surefit.certify(lie, X, Y)["leaf_values"].holds, loss


def test_other_data_is_refused():
    model = regressor()
    for rows, y, w in ((X[:-20], Y[:-20], None), (X, Y, W), (X[:, ::-1], Y, None), (X, Y[::-1], None)):
        assert not surefit.certify(model, rows, y, w).holds


def test_the_trace_of_the_loss_is_recomputed():
    model = regressor(early_stopping=True, validation_fraction=None)
    assert surefit.certify(model, X, Y)["train_score_"].holds
    model.train_score_[3] *= 1 + 1e-5
    assert not surefit.certify(model, X, Y)["train_score_"].holds


@pytest.mark.parametrize("module", [sklearn.ensemble, surefit.ensemble])
def test_a_loss_that_the_class_does_not_have_is_refused(module):
    rows, labels = load_breast_cancer(return_X_y=True)
    model = module.HistGradientBoostingClassifier(max_iter=3).fit(rows, labels)
    model.loss = "exponential"
    assert not surefit.certify(model, rows, labels).holds


@pytest.mark.parametrize("module", [sklearn.ensemble, surefit.ensemble])
def test_sets_of_categories_that_are_changed_are_refused(module):
    rows, settings = variants()["categories"]
    model = module.HistGradientBoostingRegressor(max_iter=6, **settings).fit(rows, Y)
    assert surefit.certify(model, rows, Y).holds
    ours = module is surefit.ensemble
    trees = [stage[0] for stage in (model.trees_ if ours else model._predictors)]
    sets = [tree.categories if ours else tree.raw_left_cat_bitsets for tree in trees]
    words = next(own for own in sets if len(own))
    words[...] = ~words
    assert not surefit.certify(model, rows, Y).holds


@pytest.mark.parametrize("lie", [None, [], [[1]], "text", [[None]]])
def test_trees_that_are_none_are_refused(lie):
    model = regressor()
    model._predictors = lie
    assert not surefit.certify(model, X, Y).holds


@pytest.mark.parametrize("cls", [HistGradientBoostingRegressor, surefit.ensemble.HistGradientBoostingRegressor])
def test_a_split_that_leaves_just_the_least_rows_is_on_offer(cls):
    """On 221 rows the second tree has a ninth leaf on offer with exactly 20: with eight it stopped too early."""
    rows, y = X[::2], Y[::2]
    model = cls(max_iter=2, max_leaf_nodes=8).fit(rows, y)
    assert surefit.certify(model, rows, y).holds
    model.set_params(max_leaf_nodes=9)
    assert not surefit.certify(model, rows, y).holds
