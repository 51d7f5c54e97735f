"""Gradient boosting: scikit-learn's fits are accepted, and models changed in any way are refused."""

from __future__ import annotations

import copy

import numpy as np
import pytest
import sklearn.ensemble
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, load_iris, load_wine
from sklearn.ensemble import GradientBoostingClassifier, GradientBoostingRegressor
from sklearn.linear_model import LinearRegression

import surefit
import surefit.ensemble
from surefit.certificates.claim import Grade

LOSSES = ["squared_error", "absolute_error", "huber", "quantile"]
X, Y = load_diabetes(return_X_y=True)
W = np.random.default_rng(0).integers(0, 4, len(X)).astype(float)


def regressor(loss="squared_error", w=None, **settings):
    settings = {"n_estimators": 6, "random_state": 0, **settings}
    return GradientBoostingRegressor(loss=loss, **settings).fit(X, Y, sample_weight=w)


@pytest.mark.parametrize("load", [load_iris, load_wine, load_breast_cancer, load_digits])
def test_scikit_learns_classifiers_are_accepted(load):
    rows, labels = load(return_X_y=True)
    rows, labels = rows[:400], labels[:400]
    certificate = surefit.certify(GradientBoostingClassifier(n_estimators=5).fit(rows, labels), rows, labels)
    assert certificate.holds, str(certificate)
    assert certificate.grade == "GREEDY"


def test_exponential_loss_is_accepted():
    rows, labels = load_breast_cancer(return_X_y=True)
    model = GradientBoostingClassifier(n_estimators=5, loss="exponential").fit(rows, labels)
    certificate = surefit.certify(model, rows, labels)
    assert certificate.holds, str(certificate)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("loss", LOSSES)
def test_scikit_learns_regressors_are_accepted(loss, weighted):
    w = W if weighted else None
    certificate = surefit.certify(regressor(loss, w), X, Y, w)
    assert certificate.holds, str(certificate)


@pytest.mark.parametrize(
    "settings",
    [
        {"max_leaf_nodes": 5, "max_depth": None},
        {"max_features": 3},
        {"init": "zero"},
        {"init": LinearRegression()},
        {"min_samples_leaf": 30, "learning_rate": 0.5},
        {"ccp_alpha": 50.0},
    ],
    ids=str,
)
def test_variants_are_accepted(settings):
    certificate = surefit.certify(regressor(**settings), X, Y)
    assert certificate.holds, str(certificate)


@pytest.mark.parametrize("settings", [{"subsample": 0.5}, {"n_iter_no_change": 3}], ids=str)
def test_rows_that_cannot_be_seen_are_said(settings):
    certificate = surefit.certify(regressor(**settings), X, Y)
    assert certificate["stages"].grade == "UNPROVED"
    assert "cannot be seen" in certificate["stages"].sentence
    assert certificate["predict"].holds


def leaf_scaled(model, size):
    tree = model.estimators_[2, 0].tree_
    tree.value[np.flatnonzero(tree.children_left < 0)[0]] *= 1 + size


def threshold_moved(model):
    tree = model.estimators_[0, 0].tree_
    tree.threshold[0] += 1e-4


def dropped(model):
    model.estimators_ = np.delete(model.estimators_, 1, axis=0)
    model.train_score_ = np.delete(model.train_score_, 1)
    model.n_estimators = model.n_estimators_ = 5


def repeated(model):
    model.estimators_[3, 0] = model.estimators_[2, 0]


def swapped(model):
    model.estimators_[[0, 4]] = model.estimators_[[4, 0]]


def trace_changed(model):
    model.train_score_[2] *= 1 + 1e-5


def start_moved(model):
    model.init_.constant_ = model.init_.constant_ + 1e-3


