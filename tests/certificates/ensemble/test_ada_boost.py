"""AdaBoost: scikit-learn's fits are accepted, and models changed in any way are refused."""

from __future__ import annotations

import copy

import numpy as np
import pytest
import sklearn.ensemble
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, load_iris, load_wine
from sklearn.ensemble import AdaBoostClassifier, AdaBoostRegressor
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

import surefit

X, Y = load_diabetes(return_X_y=True)
B, C = load_breast_cancer(return_X_y=True)
W = np.random.default_rng(0).integers(0, 4, len(B)).astype(float)


@pytest.mark.parametrize("load", [load_iris, load_wine, load_breast_cancer, load_digits])
@pytest.mark.parametrize("rate", [1.0, 0.3])
def test_scikit_learns_classifiers_are_accepted(load, rate):
    rows, labels = load(return_X_y=True)
    rows, labels = rows[:500], labels[:500]
    certificate = surefit.certify(
        AdaBoostClassifier(n_estimators=8, learning_rate=rate).fit(rows, labels), rows, labels
    )
    assert certificate.holds, str(certificate)
    assert certificate.grade == "GREEDY"


@pytest.mark.parametrize("loss", ["linear", "square", "exponential"])
def test_scikit_learns_regressors_are_accepted_with_the_rows_they_drew(loss):
    certificate = surefit.certify(AdaBoostRegressor(n_estimators=8, loss=loss, random_state=3).fit(X, Y), X, Y)
    assert certificate.holds, str(certificate)
    assert not certificate["members"].informs


def test_rows_drawn_without_a_seed_cannot_be_seen():
    certificate = surefit.certify(AdaBoostRegressor(n_estimators=4).fit(X, Y), X, Y)
    assert certificate.holds
    assert certificate["members"].informs
    assert "cannot be seen" in certificate["members"].sentence


@pytest.mark.filterwarnings("ignore:divide by zero")  # scikit-learn's logarithm of weights that are zero
@pytest.mark.parametrize("estimator", [DecisionTreeClassifier(max_depth=3, criterion="entropy"), LogisticRegression()])
def test_any_member_is_accepted(estimator):
    rows = (B - B.mean(axis=0)) / B.std(axis=0)
    model = AdaBoostClassifier(estimator, n_estimators=5).fit(rows, C, sample_weight=W)
    certificate = surefit.certify(model, rows, C, W)
    assert certificate.holds, str(certificate)


def test_the_bound_is_the_product_of_the_errors():
    model = AdaBoostClassifier(n_estimators=10).fit(B, C)
    claim = surefit.certify(model, B, C)["training_error"]
    product = np.prod(2 * np.sqrt(model.estimator_errors_ * (1 - model.estimator_errors_)))
    assert claim.limit == pytest.approx(product, rel=1e-6)
    assert claim.value == pytest.approx(1 - model.score(B, C))


def scaled(name, size):
    def lie(model):
        setattr(model, name, getattr(model, name) * (1 + size * np.eye(len(getattr(model, name)))[2]))

    return lie


def dropped(model):
    del model.estimators_[2]


def truncated(model):
    del model.estimators_[-1]


def repeated(model):
    model.estimators_[3] = model.estimators_[2]


def swapped(model):
    model.estimators_[1], model.estimators_[4] = model.estimators_[4], model.estimators_[1]


def permuted(model):
    model.estimator_weights_ = model.estimator_weights_[::-1].copy()


def threshold_moved(model):
    tree = model.estimators_[2].tree_
    tree.threshold[0] += 1e-4 * abs(tree.threshold[0])


def leaves_swapped(model):
    tree = model.estimators_[2].tree_
    tree.value[[1, 2]] = tree.value[[2, 1]]


LIES = {
    **{f"weight × (1 + {s:g})": scaled("estimator_weights_", s) for s in (1e-5, 1e-3, 0.1, -1.0)},
    **{f"error × (1 + {s:g})": scaled("estimator_errors_", s) for s in (1e-5, 1e-3, 0.1, -1.0)},
    "dropped": dropped,
    "truncated": truncated,
    "repeated": repeated,
    "swapped": swapped,
    "permuted": permuted,
    "threshold moved": threshold_moved,
    "leaves swapped": leaves_swapped,
    "another rate": lambda m: setattr(m, "learning_rate", 0.99),
    "fewer asked for": lambda m: setattr(m, "n_estimators", 5),
    "labels": lambda m: setattr(m, "classes_", m.classes_[::-1]),
    "no members": lambda m: setattr(m, "estimators_", []),
    "members that are none": lambda m: setattr(m, "estimators_", [None] * 8),
    "weights of no number": lambda m: setattr(m, "estimator_weights_", np.full(8, np.nan)),
    "deeper members": lambda m: setattr(m.estimators_[0], "max_depth", 2),
}


