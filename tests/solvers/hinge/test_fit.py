"""Which problems LinearSVC solves, and that every road gives liblinear's minimum."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.svm import LinearSVC

from surefit.solvers.hinge.fit import fit_side, sides, streams
from surefit.solvers.hinge.solution import Solution
from tests.reference import linear_svm as reference
from tests.solvers.hinge.data import problem, rows


def test_two_classes_are_one_problem_and_three_are_three():
    cost, weight = np.full(3, 2.0), np.array([1.0, 5.0, 3.0])
    two = sides(cost[:2], weight[:2])
    assert len(two) == 1 and two[0].positive == 1
    np.testing.assert_array_equal(two[0].cost, [2.0, 10.0])
    three = sides(cost, weight)
    assert [side.positive for side in three] == [0, 1, 2]
    np.testing.assert_array_equal(three[1].cost, [2.0, 10.0, 2.0])  # liblinear: the rest costs C


@pytest.mark.parametrize("penalty, loss", [("l2", "squared_hinge"), ("l2", "hinge"), ("l1", "squared_hinge")])
def test_the_value_is_that_of_liblinear_run_long(penalty, loss):
    X, sign, weight = rows(150, 4, seed=2)
    data, labels = problem(X, sign, weight, C=0.5)
    found = fit_side(data, labels, 1.0, penalty, loss, tol=1e-9, max_iter=1000, after_step=lambda *_: False)
    model = LinearSVC(penalty=penalty, loss=loss, C=0.5, dual=loss == "hinge", tol=1e-9, max_iter=1_000_000)
    model.fit(X, sign, sample_weight=weight)

    def value(coef, intercept):
        return reference.objective(X, sign, 0.5 * weight, coef, intercept, 1.0, loss, penalty)

    assert found.value == pytest.approx(value(found.coef, found.intercept), rel=1e-12)
    assert found.value == pytest.approx(value(model.coef_[0], model.intercept_[0]), rel=1e-5)
    assert 0 <= found.rel_gap <= 1e-9


def test_what_streams_and_what_a_gap_is_relative_to():
    assert streams("l2", "squared_hinge") and not streams("l2", "hinge")
    assert Solution(np.zeros(1), 0.0, 4.0, 1.0, 1, []).rel_gap == 0.25
    assert Solution(np.zeros(1), 0.0, 0.0, 0.0, 1, []).rel_gap == 0.0
