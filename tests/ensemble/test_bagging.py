"""Bagging: draws and means derived again, weights as repetition, what reaches the members, out-of-bag judgement."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import r2_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from surefit.ensemble.bagging.bagging_classifier import BaggingClassifier
from surefit.ensemble.bagging.bagging_regressor import BaggingRegressor
from surefit.naive_bayes import BernoulliNB, GaussianNB
from surefit.neighbors import KNeighborsClassifier
from surefit.summaries.canonical import example_hashes


class Seen(ClassifierMixin, BaseEstimator):
    """Remembers what it was given; says the class of most weight."""

    def fit(self, X, y, sample_weight=None):
        self.X_, self.y_, self.w_ = X, y, sample_weight
        self.classes_, codes = np.unique(y, return_inverse=True)
        self.most_ = self.classes_[np.bincount(codes, weights=sample_weight).argmax()]
        return self

    def predict(self, X):
        return np.full(X.shape[0], self.most_)


class SeenUnweighted(Seen):
    def fit(self, X, y):
        return super().fit(X, y)


def classes(seed=0, n=150, n_classes=3):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    return X, np.digitize(X[:, 0] + 0.5 * X[:, 1] ** 2 + 0.3 * rng.normal(size=n), [0.0, 0.8][: n_classes - 1])


def numbers(seed=0, n=150):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    return X, X[:, 0] * X[:, 1] + rng.normal(size=n)


def test_samples_are_drawn_by_the_stated_rule():
    """The rule written again: seeds, canonical order, inverse of the cumulative weight."""
    X, y = classes()
    w = np.random.default_rng(1).integers(0, 3, len(y)).astype(float)
    model = BaggingClassifier(n_estimators=4, random_state=7).fit(X, y, sample_weight=w)
    hashes = example_hashes(X, y.astype(float))
    order = np.array(sorted(np.flatnonzero(w), key=lambda i: int(hashes[i])))
    sums = np.cumsum(w[order])
    seeds = np.random.default_rng(7).integers(0, 2**31 - 1, 4)
    for seed, rows, member in zip(seeds, model.estimators_samples_, model.estimators_, strict=True):
        marks = np.random.default_rng(seed).random(int(w.sum())) * sums[-1]
        places = [next(i for i, c in enumerate(sums) if c > mark) for mark in marks]
        np.testing.assert_array_equal(np.sort(rows), np.sort(order[places]))
        assert member.random_state == seed


def test_members_and_their_mean_are_derived_again():
    X, y = classes()
    model = BaggingClassifier(GaussianNB(), n_estimators=5, max_samples=0.6, max_features=3, random_state=0).fit(X, y)
    total = np.zeros((len(y), 3))
    drawn = zip(model.estimators_samples_, model.estimators_features_, model.estimators_, strict=True)
    for rows, columns, member in drawn:
        assert len(rows) == 90
        assert len(np.unique(columns)) == 3
        again = GaussianNB().fit(X[rows][:, columns], y[rows])
        np.testing.assert_allclose(member.theta_, again.theta_, rtol=1e-12)
        total += again.predict_proba(X[:, columns])
    np.testing.assert_allclose(model.predict_proba(X), total / 5, rtol=1e-9)
    np.testing.assert_allclose(np.exp(model.predict_log_proba(X)), total / 5, rtol=1e-9)
    np.testing.assert_array_equal(model.predict(X), total.argmax(axis=1))


def test_regressors_and_several_outputs():
    X, y = numbers()
    Y = np.column_stack([y, -y])
    model = BaggingRegressor(n_estimators=5, random_state=0).fit(X, Y)
    np.testing.assert_allclose(model.predict(X), np.mean([m.predict(X) for m in model], axis=0), rtol=1e-12)
    assert model.predict(X).shape == Y.shape


@pytest.mark.parametrize(
    "how", [{}, {"max_samples": 0.5}, {"bootstrap": False, "max_samples": 0.5}, {"max_samples": 40}]
)
@pytest.mark.filterwarnings("ignore:When fitting", "ignore:Some inputs")
def test_a_weight_is_a_repetition_also_shuffled(how):
    X, y = classes()
    rng = np.random.default_rng(0)
    w = rng.integers(0, 4, len(y))
    order = rng.permutation(w.sum())
    oob = {"oob_score": True, "n_estimators": 40} if how.get("bootstrap", True) else {"n_estimators": 6}
    one = BaggingClassifier(random_state=0, **how, **oob).fit(X, y, sample_weight=w)
    two = BaggingClassifier(random_state=0, **how, **oob).fit(np.repeat(X, w, axis=0)[order], np.repeat(y, w)[order])
    np.testing.assert_allclose(one.predict_proba(X), two.predict_proba(X), rtol=1e-12, atol=1e-14)
    if "oob_score" in oob:
        np.testing.assert_allclose(one.oob_score_, two.oob_score_, rtol=1e-12)
        repeated = np.repeat(one.oob_decision_function_, w, axis=0)[order]
        np.testing.assert_allclose(repeated, two.oob_decision_function_, rtol=1e-10)


def test_out_of_bag_judgement_by_hand():
    X, y = numbers()
    model = BaggingRegressor(n_estimators=25, oob_score=True, random_state=0).fit(X, y)
    total, count = np.zeros(len(y)), np.zeros(len(y))
    for rows, member in zip(model.estimators_samples_, model.estimators_, strict=True):
        out = np.setdiff1d(np.arange(len(y)), rows)
        total[out] += member.predict(X[out])
        count[out] += 1
    np.testing.assert_allclose(model.oob_prediction_, total / count, rtol=1e-12)
    assert model.oob_score_ == pytest.approx(r2_score(y, total / count))


def test_equal_rows_are_out_of_the_bag_together():
    """Else a row would be judged by members that saw its copy."""
    X, _ = classes(n=60)
    rng = np.random.default_rng(0)
    noise = rng.integers(0, 3, 60)  # labels that nothing tells: judged honestly, a third is right
    X, noise = np.repeat(X, 5, axis=0), np.repeat(noise, 5)
    model = BaggingClassifier(DecisionTreeClassifier(), n_estimators=50, oob_score=True, random_state=0, max_samples=60)
    assert model.fit(X, noise).oob_score_ < 0.6


@pytest.mark.parametrize("base", [Seen(), SeenUnweighted()])
def test_only_drawn_rows_reach_a_member(base):
    X, y = classes(n=2000)
    model = BaggingClassifier(base, n_estimators=3, max_samples=0.1, random_state=0).fit(X, y)
    for rows, member in zip(model.estimators_samples_, model.estimators_, strict=True):
        if member.w_ is None:
            np.testing.assert_array_equal(member.X_, X[rows])
        else:
            assert len(member.X_) < 200
            np.testing.assert_array_equal(np.repeat(member.X_, member.w_.astype(int), axis=0), X[rows])


def test_same_bits_for_any_number_of_jobs():
    X, y = classes()
    one = BaggingClassifier(n_estimators=6, random_state=0).fit(X, y)
    two = BaggingClassifier(n_estimators=6, random_state=0, n_jobs=2).fit(X, y)
    np.testing.assert_array_equal(one.predict_proba(X), two.predict_proba(X))


def test_warm_start_is_a_longer_fit_and_remembers_all_samples():
    X, y = classes()
    warm = BaggingClassifier(n_estimators=3, random_state=0, warm_start=True).fit(X, y)
    warm.set_params(n_estimators=7).fit(X, y)
    cold = BaggingClassifier(n_estimators=7, random_state=0).fit(X, y)
    np.testing.assert_array_equal(warm.predict_proba(X), cold.predict_proba(X))
    for one, two in zip(warm.estimators_samples_, cold.estimators_samples_, strict=True):
        np.testing.assert_array_equal(one, two)


@pytest.mark.parametrize("n", [60, 1500])
def test_members_know_classes_that_they_did_not_see(n):
    X, y = classes(n=n)
    model = BaggingClassifier(GaussianNB(), n_estimators=20, max_samples=3, random_state=2).fit(X, y)
    assert any(len(np.unique(y[rows])) < 3 for rows in model.estimators_samples_)
    assert all(len(member.classes_) == 3 for member in model)
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1)


def test_members_without_weights_may_know_fewer_classes():
    X, y = classes(n=60)
    model = BaggingClassifier(KNeighborsClassifier(1), n_estimators=20, max_samples=3, random_state=2).fit(X, y)
    assert len({len(member.classes_) for member in model}) > 1
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1)


def test_rows_of_any_kind_reach_a_pipeline():
    X = np.array([["a", "x"], ["b", "x"], ["a", "y"], ["b", "y"]] * 10, dtype=object)
    y = (X[:, 0] == "a").astype(int)
    model = BaggingClassifier(make_pipeline(OneHotEncoder(handle_unknown="ignore"), BernoulliNB()), random_state=0)
    order = np.random.default_rng(0).permutation(40)
    shuffled = BaggingClassifier(model.estimator, random_state=0).fit(X[order], y[order])
    np.testing.assert_allclose(model.fit(X, y).predict_proba(X), shuffled.predict_proba(X), rtol=1e-10)
    assert model.score(X, y) == 1.0


def test_votes_where_members_have_no_probabilities():
    X, y = classes()
    named = BaggingClassifier(LinearSVC(), n_estimators=5, random_state=0).fit(X, np.array(["a", "b", "c"])[y])
    assert set(named.predict(X)) == {"a", "b", "c"}
    model = BaggingClassifier(LinearSVC(), n_estimators=5, random_state=0).fit(X, y)
    np.testing.assert_array_equal(named.predict_proba(X), model.predict_proba(X))
    votes = np.array([member.predict(X) for member in model])
    shares = np.array([(votes == c).mean(axis=0) for c in range(3)]).T
    np.testing.assert_allclose(model.predict_proba(X), shares)
    np.testing.assert_allclose(
        model.decision_function(X), np.mean([member.decision_function(X) for member in model], axis=0), rtol=1e-12
    )
    assert not hasattr(BaggingClassifier(KNeighborsClassifier()).fit(X, y), "decision_function")


def test_sparse_rows_missing_values_and_float32():
    X, y = classes()
    X = np.where(np.abs(X) < 0.5, 0.0, X).astype(np.float32).astype(np.float64)  # the same rows in both precisions
    dense = BaggingClassifier(n_estimators=4, random_state=0).fit(X, y).predict_proba(X)
    for container in (sp.csr_array, sp.csc_array):
        sparse = BaggingClassifier(n_estimators=4, random_state=0).fit(container(X), y)
        np.testing.assert_allclose(sparse.predict_proba(container(X)), dense)
    single = BaggingClassifier(n_estimators=4, random_state=0).fit(X.astype(np.float32), y)
    np.testing.assert_array_equal(single.predict_proba(X.astype(np.float32)), dense)
    X[::7, 1] = np.nan
    assert np.isfinite(BaggingClassifier(n_estimators=4, random_state=0).fit(X, y).predict_proba(X)).all()


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"max_samples": 1.5}, "a share of at most 1"),
        ({"max_features": 9}, "max_features must be <= n_features"),
        ({"oob_score": True, "bootstrap": False}, "only available if bootstrap=True"),
        ({"oob_score": True, "warm_start": True}, "only available if warm_start=False"),
        ({"bootstrap": False, "max_samples": 151}, "max_samples=151 must be <= n_samples=150"),
    ],
)
def test_what_does_not_go_together(params, words):
    with pytest.raises(ValueError, match=words):
        BaggingClassifier(**params).fit(*classes())
