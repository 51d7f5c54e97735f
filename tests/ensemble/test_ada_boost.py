"""AdaBoost: scikit-learn's answer where ties are absent, weights as repetition, and every way a fit can end."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.ensemble
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LinearRegression

from surefit.ensemble.boosting.ada_boost import AdaBoostClassifier
from surefit.ensemble.boosting.ada_boost_regressor import AdaBoostRegressor
from surefit.naive_bayes import GaussianNB
from surefit.summaries.resample import bootstrap_counts, distinct_examples
from surefit.tree.decision_tree_classifier import DecisionTreeClassifier


def classes(seed, n=120, d=4, n_classes=2):
    """Values that float32 holds, since scikit-learn's trees round to it."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)).astype(np.float32).astype(np.float64)
    score = X[:, 0] + X[:, 1] * X[:, 2] + 0.5 * rng.normal(size=n)
    return X, np.digitize(score, np.linspace(-0.8, 0.8, n_classes - 1) if n_classes > 2 else [0.0])


def numbers(seed, n=120, d=3):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, np.sin(2 * X[:, 0]) + X[:, 1] + 0.1 * rng.normal(size=n)


@pytest.mark.parametrize("n_classes", [2, 3, 5])
@pytest.mark.parametrize("rate", [1.0, 0.2])
def test_scikit_learns_answer(n_classes, rate):
    for seed in range(2):
        X, y = classes(seed, n_classes=n_classes)
        w = np.random.default_rng(seed).uniform(0.5, 2, len(y))
        ours = AdaBoostClassifier(n_estimators=20, learning_rate=rate, random_state=0).fit(X, y, sample_weight=w)
        theirs = sklearn.ensemble.AdaBoostClassifier(n_estimators=20, learning_rate=rate, random_state=0)
        theirs.fit(X, y, sample_weight=w)
        np.testing.assert_allclose(ours.estimator_errors_, theirs.estimator_errors_, rtol=1e-8)
        np.testing.assert_allclose(ours.estimator_weights_, theirs.estimator_weights_, rtol=1e-8)
        np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), rtol=1e-8)
        np.testing.assert_allclose(ours.feature_importances_, theirs.feature_importances_, rtol=1e-6, atol=1e-12)
        np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
        for mine, other in zip(ours.staged_decision_function(X), theirs.staged_decision_function(X), strict=True):
            np.testing.assert_allclose(mine, other, rtol=1e-8, atol=1e-12)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_stumps_of_the_native_loop_are_those_of_the_tree(n_classes):
    """With two leaves asked for, the tree grows the same stump by its own way."""
    X, y = classes(1, n_classes=n_classes)
    fast = AdaBoostClassifier(n_estimators=15, random_state=0).fit(X, y)
    slow = AdaBoostClassifier(DecisionTreeClassifier(max_depth=1, max_leaf_nodes=2), n_estimators=15, random_state=0)
    slow.fit(X, y)
    np.testing.assert_allclose(fast.estimator_weights_, slow.estimator_weights_, rtol=1e-10)
    for one, other in zip(fast.estimators_, slow.estimators_, strict=True):
        for name in ("feature", "threshold", "children_left", "children_right", "n_node_samples"):
            np.testing.assert_array_equal(getattr(one.tree_, name), getattr(other.tree_, name), err_msg=name)
        for name in ("value", "impurity", "weighted_n_node_samples"):
            np.testing.assert_allclose(getattr(one.tree_, name), getattr(other.tree_, name), atol=1e-12, err_msg=name)
        assert {k for k in vars(one) if k.endswith("_")} == {k for k in vars(other) if k.endswith("_")}
        np.testing.assert_array_equal(one.predict(X), other.predict(X))
        assert one.random_state == other.random_state


@pytest.mark.parametrize("seed", range(5))
def test_a_weight_is_a_repetition_bit_by_bit_also_shuffled(seed):
    X, y = classes(seed, n_classes=3)
    rng = np.random.default_rng(seed)
    w = rng.integers(0, 4, len(y))
    order = rng.permutation(w.sum())
    one = AdaBoostClassifier(n_estimators=10).fit(X, y, sample_weight=w)
    two = AdaBoostClassifier(n_estimators=10).fit(np.repeat(X, w, axis=0)[order], np.repeat(y, w)[order])
    np.testing.assert_array_equal(one.estimator_weights_, two.estimator_weights_)
    np.testing.assert_array_equal(one.predict_proba(X), two.predict_proba(X))


@pytest.mark.parametrize("rate", [1.0, 0.5])
def test_training_error_stays_below_its_bound(rate):
    X, y = load_breast_cancer(return_X_y=True)
    w = np.random.default_rng(0).integers(1, 4, len(y)).astype(float)
    model = AdaBoostClassifier(n_estimators=40, learning_rate=rate).fit(X, y, sample_weight=w)
    wrong = [1 - score for score in model.staged_score(X, y, sample_weight=w)]
    bound = model.history_["bound"]
    assert (np.array(wrong) <= bound * (1 + 1e-9)).all()
    assert bound[-1] < 0.2
    if rate == 1.0:
        error = model.history_["error"]
        np.testing.assert_allclose(bound, np.cumprod(2 * np.sqrt(error * (1 - error))), rtol=1e-12)


def test_a_perfect_stump_one_class_and_constant_rows():
    X = np.array([[0.0], [1.0], [2.0], [3.0]])
    perfect = AdaBoostClassifier().fit(X, [0, 0, 1, 1])
    assert len(perfect) == 1
    assert perfect.estimator_errors_[0] == 0
    np.testing.assert_array_equal(perfect.predict(X), [0, 0, 1, 1])
    single = AdaBoostClassifier().fit(X, ["a"] * 4)
    np.testing.assert_array_equal(single.predict_proba(X), np.ones((4, 1)))
    assert list(single.predict(X)) == ["a"] * 4
    constant = AdaBoostClassifier().fit(np.zeros((5, 2)), [0, 1, 1, 1, 0])
    assert len(constant) == 1
    assert (constant.predict(np.zeros((2, 2))) == 1).all()


