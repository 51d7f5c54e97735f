"""Selection by penalized risk: the formulas, the choice, and the inequality in simulation."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import binom
from sklearn.base import BaseEstimator, ClassifierMixin

from surefit._core.errors import InvalidData, InvalidParameter
from surefit.linear_model import LogisticRegression
from surefit.theory import DictionarySelection, HalfLines, HalfSpaces
from surefit.tree import DecisionTreeClassifier

RNG = np.random.default_rng(0)


class UpTo(ClassifierMixin, BaseEstimator):
    """x ≤ a of least empirical risk among `places` thresholds: an exact minimizer over a finite dictionary."""

    def __init__(self, places=1):
        self.places = places

    def fit(self, X, y):
        self.classes_ = np.array([0, 1])
        grid = (np.arange(self.places) + 1) / (self.places + 1)
        errors = [np.mean((X[:, 0] <= a) != y) for a in grid]
        self.a_ = grid[int(np.argmin(errors))]
        return self

    def predict(self, X):
        return (X[:, 0] <= self.a_).astype(int)


def data(n, rng):
    X = rng.random((n, 1))
    return X, ((X[:, 0] <= 1 / 3) ^ (rng.random(n) < 0.1)).astype(int)


def risk(a):
    return 0.1 + 0.8 * abs(a - 1 / 3)


def test_formulas_and_choice():
    X = RNG.normal(size=(3000, 2))
    y = X[:, 0] + X[:, 1] > 0
    models = [("line", LogisticRegression()), ("stump", DecisionTreeClassifier(max_depth=1))]
    found = DictionarySelection(models, confidence=0.9).fit(X, y)
    wrong = np.array([np.mean(m.fit(X, y).predict(X) != y) for _, m in models])
    np.testing.assert_allclose(found.empirical_risks_, wrong)
    pen = [2 * math.sqrt(2 * math.log(2 * sum(math.comb(3000, k) for k in range(4))) / 3000)] * 2
    np.testing.assert_allclose(found.penalties_, pen, rtol=1e-13)  # lines and stumps of two columns: VC dimension 3
    assert found.selected_name_ == "line" and found.selected_estimator_ is found.estimators_[0]
    half = pen[0] + math.sqrt((math.log(2) + math.log(10)) / 6000)
    assert found.risk_interval_.high == pytest.approx(wrong[0] + half)
    assert found.remainder_ == pytest.approx(math.sqrt((2 * math.log(2) + 2 * math.log(10)) / 3000))
    assert "line: plus" in found.statement() and "With probability 0.9" in found.statement()
    np.testing.assert_array_equal(found.predict(X[:5]), found.selected_estimator_.predict(X[:5]))


def test_inequalities_hold_in_simulation():
    """The interval and the oracle inequality fail no more often than they may, at one in a million."""
    rng, n, repeats, confidence = np.random.default_rng(1), 4000, 60, 0.5
    counts = (1, 2, 8)
    choice = DictionarySelection([(str(k), UpTo(k)) for k in counts], [0, 1, 1], confidence=confidence)
    best = [min(risk((i + 1) / (k + 1)) for i in range(k)) for k in counts]
    outside = above = 0
    for _ in range(repeats):
        found = choice.fit(*data(n, rng))
        true = risk(found.selected_estimator_.a_)
        outside += not found.risk_interval_.low <= true <= found.risk_interval_.high
        above += true > min(np.array(best) + found.oracle_terms_)
    assert max(outside, above) <= binom.isf(1e-6, repeats, 1 - confidence)


def test_larger_dictionaries_must_earn_their_penalty():
    X, y = data(400, RNG)
    small = DictionarySelection([("one", UpTo(2)), ("many", UpTo(200))], [1, 200]).fit(X, y)
    assert small.selected_name_ == "one" and small.empirical_risks_[1] <= small.empirical_risks_[0]


def test_dictionaries_by_object():
    X, y = data(100, RNG)
    found = DictionarySelection([("a", UpTo(3)), ("b", UpTo(5))], [HalfLines(), HalfSpaces(1)]).fit(X, y)
    np.testing.assert_allclose(found.log_shattering_, [math.log(2 * 101), math.log(2 * 200)])


@pytest.mark.parametrize(
    ("models", "dictionaries", "options", "words"),
    [
        ([], None, {}, "list of"),
        ([("a", UpTo()), ("a", UpTo())], [1, 1], {}, "names different"),
        ([("a", UpTo())], None, {}, "no closed form"),
        ([("a", UpTo())], [1, 2], {}, "one entry for each"),
        ([("a", UpTo())], ["x"], {}, "VC dimension"),
        ([("a", UpTo())], [1], {"confidence": 1.0}, "confidence"),
    ],
)
def test_bad_parameters(models, dictionaries, options, words):
    with pytest.raises(InvalidParameter, match=words):
        DictionarySelection(models, dictionaries, **options).fit(*data(20, RNG))


@pytest.mark.parametrize("y", [np.zeros(20), np.arange(20) % 3, np.zeros((20, 2))])
def test_bad_labels(y):
    with pytest.raises(InvalidData):
        DictionarySelection([("a", UpTo())], [1]).fit(np.zeros((20, 1)), y)