@pytest.mark.parametrize("what", list(LIES))
def test_changed_models_are_refused(what):
    lie = copy.deepcopy(AdaBoostClassifier(n_estimators=8).fit(B, C))
    LIES[what](lie)
    certificate = surefit.certify(lie, B, C)
    assert not certificate.holds, str(certificate)


@pytest.mark.parametrize("what", [name for name in LIES if name not in ("leaves swapped", "labels", "deeper members")])
def test_changed_regressors_are_refused(what):
    lie = copy.deepcopy(AdaBoostRegressor(n_estimators=8, random_state=1).fit(X, Y))
    LIES[what](lie)
    certificate = surefit.certify(lie, X, Y)
    assert not certificate.holds, str(certificate)


def test_members_that_do_not_take_the_best_split_are_refused():
    random = DecisionTreeClassifier(max_depth=1, splitter="random", random_state=0)
    model = AdaBoostClassifier(random, n_estimators=6).fit(B, C)
    for member in (model.estimator, model.estimator_, *model.estimators_):
        member.splitter = "best"
    certificate = surefit.certify(model, B, C)
    assert certificate["errors"].holds
    assert not certificate["members"].holds


def test_other_data_is_refused():
    model = AdaBoostClassifier(n_estimators=6).fit(B, C)
    for rows, y, w in ((B[:-20], C[:-20], None), (B, C, W), (B[:, ::-1], C, None), (B, C[::-1], None)):
        assert not surefit.certify(model, rows, y, w).holds


def test_stumps_between_neighbors_of_float32():
    """A threshold in double precision between adjacent float32 divides rows in the fit as in predict."""
    grid = np.float32(1000) + np.arange(40, dtype=np.float32) * np.spacing(np.float32(1000))
    labels = np.arange(40) % 7 > 3
    model = surefit.ensemble.AdaBoostClassifier(n_estimators=6).fit(grid[:, None], labels)
    certificate = surefit.certify(model, grid[:, None], labels)
    assert certificate.holds, str(certificate)


def test_our_regressors_with_weights_that_are_no_whole_numbers():
    """Weights that add up to less than there are rows: as many rows are drawn as there are."""
    w = np.random.default_rng(0).random(len(X))
    model = surefit.ensemble.AdaBoostRegressor(n_estimators=5, random_state=0).fit(X, Y, sample_weight=w)
    certificate = surefit.certify(model, X, Y, w)
    assert certificate.holds, str(certificate)
    assert not surefit.certify(model, X, Y).holds
    model.random_state = 1
    assert not surefit.certify(model, X, Y, w).holds


@pytest.mark.parametrize("library", [surefit.ensemble.AdaBoostRegressor, AdaBoostRegressor])
def test_fewer_members_than_asked_for_are_told(library):
    model = library(n_estimators=6, random_state=0).fit(X, Y)
    assert "rounds" not in surefit.certify(model, X, Y)
    for name in ("estimators_", "estimator_weights_", "estimator_errors_"):
        setattr(model, name, getattr(model, name)[:4])
    claim = surefit.certify(model, X, Y)["rounds"]
    assert claim.grade == "UNPROVED"
    assert "4 members, fewer than asked for" in claim.sentence


@pytest.mark.parametrize("library", [surefit.ensemble, sklearn.ensemble])
def test_a_member_that_is_never_wrong(library):
    rows = np.arange(20.0)[:, None]
    model = library.AdaBoostClassifier(n_estimators=4).fit(rows, np.arange(20) > 7)
    assert model.estimator_errors_[0] == 0
    certificate = surefit.certify(model, rows, np.arange(20) > 7)
    assert certificate.holds and "rounds" not in certificate, str(certificate)
    model = library.AdaBoostRegressor(n_estimators=4, random_state=0).fit(rows, np.full(20, 2.0))
    assert surefit.certify(model, rows, np.full(20, 2.0)).holds