def test_members_that_are_no_use_are_told():
    X, y = np.zeros((4, 1)), [0, 1, 0, 1]
    with pytest.raises(ValueError, match=r"worse than random.*0\.5 of the weight wrong"):
        AdaBoostClassifier().fit(X, y)
    with pytest.raises(ValueError, match="KNeighborsClassifier doesn't support sample_weight"):
        AdaBoostClassifier(sklearn.neighbors.KNeighborsClassifier()).fit(X, y)


@pytest.mark.filterwarnings("error")
def test_a_high_learning_rate_overflows_nothing():
    X, y = load_iris(return_X_y=True)
    model = AdaBoostClassifier(n_estimators=30, learning_rate=23.0).fit(X, y)
    assert np.isfinite(model.estimator_weights_).all()
    assert np.isfinite(model.predict_proba(X)).all()


def test_any_learner_that_takes_weights():
    X, y = classes(0)
    assert AdaBoostClassifier(GaussianNB(), n_estimators=5).fit(X, y).score(X, y) > 0.6
    labels = np.array(["no", "yes"])[y]
    model = AdaBoostClassifier(DummyClassifier(), n_estimators=5).fit(X, labels)
    assert set(model.predict(X)) <= {"no", "yes"}
    deep = AdaBoostClassifier(DecisionTreeClassifier(max_depth=3), n_estimators=30, random_state=0).fit(X, labels)
    assert deep.score(X, labels) == 1.0


def test_sparse_rows_and_float32():
    X, y = classes(2)
    X = np.where(np.abs(X) < 0.5, 0.0, X)
    dense = AdaBoostClassifier(n_estimators=10).fit(X, y)
    for container in (sp.csr_array, sp.csc_matrix):
        sparse = AdaBoostClassifier(n_estimators=10).fit(container(X), y)
        np.testing.assert_array_equal(sparse.predict_proba(container(X)), dense.predict_proba(X))
    single = AdaBoostClassifier(n_estimators=10).fit(X.astype(np.float32), y).predict_proba(X.astype(np.float32))
    np.testing.assert_allclose(single, dense.predict_proba(X), rtol=1e-5)


@pytest.mark.parametrize("loss", ["linear", "square", "exponential"])
def test_members_of_the_regressor_are_fits_to_what_their_seed_draws(loss):
    """Drawn again here, with the weights of the rounds derived again from the losses."""
    X, y = numbers(0)
    model = AdaBoostRegressor(LinearRegression(), n_estimators=6, loss=loss, random_state=3).fit(X, y)
    seeds = np.random.default_rng(3).integers(0, 2**31 - 1, 6)
    examples = distinct_examples(X, y)
    rows, share = examples.first_rows, np.full(len(y), 1 / len(y))
    for t, member in enumerate(model.estimators_):
        drawn = np.repeat(rows, bootstrap_counts(int(seeds[t]), share, len(y)))
        again = LinearRegression().fit(X[drawn], y[drawn])
        np.testing.assert_allclose(member.coef_, again.coef_, rtol=1e-12)
        r = np.abs(again.predict(X[rows]) - y[rows])
        r /= r.max()
        L = {"linear": r, "square": r**2, "exponential": 1 - np.exp(-r)}[loss]
        error = (share * L).sum()
        np.testing.assert_allclose(model.estimator_errors_[t], error, rtol=1e-10)
        share = share * (error / (1 - error)) ** (1 - L)
        share /= share.sum()


def test_the_regressor_reads_weights_as_repetition_and_ignores_the_order_of_rows():
    X, y = numbers(1)
    rng = np.random.default_rng(0)
    w = rng.integers(0, 4, len(y))
    order = rng.permutation(w.sum())
    one = AdaBoostRegressor(n_estimators=8, random_state=0).fit(X, y, sample_weight=w)
    two = AdaBoostRegressor(n_estimators=8, random_state=0).fit(np.repeat(X, w, axis=0)[order], np.repeat(y, w)[order])
    np.testing.assert_allclose(one.predict(X), two.predict(X), rtol=1e-12)
    np.testing.assert_allclose(one.estimator_weights_, two.estimator_weights_, rtol=1e-10)
    assert len(set(member.random_state for member in one)) == len(one)


def test_weights_that_add_up_to_one_are_no_small_sample():
    X, y = numbers(2)
    model = AdaBoostRegressor(random_state=0).fit(X, y, sample_weight=np.full(len(y), 1 / len(y)))
    np.testing.assert_allclose(model.predict(X), AdaBoostRegressor(random_state=0).fit(X, y).predict(X), rtol=1e-12)


def test_the_median_of_the_members_is_the_answer():
    X, y = numbers(3)
    model = AdaBoostRegressor(n_estimators=9, random_state=0).fit(X, y)
    answers = np.array([member.predict(X) for member in model])
    weights = model.estimator_weights_[: len(model)]
    said = model.predict(X)
    for i in range(len(X)):  # half of the weight lies at or below it, and at or above it
        assert weights[answers[:, i] <= said[i]].sum() >= 0.5 * weights.sum() * (1 - 1e-12)
        assert weights[answers[:, i] >= said[i]].sum() >= 0.5 * weights.sum() * (1 - 1e-12)
    *_, last = model.staged_predict(X)
    np.testing.assert_array_equal(last, said)