LIES = {
    **{f"leaf × (1 + {size:g})": lambda m, size=size: leaf_scaled(m, size) for size in (1e-5, 1e-3, 0.1, 1.0)},
    **{
        f"{name}={value}": lambda m, name=name, value=value: setattr(m, name, value)
        for name, value in (
            ("learning_rate", 0.1001),
            ("max_depth", 2),
            ("min_samples_leaf", 9),
            ("loss", "huber"),
            ("loss", "unheard"),
            ("n_estimators", 7),
            ("n_estimators_", 7),
            ("max_features_", 3),
            ("estimators_", np.zeros((6, 1))),
            ("estimators_", None),
            ("train_score_", None),
            ("init_", None),
            ("init", "zero"),
        )
    },
    "threshold moved": threshold_moved,
    "stage dropped": dropped,
    "stage repeated": repeated,
    "stages swapped": swapped,
    "trace changed": trace_changed,
    "start moved": start_moved,
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


def test_trees_that_do_not_take_the_best_split_are_refused():
    """Trees of other features, with leaf values that are right for them."""
    model = regressor(max_features=1)
    model.max_features = None
    model.max_features_ = X.shape[1]
    for tree in model.estimators_[:, 0]:
        tree.max_features, tree.max_features_ = None, X.shape[1]
    certificate = surefit.certify(model, X, Y)
    assert certificate["leaf_values"].holds
    assert not certificate["splits"].holds


@pytest.mark.parametrize("module", [sklearn.ensemble, surefit.ensemble])
def test_trees_that_stopped_too_early_are_refused(module):
    """By their depth, or best first by their number of leaves."""
    for few, more in (({"max_depth": 2}, {"max_depth": 3}), ({"max_leaf_nodes": 5}, {"max_leaf_nodes": 6})):
        model = module.GradientBoostingRegressor(n_estimators=3, random_state=0, **few).fit(X, Y)
        assert surefit.certify(model, X, Y)["splits"].holds
        model.set_params(**more)
        assert not surefit.certify(model, X, Y)["splits"].holds


@pytest.mark.parametrize("module", [sklearn.ensemble, surefit.ensemble])
def test_a_tree_that_was_not_grown_best_first_is_refused(module):
    """A tree of three leaves that has split the worse of the two nodes below the root."""
    rows = np.array([[0.0], [1.0], [10.0], [11.0]])
    y = np.array([0.0, 4.0, 20.0, 21.0])
    settings = {"n_estimators": 1, "max_depth": None, "learning_rate": 1.0, "init": "zero"}
    full = module.GradientBoostingRegressor(**settings, max_leaf_nodes=4).fit(rows, y)
    best = module.GradientBoostingRegressor(**settings, max_leaf_nodes=3).fit(rows, y)
    assert surefit.certify(full, rows, y).holds and surefit.certify(best, rows, y).holds
    worse = module.GradientBoostingRegressor(**settings, max_leaf_nodes=3)
    worse.fit(rows, np.array([2.0, 2.0, 18.0, 23.0]))  # splits the right side
    tree = worse.estimators_[0, 0].tree_
    for node in range(5):  # with the values of y
        reached = worse.estimators_[0, 0].apply(rows.astype(np.float32)) == node
        if reached.any():
            tree.value[node] = y[reached].mean()
    certificate = surefit.certify(worse, rows, y)
    assert certificate["leaf_values"].holds and not certificate["splits"].holds


def test_how_members_of_ones_own_were_fitted_is_not_checked():
    model = surefit.ensemble.GradientBoostingRegressor(n_estimators=3, estimator=LinearRegression()).fit(X, Y)
    certificate = surefit.certify(model, X, Y)
    assert certificate.holds and "not checked" in certificate["splits"].sentence
    model.train_score_[2] *= 1 + 1e-5
    assert not surefit.certify(model, X, Y).holds


def test_steps_are_one_for_each_stage():
    model = surefit.ensemble.GradientBoostingRegressor(n_estimators=3).fit(X, Y)
    assert surefit.certify(model, X, Y).holds
    for lie in (model.step_sizes_[:-1], model.step_sizes_ * 1.001):
        model.step_sizes_ = lie
        assert not surefit.certify(model, X, Y).holds


@pytest.mark.parametrize("module", [sklearn.ensemble, surefit.ensemble])
def test_losses_of_rounding_alone_are_accepted(module):
    """After 60 stages of full steps all rows of iris and wine are right, and what is left of the loss is rounding."""
    for load in (load_iris, load_wine):
        rows, labels = load(return_X_y=True)
        model = module.GradientBoostingClassifier(n_estimators=60, learning_rate=1.0, random_state=0)
        certificate = surefit.certify(model.fit(rows, labels), rows, labels)
        assert certificate.holds, str(certificate)


def test_shares_that_round_to_zero_are_accepted():
    """Their logarithm is −∞: it is not claimed."""
    rng = np.random.default_rng(0)
    rows, labels = rng.normal(size=(300, 4)), rng.integers(0, 12, 300)
    model = surefit.ensemble.GradientBoostingClassifier(n_estimators=60, learning_rate=1.0, random_state=0)
    certificate = surefit.certify(model.fit(rows, labels), rows, labels)
    assert (model.predict_proba(rows) == 0).any()
    assert certificate.holds and "predict_log_proba" in certificate.not_checked, str(certificate)


@pytest.mark.parametrize("module", [sklearn.ensemble, surefit.ensemble])
def test_deep_trees_are_looked_at_everywhere(module):
    """With a leaf for each of 442 rows, whose targets all differ after the first tree, 441 splits in a tree."""
    model = module.GradientBoostingRegressor(n_estimators=3, max_depth=None, random_state=0).fit(X, Y)
    certificate = surefit.certify(model, X, Y)
    assert certificate.holds and "At 1323 nodes of 3" in certificate["splits"].sentence, str(certificate)


def test_other_data_is_refused():
    model = regressor()
    for rows, y, w in ((X[:-20], Y[:-20], None), (X, Y, W), (X[:, ::-1], Y, None), (X, Y[::-1], None)):
        assert not surefit.certify(model, rows, y, w).holds


def test_steps_of_a_loss_below_zero():
    """Poisson's loss, without what depends on y alone, is negative for large counts."""
    counts = np.arange(1.0, 41.0) ** 2
    rows = np.arange(40.0)[:, None]
    model = surefit.ensemble.GradientBoostingRegressor(loss="poisson", n_estimators=5, line_search=True).fit(
        rows, counts
    )
    assert model.train_score_[-1] < 0
    assert surefit.certify(model, rows, counts).holds
    model.step_sizes_ = model.step_sizes_ * 1.01
    assert not surefit.certify(model, rows, counts).holds


def test_a_loss_of_ones_own_is_undecided():
    class LogCosh:
        def value(self, y, raw):
            return np.logaddexp(raw - y, y - raw)

        def gradient(self, y, raw):
            return np.tanh(raw - y)

    rows, y = np.arange(20.0)[:, None], np.arange(20.0) % 5
    model = surefit.ensemble.GradientBoostingRegressor(loss=LogCosh(), n_estimators=3).fit(rows, y)
    (claim,) = surefit.certify(model, rows, y).claims
    assert claim.grade is Grade.UNPROVED
