"""AdaBoost.R2: scikit-learn's errors and weights for given members, and its weighted median."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
import pytest
import sklearn.ensemble
from sklearn.base import BaseEstimator, RegressorMixin

from surefit.solvers.boosting.r2 import boost_r2, weighted_median


class Given(RegressorMixin, BaseEstimator):
    """Answers that were written down before: those of its turn."""

    answers: ClassVar[list] = []
    turn = 0

    def fit(self, X, y):
        self.answer_ = Given.answers[Given.turn]
        Given.turn += 1
        return self

    def predict(self, X):
        return self.answer_


def problem(n=40, rounds=8):
    rng = np.random.default_rng(0)
    y = rng.normal(size=n)
    return y, [y + rng.normal(size=n) * rng.random(n) for _ in range(rounds)]


@pytest.mark.parametrize("loss", ["linear", "square", "exponential"])
@pytest.mark.parametrize("rate", [1.0, 0.4])
def test_rounds_and_answers_are_scikit_learns(loss, rate):
    y, answers = problem()
    Given.answers, Given.turn = answers, 0
    theirs = sklearn.ensemble.AdaBoostRegressor(Given(), n_estimators=8, loss=loss, learning_rate=rate, random_state=0)
    theirs.fit(np.zeros((40, 1)), y)
    rounds, kept = boost_r2(lambda t, w: answers[t], y, np.ones(40), loss, 8, rate, lambda rounds: False)
    assert kept == len(theirs.estimators_)
    np.testing.assert_allclose([one.error for one in rounds], theirs.estimator_errors_[: len(rounds)], rtol=1e-12)
    np.testing.assert_allclose([one.weight for one in rounds], theirs.estimator_weights_[: len(rounds)], rtol=1e-12)
    weights = np.array([one.weight for one in rounds])
    ours = weighted_median(np.column_stack(answers[: len(rounds)]), weights)
    np.testing.assert_array_equal(ours, theirs.predict(np.zeros((40, 1))))


def test_a_perfect_member_is_the_last_and_a_useless_first_one_is_kept():
    y = np.arange(5.0)
    rounds, kept = boost_r2(lambda t, w: y, y, np.ones(5), "linear", 9, 1.0, lambda rounds: False)
    assert (kept, rounds[0].error, rounds[0].weight) == (1, 0.0, 1.0)
    rounds, kept = boost_r2(lambda t, w: y + 3, y, np.ones(5), "linear", 9, 1.0, lambda rounds: False)
    assert (kept, rounds) == (1, [])


def test_weighted_median_by_hand():
    answers = np.array([[3.0, 1.0, 2.0], [1.0, 1.0, 5.0]])
    np.testing.assert_array_equal(weighted_median(answers, np.array([1.0, 1.0, 1.0])), [2.0, 1.0])
    np.testing.assert_array_equal(weighted_median(answers, np.array([0.2, 0.2, 1.0])), [2.0, 5.0])
