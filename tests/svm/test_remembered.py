"""Scores follow the attributes of a machine, whatever it remembers of earlier ones."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.metrics.pairwise import rbf_kernel

from surefit.svm import SVC, SVR
from surefit.svm.pairs import votes
from surefit.svm.remembered import MOST_BYTES, contents

X, y = load_iris(return_X_y=True)
ROW = X[60:61]


def expected(model, rows):
    """Σ coef k(x, ·) + b of a regression, by scikit-learn's kernel."""
    K = rbf_kernel(rows, model.support_vectors_, gamma=model.gamma_)
    return K @ model.dual_coef_[0] + model.intercept_[0]


@pytest.mark.parametrize("name", ["dual_coef_", "support_vectors_", "intercept_"])
def test_numbers_written_into_an_attribute_count(name):
    model = SVR(gamma=0.3).fit(X[:, :3], X[:, 3])
    model.predict(ROW[:, :3])
    getattr(model, name)[...] *= 1.5
    np.testing.assert_allclose(model.predict(ROW[:, :3]), expected(model, ROW[:, :3]), rtol=1e-12)


def test_another_kernel_set_after_the_fit_counts():
    model = SVR(gamma=0.3).fit(X[:, :3], X[:, 3])
    model.predict(ROW[:, :3])
    model.gamma_ = 0.7
    np.testing.assert_allclose(model.predict(ROW[:, :3]), expected(model, ROW[:, :3]), rtol=1e-12)
    model.set_params(kernel="linear")
    linear = ROW[:, :3] @ model.support_vectors_.T @ model.dual_coef_[0] + model.intercept_[0]
    np.testing.assert_allclose(model.predict(ROW[:, :3]), linear, rtol=1e-12)


@pytest.mark.parametrize("kernel", ["rbf", "linear", "poly"])
def test_copies_and_pickles_remember_nothing_and_score_the_same(kernel):
    model = SVC(kernel=kernel).fit(X, y)
    before = pickle.dumps(model)
    scores = model.decision_function(X)
    assert pickle.dumps(model) == before
    for other in (pickle.loads(before), copy.deepcopy(model)):
        np.testing.assert_array_equal(other.decision_function(X), scores)


@pytest.mark.parametrize("kernel", ["rbf", "linear", "poly"])
def test_one_row_scores_as_it_does_among_many(kernel):
    model = SVC(kernel=kernel).fit(X, y)
    one_by_one = np.vstack([model.decision_function(row[None]) for row in X])
    np.testing.assert_allclose(one_by_one, model.decision_function(X), rtol=1e-9)


def test_contents_are_equal_for_equal_numbers_only():
    a = np.arange(6.0)
    assert contents(a) == contents(a.copy())
    assert contents(a) != contents(a.reshape(2, 3))
    assert contents(a) != contents(a.view(np.int64))
    assert contents(np.zeros(MOST_BYTES // 8 + 1)) is None
    assert contents(a, None) is None


def test_votes_of_pairs_by_hand():
    """Pairs (0, 1), (0, 2), (1, 2): 0 beats 1, 2 beats 0, and a tie of 1 and 2 counts for the second or the first."""
    scores = np.array([[1.0, -1.0, 0.0]])
    assert votes(scores, 3).tolist() == [[1, 0, 2]]
    assert votes(scores, 3, zero_wins=True).tolist() == [[1, 1, 1]]
