"""SAMME: scikit-learn's rounds, the bound of the training error, and the ways a fit can end."""

from __future__ import annotations

import numpy as np
import pytest
import sklearn.ensemble
from sklearn.tree import DecisionTreeClassifier

from surefit.solvers.boosting.row_weights import RowWeights
from surefit.solvers.boosting.samme import WorseThanChance, bound_factor, samme


def go_on(rounds):
    return False


def members_of(X, y, seed=0):
    """learn(t, w) with scikit-learn's trees, and the trees."""
    members = []

    def learn(t, w):
        members.append(DecisionTreeClassifier(max_depth=1, random_state=seed).fit(X, y, sample_weight=w))
        return members[-1].predict(X) != y

    return learn, members


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("rate", [1.0, 0.3])
def test_rounds_are_scikit_learns(n_classes, rate):
    rng = np.random.default_rng(n_classes)
    X = rng.normal(size=(150, 3)).astype(np.float32)
    y = np.digitize(X[:, 0] + X[:, 1] ** 2 + 0.3 * rng.normal(size=150), [0.3, 1.2][: n_classes - 1])
    given = rng.integers(1, 4, 150).astype(float)
    learn, _ = members_of(X, y)
    rounds = samme(learn, given, n_classes, 25, rate, go_on)
    theirs = sklearn.ensemble.AdaBoostClassifier(n_estimators=25, learning_rate=rate, random_state=0)
    theirs.fit(X, y, sample_weight=given)
    np.testing.assert_allclose([one.error for one in rounds], theirs.estimator_errors_, rtol=1e-9)
    np.testing.assert_allclose([one.weight for one in rounds], theirs.estimator_weights_, rtol=1e-9)


@pytest.mark.parametrize("rate", [1.0, 0.5, 2.0])
def test_training_error_of_two_classes_is_below_its_bound_in_every_round(rate):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(200, 2)).astype(np.float32)
    y = (X[:, 0] * X[:, 1] + 0.2 * rng.normal(size=200) > 0).astype(int)
    learn, members = members_of(X, y)
    rounds = samme(learn, np.ones(200), 2, 40, rate, go_on)
    score, bound = np.zeros(200), 1.0
    for one, member in zip(rounds, members, strict=False):
        score += one.weight * np.where(member.predict(X) == 1, 1, -1)
        bound *= one.factor
        assert np.mean((score > 0) != y) <= bound * (1 + 1e-12)


def test_bound_is_the_published_one_for_a_learning_rate_of_one():
    for error in (0.01, 0.3, 0.499):
        assert bound_factor(error, np.log((1 - error) / error)) == pytest.approx(2 * np.sqrt(error * (1 - error)))


def test_a_perfect_member_is_the_last():
    rounds = samme(lambda t, w: np.array([t == 0, False, False]), np.ones(3), 2, 10, 1.0, go_on)
    assert [one.error for one in rounds] == [pytest.approx(1 / 3), 0.0]
    assert rounds[-1].weight == 1.0


def test_a_member_no_better_than_chance_ends_the_fit_and_the_first_may_not_be_one():
    """A constant answer is wrong for half of the weight as soon as the weights have moved, to within rounding."""
    wrong = np.arange(10) < 3
    rounds = samme(lambda t, w: wrong, np.full(10, 0.1), 2, 10, 1.0, go_on)
    assert len(rounds) == 1
    with pytest.raises(WorseThanChance):
        samme(lambda t, w: np.arange(10) < 5, np.ones(10), 2, 10, 1.0, go_on)


def test_a_report_can_stop_the_fit():
    rng = np.random.default_rng(0)
    rounds = samme(lambda t, w: rng.random(50) < 0.2, np.ones(50), 2, 10, 1.0, lambda rounds: len(rounds) == 3)
    assert len(rounds) == 3


@pytest.mark.parametrize("size", [1e-300, 1.0, 1e300])
def test_weights_neither_overflow_nor_vanish(size):
    """Weights of e^±800 would leave floating point; every row can still come back."""
    weights = RowWeights(np.full(8, size))
    for t in range(50):
        weights.lower(np.where(np.arange(8) == t % 8, 1.0, np.exp(-800.0)))
        assert np.isfinite(weights.shares).all()
        assert weights.shares.min() > 0
        assert weights.shares.argmax() == t % 8


def test_weights_that_count_rows_are_repetitions():
    w = np.array([1.0, 2.0, 3.0])
    weighted, repeated = RowWeights(w), RowWeights(np.ones(6))
    for factors in ([1.0, 0.1, 0.5], [1e-300, 1.0, 1.0], [1.0, 1e-300, 1e-300]):
        weighted.lower(np.array(factors))
        repeated.lower(np.repeat(factors, [1, 2, 3]))
        np.testing.assert_allclose(weighted.shares, np.add.reduceat(repeated.shares, [0, 1, 3]), rtol=1e-14)
